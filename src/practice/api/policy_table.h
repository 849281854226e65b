/* policy_table.h: the default roles as compact text.
 */
#ifndef KT_PRACTICE_API_POLICY_TABLE_H
#define KT_PRACTICE_API_POLICY_TABLE_H

/* Rules are lines: VERBS GROUPS RESOURCES [NAMES], or VERBS PATHS; lists with commas; the core group is called core. */
struct policy_role {
    const char *name;
    const char *aggregate_to;   /* label rbac.authorization.k8s.io/aggregate-to-...; NULL: none */
    const char *aggregate_from; /* gathers the rules of the roles with this label; NULL: has rules of its own */
    const char *rules;
};

/* Subjects are lines: "Group NAME", "User NAME", "ServiceAccount NAMESPACE/NAME". Each role system:controller:NAME is bound to the account kube-system/NAME without standing here. */
struct policy_binding {
    const char *name, *role, *subjects;
};

/* Both end with a name of NULL; sorted by name. */
extern const struct policy_role policy_roles[];
extern const struct policy_binding policy_bindings[];

#endif
