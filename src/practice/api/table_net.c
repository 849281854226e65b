/* table_net: cells of services, ingresses and endpoints. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/table_internal.h"

enum { SHOWN = 3 /* of a list; the rest is a count */, INGRESSES = 10000 };

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *text_of(const struct value *v, const char *key)
{
    return or_empty(value_find_text(v, key, NULL));
}

/* ---- services ---- */

enum cell cell_service_ip(struct row *row, const struct column *column)
{
    const char *ip = value_text(value_first(row_look(row, "spec.clusterIPs")));
    row_put(row, ip != NULL ? ip : column->otherwise);
    return CELL_TEXT;
}

enum cell cell_balancer(struct row *row, const struct column *column)
{
    (void)column;
    struct vec addresses = vec_make(INGRESSES, mem_free);
    for (const struct value *point = value_first(row_look(row, "status.loadBalancer.ingress")); point != NULL; point = value_next(point)) {
        const char *address = text_of(point, "ip")[0] != '\0' ? text_of(point, "ip") : text_of(point, "hostname");
        if (address[0] != '\0' && !vec_push_string(&addresses, address))
            row->failed = true;
    }
    row_put_set(row, &addresses);
    return CELL_TEXT;
}

enum cell cell_service_external(struct row *row, const struct column *column)
{
    const char *type = or_empty(value_text(row_look(row, "spec.type")));
    const char *nothing = "<none>";
    if (strcmp(type, "ExternalName") == 0) {
        row_put(row, or_empty(value_text(row_look(row, "spec.externalName"))));
        return CELL_TEXT;
    }
    if (strcmp(type, "LoadBalancer") == 0) {
        nothing = "<pending>";
        cell_balancer(row, column);
    } else if (strcmp(type, "ClusterIP") != 0 && strcmp(type, "NodePort") != 0) {
        row_put(row, "<unknown>");
        return CELL_TEXT;
    }
    for (const struct value *ip = value_first(row_look(row, "spec.externalIPs")); ip != NULL; ip = value_next(ip))
        row_put_piece(row, ",", or_empty(value_text(ip)));
    if (row->text.length == 0)
        row_put(row, nothing);
    return CELL_TEXT;
}

enum cell cell_service_ports(struct row *row, const struct column *column)
{
    for (const struct value *port = value_first(row_look(row, "spec.ports")); port != NULL; port = value_next(port)) {
        int64_t on_nodes = value_find_int(port, 0, "nodePort", NULL);
        row_put_piece(row, ",", "");
        buf_printf(&row->text, "%lld", (long long)value_find_int(port, 0, "port", NULL));
        if (on_nodes > 0)
            buf_printf(&row->text, ":%lld", (long long)on_nodes);
        buf_printf(&row->text, "/%s", text_of(port, "protocol"));
    }
    if (row->text.length == 0)
        row_put(row, column->otherwise);
    return CELL_TEXT;
}

/* ---- lists that are cut ---- */

struct list {
    struct row *row;
    size_t count, shown;
};

static void list_put(struct list *list, const char *text)
{
    if (list->shown < SHOWN) {
        row_put_piece(list->row, ",", text);
        list->shown++;
    }
    list->count++;
}

static enum cell list_end(const struct list *list, const char *nothing)
{
    if (list->count > SHOWN)
        buf_printf(&list->row->text, " + %zu more...", list->count - SHOWN);
    else if (list->row->text.length == 0)
        row_put(list->row, nothing);
    return CELL_TEXT;
}

/* ---- ingresses ---- */

/* Counts as the real server does: rules without a host are among the "more", if any host came before. */
enum cell cell_ingress_hosts(struct row *row, const struct column *column)
{
    (void)column;
    const struct value *rules = row_look(row, "spec.rules");
    size_t shown = 0;
    bool more = false;
    for (const struct value *rule = value_first(rules); rule != NULL; rule = value_next(rule)) {
        more = more || shown == SHOWN;
        if (!more && text_of(rule, "host")[0] != '\0') {
            row_put_piece(row, ",", text_of(rule, "host"));
            shown++;
        }
    }
    if (shown == 0)
        row_put(row, "*");
    else if (more)
        buf_printf(&row->text, " + %zu more...", value_length(rules) - SHOWN);
    return CELL_TEXT;
}

enum cell cell_ingress_ports(struct row *row, const struct column *column)
{
    (void)column;
    row_put(row, value_first(row_look(row, "spec.tls")) != NULL ? "80, 443" : "80");
    return CELL_TEXT;
}

enum cell cell_ingress_parameters(struct row *row, const struct column *column)
{
    const struct value *parameters = row_look(row, "spec.parameters");
    if (value_type(parameters) != VALUE_OBJECT) {
        row_put(row, column->otherwise);
        return CELL_TEXT;
    }
    row_put(row, text_of(parameters, "kind"));
    if (value_get(parameters, "apiGroup") != NULL)
        buf_printf(&row->text, ".%s", text_of(parameters, "apiGroup"));
    buf_printf(&row->text, "/%s", text_of(parameters, "name"));
    return CELL_TEXT;
}

/* ---- endpoints ---- */

static void put_addresses(struct list *list, const struct value *subset, int64_t port)
{
    for (const struct value *address = value_first(value_get(subset, "addresses")); address != NULL; address = value_next(address)) {
        const char *ip = text_of(address, "ip");
        bool brackets = port >= 0 && strchr(ip, ':') != NULL;
        char text[320];
        if (port >= 0)
            snprintf(text, sizeof text, "%s%s%s:%lld", brackets ? "[" : "", ip, brackets ? "]" : "", (long long)port);
        list_put(list, port >= 0 ? text : ip);
    }
}

enum cell cell_endpoints(struct row *row, const struct column *column)
{
    struct list list = {.row = row};
    const struct value *subsets = row_look(row, "subsets");
    for (const struct value *subset = value_first(subsets); subset != NULL; subset = value_next(subset)) {
        const struct value *ports = value_get(subset, "ports");
        if (value_first(ports) == NULL)
            put_addresses(&list, subset, -1);
        for (const struct value *port = value_first(ports); port != NULL; port = value_next(port))
            put_addresses(&list, subset, value_find_int(port, 0, "port", NULL));
    }
    return list_end(&list, value_first(subsets) == NULL ? column->otherwise : "");
}

enum cell cell_slice_ports(struct row *row, const struct column *column)
{
    struct list list = {.row = row};
    for (const struct value *port = value_first(row_look(row, "ports")); port != NULL; port = value_next(port)) {
        char digits[24];
        int64_t number;
        if (value_as_int(value_get(port, "port"), &number))
            snprintf(digits, sizeof digits, "%lld", (long long)number);
        else
            number = -1;
        list_put(&list, number >= 0 ? digits : value_get(port, "name") != NULL ? text_of(port, "name") : "*");
    }
    return list_end(&list, column->otherwise);
}

enum cell cell_slice_endpoints(struct row *row, const struct column *column)
{
    struct list list = {.row = row};
    for (const struct value *endpoint = value_first(row_look(row, "endpoints")); endpoint != NULL; endpoint = value_next(endpoint))
        for (const struct value *address = value_first(value_get(endpoint, "addresses")); address != NULL; address = value_next(address))
            list_put(&list, or_empty(value_text(address)));
    return list_end(&list, column->otherwise);
}

/* "services/default/kubernetes" */
enum cell cell_address_parent(struct row *row, const struct column *column)
{
    const struct value *parent = row_look(row, "spec.parentRef");
    if (value_type(parent) != VALUE_OBJECT) {
        row_put(row, column->otherwise);
        return CELL_TEXT;
    }
    row_put(row, text_of(parent, "resource"));
    if (text_of(parent, "group")[0] != '\0')
        buf_printf(&row->text, ".%s", text_of(parent, "group"));
    if (text_of(parent, "namespace")[0] != '\0')
        buf_printf(&row->text, "/%s", text_of(parent, "namespace"));
    buf_printf(&row->text, "/%s", text_of(parent, "name"));
    return CELL_TEXT;
}
