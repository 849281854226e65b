#include "app/practice_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/practice.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "practice/api/backend.h"
#include "practice/controllers/controllers.h"
#include "practice/node/network.h"
#include "practice/node/nodes.h"
#include "practice/scheduler/scheduler.h"
#include "practice/sim/sim.h"
#include "practice/work/place.h"

struct practice_parts {
    struct place_of_work place;
    struct controllers *controllers;
    struct scheduler *scheduler;
    struct network *network;
    struct sim *sim;
    struct nodes *nodes;
};

static bool number(const char *text, double from, double to, double *out)
{
    char *end;
    if (text == NULL)
        return true;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= from && value <= to))
        return false;
    *out = value;
    return true;
}

bool practice_settings_read(const char *nodes, const char *speed, const char *clock_rate, struct practice_settings *settings,
                            struct error *err)
{
    double count = 1;
    *settings = (struct practice_settings){.speed = 1, .clock_rate = 1};
    if (!number(nodes, 1, PRACTICE_NODES, &count) || count != (double)(int)count)
        return error_set(err, ERROR_USAGE, NULL, _("--nodes is a number from 1 to %d, not %s"), PRACTICE_NODES, nodes);
    settings->nodes = (int)count;
    if (!number(speed, 0, 1e6, &settings->speed))
        return error_set(err, ERROR_USAGE, NULL, _("--speed is a number such as 10, or 0 for no waiting at all, not %s"),
                         speed);
    if (!number(clock_rate, 1, CLUSTER_CLOCK_RATE, &settings->clock_rate))
        return error_set(err, ERROR_USAGE, NULL, _("--clock-rate is a number from 1 to %d, not %s"), CLUSTER_CLOCK_RATE,
                         clock_rate);
    return true;
}

static bool start_nodes(struct practice_parts *parts, const struct practice_settings *settings, struct error *err)
{
    const char *const catalogues[] = {settings->images, NULL};
    const struct sim_options simulated = {
        .clock = parts->place.api->clock,
        .network = parts->network,
        .catalogues = catalogues,
        .volumes = settings->volumes,
        .speed = settings->speed,
        .log = parts->place.api->log,
    };
    if ((parts->sim = sim_new(&simulated, err)) == NULL)
        return false;
    const struct nodes_options nodes = {
        .place = &parts->place, .runtime = sim_runtime(parts->sim), .network = parts->network, .count = settings->nodes};
    parts->nodes = nodes_new(&nodes, err);
    if (parts->nodes != NULL)
        api_set_backend(parts->place.api, nodes_backend(parts->nodes));
    return parts->nodes != NULL;
}

struct practice_parts *practice_parts_new(struct server *server, const struct practice_settings *settings, struct error *err)
{
    struct practice_parts *parts = mem_zero(1, sizeof *parts);
    struct api *api = server_api(server);
    if (parts == NULL) {
        error_memory(err);
        return NULL;
    }
    bool open = cluster_clock_set_rate(api->clock, settings->clock_rate, err) && place_open(&parts->place, api, err);
    if (open && settings->api_only)
        parts->controllers = controllers_new_for_api(&parts->place, err);
    else if (open)
        parts->controllers = controllers_new(&parts->place, err);
    if (parts->controllers != NULL && (settings->api_only || ((parts->scheduler = scheduler_new(&parts->place, err)) != NULL &&
                                                              (parts->network = network_new(&parts->place, err)) != NULL &&
                                                              start_nodes(parts, settings, err))))
        return parts;
    practice_parts_free(parts);
    return NULL;
}

void practice_parts_free(struct practice_parts *parts)
{
    if (parts == NULL)
        return;
    if (parts->place.api != NULL)
        api_set_backend(parts->place.api, NULL);
    nodes_free(parts->nodes);
    sim_free(parts->sim);
    network_free(parts->network);
    scheduler_free(parts->scheduler);
    controllers_free(parts->controllers);
    place_close(&parts->place);
    mem_free(parts);
}

/* ---- the clock ---- */

static const char clock_file[] = "clock";

int64_t practice_clock_read(void)
{
    char *path = practice_file(clock_file, NULL), *text = path != NULL ? file_read(path, 64, NULL, NULL) : NULL;
    long long offset = text != NULL ? strtoll(text, NULL, 10) : 0;
    mem_free(text);
    mem_free(path);
    return offset > 0 && offset < 100 * CLUSTER_CLOCK_STEP ? offset : 0;
}

void practice_clock_write(int64_t offset_ms)
{
    char text[32], *path = practice_file(clock_file, NULL);
    snprintf(text, sizeof text, "%" PRId64 "\n", offset_ms);
    if (path != NULL && (offset_ms != 0 || file_exists(path)))
        (void)!file_write(path, text, strlen(text), 0600, NULL); /* else timestamps go back once, which harms nobody much */
    mem_free(path);
}
