/* The default ClusterRoles and their bindings, as a real API server makes them at its start (read from one), for the groups that are served here. */
#include "practice/api/policy_table.h"

#include <stddef.h>

const struct policy_role policy_roles[] = {
    {"admin", NULL, "admin",
     ""},
    {"cluster-admin", NULL, NULL,
     "* * *\n"
     "* *\n"},
    {"edit", "admin", "edit",
     ""},
    {"system:aggregate-to-admin", "admin", NULL,
     "create authorization.k8s.io localsubjectaccessreviews\n"
     "create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles\n"},
    {"system:aggregate-to-edit", "edit", NULL,
     "get,list,watch core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy\n"
     "impersonate core serviceaccounts\n"
     "create,delete,deletecollection,patch,update core pods,pods/attach,pods/exec,pods/portforward,pods/proxy\n"
     "create core pods/eviction\n"
     "create,delete,deletecollection,patch,update core configmaps,persistentvolumeclaims,replicationcontrollers,"
     "replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy\n"
     "create core serviceaccounts/token\n"
     "create,delete,deletecollection,patch,update core,events.k8s.io events\n"
     "create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,"
     "replicasets/scale,statefulsets,statefulsets/scale\n"
     "create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers\n"
     "create,delete,deletecollection,patch,update batch cronjobs,jobs\n"
     "create,delete,deletecollection,patch,update policy poddisruptionbudgets\n"
     "create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies\n"
     "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases\n"},
    {"system:aggregate-to-view", "view", NULL,
     "get,list,watch core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,"
     "replicationcontrollers/scale,serviceaccounts,services,services/status\n"
     "get,list,watch core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,"
     "resourcequotas/status\n"
     "get,list,watch core namespaces\n"
     "get,list,watch core,events.k8s.io events\n"
     "get,list,watch discovery.k8s.io endpointslices\n"
     "get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,"
     "replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status\n"
     "get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status\n"
     "get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status\n"
     "get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status\n"
     "get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies\n"},
    {"system:auth-delegator", NULL, NULL,
     "create authentication.k8s.io tokenreviews\n"
     "create authorization.k8s.io subjectaccessreviews\n"},
    {"system:basic-user", NULL, NULL,
     "create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews\n"
     "create authentication.k8s.io selfsubjectreviews\n"},
    {"system:controller:clusterrole-aggregation-controller", NULL, NULL,
     "escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles\n"},
    {"system:controller:cronjob-controller", NULL, NULL,
     "get,list,update,watch batch cronjobs\n"
     "create,delete,get,list,patch,update,watch batch jobs\n"
     "update batch cronjobs/status\n"
     "update batch cronjobs/finalizers\n"
     "delete,list,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:daemon-set-controller", NULL, NULL,
     "get,list,watch apps daemonsets\n"
     "update apps daemonsets/status\n"
     "update apps daemonsets/finalizers\n"
     "list,watch core nodes\n"
     "create,delete,list,patch,watch core pods\n"
     "create core pods/binding\n"
     "create,delete,get,list,patch,update,watch apps controllerrevisions\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:deployment-controller", NULL, NULL,
     "get,list,update,watch apps deployments\n"
     "update apps deployments/status\n"
     "update apps deployments/finalizers\n"
     "create,delete,get,list,patch,update,watch apps replicasets\n"
     "get,list,update,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:disruption-controller", NULL, NULL,
     "get,list,watch apps deployments\n"
     "get,list,watch apps replicasets\n"
     "get,list,watch core replicationcontrollers\n"
     "get,list,watch policy poddisruptionbudgets\n"
     "get,list,watch apps statefulsets\n"
     "update policy poddisruptionbudgets/status\n"
     "patch,update core pods/status\n"
     "get * */scale\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:endpoint-controller", NULL, NULL,
     "get,list,watch core pods,services\n"
     "create,delete,get,list,update,watch core endpoints\n"
     "create core endpoints/restricted\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:endpointslice-controller", NULL, NULL,
     "get,list,watch core nodes,pods,services\n"
     "update core services/finalizers\n"
     "create,delete,get,list,update,watch discovery.k8s.io endpointslices\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:endpointslicemirroring-controller", NULL, NULL,
     "get,list,watch core endpoints,services\n"
     "update core services/finalizers\n"
     "update core endpoints/finalizers\n"
     "create,delete,get,list,update,watch discovery.k8s.io endpointslices\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:ephemeral-volume-controller", NULL, NULL,
     "get,list,watch core pods\n"
     "update core pods/finalizers\n"
     "create,get,list,watch core persistentvolumeclaims\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:expand-controller", NULL, NULL,
     "get,list,patch,update,watch core persistentvolumes\n"
     "patch,update core persistentvolumeclaims/status\n"
     "get,list,watch core persistentvolumeclaims\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:generic-garbage-collector", NULL, NULL,
     "delete,get,list,patch,update,watch * *\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:horizontal-pod-autoscaler", NULL, NULL,
     "get,list,watch autoscaling horizontalpodautoscalers\n"
     "update autoscaling horizontalpodautoscalers/status\n"
     "get,update * */scale\n"
     "list,watch core pods\n"
     "list,watch metrics.k8s.io pods\n"
     "get,list,watch custom.metrics.k8s.io *\n"
     "get,list,watch external.metrics.k8s.io *\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:job-controller", NULL, NULL,
     "get,list,patch,update,watch batch jobs\n"
     "update batch jobs/status\n"
     "update batch jobs/finalizers\n"
     "create,delete,list,patch,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:namespace-controller", NULL, NULL,
     "delete,get,list,watch core namespaces\n"
     "update core namespaces/finalize,namespaces/status\n"
     "delete,deletecollection,get,list,watch * *\n"},
    {"system:controller:node-controller", NULL, NULL,
     "delete,get,list,patch,update,watch core nodes\n"
     "patch,update core nodes/status\n"
     "patch,update core pods/status\n"
     "delete,get,list,watch core pods\n"
     "get,list,watch coordination.k8s.io leases\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:persistent-volume-binder", NULL, NULL,
     "create,delete,get,list,update,watch core persistentvolumes\n"
     "update core persistentvolumes/status\n"
     "get,list,update,watch core persistentvolumeclaims\n"
     "update core persistentvolumeclaims/status\n"
     "create,delete,get,list,watch core pods\n"
     "get,list,watch storage.k8s.io storageclasses\n"
     "list,watch core nodes\n"
     "create,patch,update core,events.k8s.io events\n"
     "watch core events\n"},
    {"system:controller:pod-garbage-collector", NULL, NULL,
     "delete,list,watch core pods\n"
     "get,list,watch core nodes\n"
     "patch core pods/status\n"},
    {"system:controller:pv-protection-controller", NULL, NULL,
     "get,list,update,watch core persistentvolumes\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:pvc-protection-controller", NULL, NULL,
     "get,list,update,watch core persistentvolumeclaims\n"
     "update core persistentvolumeclaims/status\n"
     "get,list,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:replicaset-controller", NULL, NULL,
     "get,list,update,watch apps replicasets\n"
     "update apps replicasets/status\n"
     "update apps replicasets/finalizers\n"
     "create,delete,list,patch,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:replication-controller", NULL, NULL,
     "get,list,update,watch core replicationcontrollers\n"
     "update core replicationcontrollers/status\n"
     "update core replicationcontrollers/finalizers\n"
     "create,delete,list,patch,watch core pods\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:resourcequota-controller", NULL, NULL,
     "list,watch * *\n"
     "update core resourcequotas/status\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:root-ca-cert-publisher", NULL, NULL,
     "create,update core configmaps\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:service-account-controller", NULL, NULL,
     "create core serviceaccounts\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:service-controller", NULL, NULL,
     "get,list,watch core services\n"
     "patch,update core services/status\n"
     "list,watch core nodes\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:statefulset-controller", NULL, NULL,
     "list,watch core pods\n"
     "get,list,watch apps statefulsets\n"
     "update apps statefulsets/status\n"
     "update apps statefulsets/finalizers\n"
     "create,delete,get,patch,update core pods\n"
     "create,delete,get,list,patch,update,watch apps controllerrevisions\n"
     "create,get,list,watch core persistentvolumeclaims\n"
     "delete,update core persistentvolumeclaims\n"
     "update core pods/finalizers\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:ttl-after-finished-controller", NULL, NULL,
     "delete,get,list,watch batch jobs\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:controller:ttl-controller", NULL, NULL,
     "list,patch,update,watch core nodes\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:discovery", NULL, NULL,
     "get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/\n"},
    {"system:kube-controller-manager", NULL, NULL,
     "create,patch,update core,events.k8s.io events\n"
     "create coordination.k8s.io leases\n"
     "get,update coordination.k8s.io leases kube-controller-manager\n"
     "create core secrets,serviceaccounts\n"
     "delete core secrets\n"
     "get core configmaps,namespaces,secrets,serviceaccounts\n"
     "update core secrets,serviceaccounts\n"
     "create authentication.k8s.io tokenreviews\n"
     "create authorization.k8s.io subjectaccessreviews\n"
     "list,watch * *\n"
     "create core serviceaccounts/token\n"},
    {"system:kube-dns", NULL, NULL,
     "list,watch core endpoints,services\n"},
    {"system:kube-scheduler", NULL, NULL,
     "create,patch,update core,events.k8s.io events\n"
     "create coordination.k8s.io leases\n"
     "get,list,update,watch coordination.k8s.io leases kube-scheduler\n"
     "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates\n"
     "get,list,watch core nodes\n"
     "delete,get,list,watch core pods\n"
     "create core bindings,pods/binding\n"
     "patch,update core pods/status\n"
     "get,list,watch core replicationcontrollers,services\n"
     "get,list,watch apps replicasets\n"
     "get,list,watch apps statefulsets\n"
     "get,list,watch policy poddisruptionbudgets\n"
     "get,list,watch core persistentvolumeclaims,persistentvolumes\n"
     "create authentication.k8s.io tokenreviews\n"
     "create authorization.k8s.io subjectaccessreviews\n"
     "get,list,watch storage.k8s.io csinodes\n"
     "get,list,watch storage.k8s.io volumeattachments\n"
     "get,list,watch core namespaces\n"
     "get,list,watch storage.k8s.io csidrivers\n"
     "get,list,watch storage.k8s.io csistoragecapacities\n"
     "update core pods/finalizers\n"},
    {"system:kubelet-api-admin", NULL, NULL,
     "get,list,watch core nodes\n"
     "proxy core nodes\n"
     "* core nodes/log,nodes/metrics,nodes/proxy,nodes/stats\n"
     "* core nodes/configz,nodes/healthz,nodes/pods\n"},
    {"system:node", NULL, NULL,
     "create authentication.k8s.io tokenreviews\n"
     "create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews\n"
     "get,list,watch core services\n"
     "create,get,list,watch core nodes\n"
     "patch,update core nodes/status\n"
     "patch,update core nodes\n"
     "create,patch,update core,events.k8s.io events\n"
     "get,list,watch core pods\n"
     "create,delete core pods\n"
     "patch,update core pods/status\n"
     "create core pods/eviction\n"
     "get,list,watch core configmaps,secrets\n"
     "get core persistentvolumeclaims,persistentvolumes\n"
     "get core endpoints\n"
     "create,delete,get,patch,update coordination.k8s.io leases\n"
     "get storage.k8s.io volumeattachments\n"
     "create core serviceaccounts/token\n"
     "get,patch,update core persistentvolumeclaims/status\n"
     "get,list,watch storage.k8s.io csidrivers\n"
     "create,delete,get,patch,update storage.k8s.io csinodes\n"
     "get,list,watch node.k8s.io runtimeclasses\n"
     "get core serviceaccounts\n"},
    {"system:node-proxier", NULL, NULL,
     "list,watch core endpoints,services\n"
     "get,list,watch core nodes\n"
     "create,patch,update core,events.k8s.io events\n"
     "list,watch networking.k8s.io servicecidrs\n"
     "list,watch discovery.k8s.io endpointslices\n"},
    {"system:persistent-volume-provisioner", NULL, NULL,
     "create,delete,get,list,watch core persistentvolumes\n"
     "get,list,update,watch core persistentvolumeclaims\n"
     "get,list,watch storage.k8s.io storageclasses\n"
     "watch core events\n"
     "create,patch,update core,events.k8s.io events\n"},
    {"system:public-info-viewer", NULL, NULL,
     "get /healthz,/livez,/readyz,/version,/version/\n"},
    {"system:service-account-issuer-discovery", NULL, NULL,
     "get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/\n"},
    {"system:volume-scheduler", NULL, NULL,
     "get,list,patch,update,watch core persistentvolumes\n"
     "get,list,watch storage.k8s.io storageclasses\n"
     "get,list,patch,update,watch core persistentvolumeclaims\n"},
    {"view", "edit", "view",
     ""},
    {NULL, NULL, NULL, NULL},
};

const struct policy_binding policy_bindings[] = {
    {"cluster-admin", "cluster-admin", "Group system:masters"},
    {"system:basic-user", "system:basic-user", "Group system:authenticated"},
    {"system:discovery", "system:discovery", "Group system:authenticated"},
    {"system:kube-controller-manager", "system:kube-controller-manager", "User system:kube-controller-manager"},
    {"system:kube-dns", "system:kube-dns", "ServiceAccount kube-system/kube-dns"},
    {"system:kube-scheduler", "system:kube-scheduler", "User system:kube-scheduler"},
    {"system:node", "system:node", ""},
    {"system:node-proxier", "system:node-proxier", "User system:kube-proxy"},
    {"system:public-info-viewer", "system:public-info-viewer", "Group system:authenticated\nGroup system:unauthenticated"},
    {"system:service-account-issuer-discovery", "system:service-account-issuer-discovery", "Group system:serviceaccounts"},
    {"system:volume-scheduler", "system:volume-scheduler", "User system:kube-scheduler"},
    {NULL, NULL, NULL},
};
