/* table_kinds: the columns of each kind, in the order and under the names of the real server; their descriptions are our own. */
#include "practice/api/table_internal.h"

#define END {.make = NULL}
#define NAME {"Name", "string", "name", 0, "Name of the object", cell_text, "metadata.name", NULL}
#define AGE {"Age", "string", "", 0, "How long ago it was made", cell_age, "metadata.creationTimestamp", NULL}

const struct column table_default[] = {
    NAME,
    {"Created At", "date", "", 0, "When it was made", cell_text, "metadata.creationTimestamp", NULL},
    END,
};

static const struct column pods[] = {
    NAME,
    {"Ready", "string", "", 0, "Containers that are ready, of how many", cell_pod_ready, NULL, NULL},
    {"Status", "string", "", 0, "What the pod is doing, or why it is not running", cell_pod_status, NULL, NULL},
    {"Restarts", "string", "", 0, "How often its containers were started again, and when last", cell_pod_restarts, NULL, NULL},
    AGE,
    {"IP", "string", "", 1, "Address of the pod", cell_pod_ip, NULL, "<none>"},
    {"Node", "string", "", 1, "Node that it runs on", cell_filled, "spec.nodeName", "<none>"},
    {"Nominated Node", "string", "", 1, "Node where room is being made for it", cell_filled, "status.nominatedNodeName", "<none>"},
    {"Readiness Gates", "string", "", 1, "Conditions beside its containers that must hold before it is ready", cell_pod_gates, NULL, "<none>"},
    END,
};

static const struct column pod_templates[] = {
    NAME,
    {"Containers", "string", "", 0, "Names of the containers in the template", cell_item_names, "template.spec.containers", NULL},
    {"Images", "string", "", 0, "Images of the containers in the template", cell_images, "template.spec.containers", NULL},
    {"Pod Labels", "string", "", 0, "Labels of pods made from it", cell_labels, "template.metadata.labels", "<none>"},
    END,
};

static const struct column budgets[] = {
    NAME,
    {"Min Available", "string", "", 0, "Pods that must stay available", cell_text, "spec.minAvailable", "N/A"},
    {"Max Unavailable", "string", "", 0, "Pods that may be unavailable", cell_text, "spec.maxUnavailable", "N/A"},
    {"Allowed Disruptions", "integer", "", 0, "Pods that may be evicted now", cell_number, "status.disruptionsAllowed", NULL},
    AGE,
    END,
};

static const struct column replication_controllers[] = {
    NAME,
    {"Desired", "integer", "", 0, "Pods that are wanted", cell_number, "spec.replicas", NULL},
    {"Current", "integer", "", 0, "Pods that are there", cell_number, "status.replicas", NULL},
    {"Ready", "integer", "", 0, "Pods that are ready", cell_number, "status.readyReplicas", NULL},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_labels, "spec.selector", "<none>"},
    END,
};

static const struct column replica_sets[] = {
    NAME,
    {"Desired", "integer", "", 0, "Pods that are wanted", cell_number, "spec.replicas", NULL},
    {"Current", "integer", "", 0, "Pods that are there", cell_number, "status.replicas", NULL},
    {"Ready", "integer", "", 0, "Pods that are ready", cell_number, "status.readyReplicas", NULL},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_selector, "spec.selector", "<none>"},
    END,
};

static const struct column daemon_sets[] = {
    NAME,
    {"Desired", "integer", "", 0, "Nodes that should run a pod of it", cell_number, "status.desiredNumberScheduled", NULL},
    {"Current", "integer", "", 0, "Nodes that run one and should", cell_number, "status.currentNumberScheduled", NULL},
    {"Ready", "integer", "", 0, "Nodes whose pod is ready", cell_number, "status.numberReady", NULL},
    {"Up-to-date", "integer", "", 0, "Nodes whose pod is of the newest template", cell_number, "status.updatedNumberScheduled", NULL},
    {"Available", "integer", "", 0, "Nodes whose pod is available", cell_number, "status.numberAvailable", NULL},
    {"Node Selector", "string", "", 0, "Labels of nodes that it runs on", cell_labels, "spec.template.spec.nodeSelector", "<none>"},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_selector, "spec.selector", "<none>"},
    END,
};

static const struct column jobs[] = {
    NAME,
    {"Status", "string", "", 0, "How far the job is", cell_job_status, NULL, NULL},
    {"Completions", "string", "", 0, "Pods that succeeded, of how many", cell_job_completions, NULL, NULL},
    {"Duration", "string", "", 0, "How long it took, or has taken", cell_job_duration, NULL, NULL},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_selector, "spec.selector", "<none>"},
    END,
};

static const struct column cron_jobs[] = {
    NAME,
    {"Schedule", "string", "", 0, "When jobs are started, in the manner of cron", cell_text, "spec.schedule", NULL},
    {"Timezone", "string", "", 0, "Time zone of the schedule", cell_text, "spec.timeZone", "<none>"},
    {"Suspend", "boolean", "", 0, "Whether no jobs are started for now", cell_truth, "spec.suspend", NULL},
    {"Active", "integer", "", 0, "Jobs that are running", cell_count, "status.active", NULL},
    {"Last Schedule", "string", "", 0, "When a job was started last", cell_age, "status.lastScheduleTime", "<none>"},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.jobTemplate.spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.jobTemplate.spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_selector, "spec.jobTemplate.spec.selector", "<none>"},
    END,
};

static const struct column services[] = {
    NAME,
    {"Type", "string", "", 0, "How the service is reached", cell_text, "spec.type", NULL},
    {"Cluster-IP", "string", "", 0, "Address inside the cluster", cell_service_ip, NULL, "<none>"},
    {"External-IP", "string", "", 0, "Addresses from outside", cell_service_external, NULL, NULL},
    {"Port(s)", "string", "", 0, "Ports, with those on the nodes", cell_service_ports, NULL, "<none>"},
    AGE,
    {"Selector", "string", "", 1, "Labels of the pods behind it", cell_labels, "spec.selector", "<none>"},
    END,
};

static const struct column ingresses[] = {
    NAME,
    {"Class", "string", "", 0, "Class of controllers that serve it", cell_text, "spec.ingressClassName", "<none>"},
    {"Hosts", "string", "", 0, "Hosts of its rules", cell_ingress_hosts, NULL, NULL},
    {"Address", "string", "", 0, "Addresses where it is reached", cell_balancer, NULL, NULL},
    {"Ports", "string", "", 0, "Ports where it is reached", cell_ingress_ports, NULL, NULL},
    AGE,
    END,
};

static const struct column ingress_classes[] = {
    {"Name", "string", "name", 0, "Name of the object", cell_class_name, "ingressclass.kubernetes.io/is-default-class", NULL},
    {"Controller", "string", "", 0, "Controller that serves this class", cell_text, "spec.controller", NULL},
    {"Parameters", "string", "", 0, "Object with settings for the controller", cell_ingress_parameters, NULL, "<none>"},
    AGE,
    END,
};

static const struct column stateful_sets[] = {
    NAME,
    {"Ready", "string", "", 0, "Pods that are ready, of how many", cell_ready, NULL, NULL},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    END,
};

static const struct column endpoints[] = {
    NAME,
    {"Endpoints", "string", "", 0, "Addresses and ports behind the service", cell_endpoints, NULL, "<none>"},
    AGE,
    END,
};

static const struct column nodes[] = {
    NAME,
    {"Status", "string", "", 0, "Whether it is ready, and takes pods", cell_node_status, NULL, NULL},
    {"Roles", "string", "", 0, "Roles by its labels", cell_node_roles, NULL, "<none>"},
    AGE,
    {"Version", "string", "", 0, "Version of its kubelet", cell_text, "status.nodeInfo.kubeletVersion", NULL},
    {"Internal-IP", "string", "", 1, "Address inside the cluster", cell_node_address, "InternalIP", "<none>"},
    {"External-IP", "string", "", 1, "Address from outside", cell_node_address, "ExternalIP", "<none>"},
    {"OS-Image", "string", "", 1, "Operating system", cell_filled, "status.nodeInfo.osImage", "<unknown>"},
    {"Kernel-Version", "string", "", 1, "Kernel, and kind of machine", cell_node_kernel, "status.nodeInfo.kernelVersion", "<unknown>"},
    {"Container-Runtime", "string", "", 1, "What runs its containers", cell_filled, "status.nodeInfo.containerRuntimeVersion", "<unknown>"},
    END,
};

static const struct column events[] = {
    {"Last Seen", "string", "", 0, "When it happened last", cell_event_last, NULL, NULL},
    {"Type", "string", "", 0, "Normal or Warning", cell_text, "type", NULL},
    {"Reason", "string", "", 0, "What happened, in a word", cell_text, "reason", NULL},
    {"Object", "string", "", 0, "Object that it is about", cell_event_object, NULL, NULL},
    {"Subobject", "string", "", 1, "Part of the object that it is about", cell_event_part, NULL, NULL},
    {"Source", "string", "", 1, "Who reported it", cell_event_source, NULL, NULL},
    {"Message", "string", "", 0, "What happened", cell_event_message, NULL, NULL},
    {"First Seen", "string", "", 1, "When it happened first", cell_event_first, NULL, NULL},
    {"Count", "string", "", 1, "How often it happened", cell_event_count, NULL, NULL},
    {"Name", "string", "name", 1, "Name of the object", cell_text, "metadata.name", NULL},
    END,
};

static const struct column namespaces[] = {
    NAME,
    {"Status", "string", "", 0, "Active, or Terminating", cell_text, "status.phase", NULL},
    AGE,
    END,
};

static const struct column secrets[] = {
    NAME,
    {"Type", "string", "", 0, "What it is for", cell_text, "type", NULL},
    {"Data", "string", "", 0, "Entries", cell_count, "data", NULL},
    AGE,
    END,
};

static const struct column service_accounts[] = {
    NAME,
    AGE,
    END,
};

static const struct column volumes[] = {
    NAME,
    {"Capacity", "string", "", 0, "Size", cell_volume_size, "spec.capacity", NULL},
    {"Access Modes", "string", "", 0, "How it can be mounted", cell_access_modes, "spec.accessModes", NULL},
    {"Reclaim Policy", "string", "", 0, "What becomes of it when its claim is gone", cell_text, "spec.persistentVolumeReclaimPolicy", NULL},
    {"Status", "string", "", 0, "Whether it is free, bound or released", cell_volume_phase, NULL, NULL},
    {"Claim", "string", "", 0, "Claim that has it", cell_volume_claim, NULL, NULL},
    {"StorageClass", "string", "", 0, "Class that it belongs to", cell_volume_class, NULL, NULL},
    {"VolumeAttributesClass", "string", "", 0, "Class of its attributes", cell_text, "spec.volumeAttributesClassName", "<unset>"},
    {"Reason", "string", "", 0, "Why it is in this state", cell_text, "status.reason", NULL},
    AGE,
    {"VolumeMode", "string", "", 1, "Filesystem, or Block", cell_text, "spec.volumeMode", "<unset>"},
    END,
};

static const struct column claims[] = {
    NAME,
    {"Status", "string", "", 0, "Whether it waits, or has a volume", cell_volume_phase, NULL, NULL},
    {"Volume", "string", "", 0, "Volume that it has", cell_text, "spec.volumeName", NULL},
    {"Capacity", "string", "", 0, "Size of the volume", cell_claim_size, "status.capacity", NULL},
    {"Access Modes", "string", "", 0, "How the volume can be mounted", cell_claim_modes, "status.accessModes", NULL},
    {"StorageClass", "string", "", 0, "Class that the volume comes from", cell_volume_class, NULL, NULL},
    {"VolumeAttributesClass", "string", "", 0, "Class of its attributes", cell_text, "spec.volumeAttributesClassName", "<unset>"},
    AGE,
    {"VolumeMode", "string", "", 1, "Filesystem, or Block", cell_text, "spec.volumeMode", "<unset>"},
    END,
};

static const struct column components[] = {
    NAME,
    {"Status", "string", "", 0, "Whether it is healthy", cell_health, "status", NULL},
    {"Message", "string", "", 0, "What it says", cell_health, "message", NULL},
    {"Error", "string", "", 0, "What is wrong", cell_health, "error", NULL},
    END,
};

static const struct column deployments[] = {
    NAME,
    {"Ready", "string", "", 0, "Pods that are ready, of how many", cell_ready, NULL, NULL},
    {"Up-to-date", "string", "", 0, "Pods of the newest template", cell_number, "status.updatedReplicas", NULL},
    {"Available", "string", "", 0, "Pods that are available", cell_number, "status.availableReplicas", NULL},
    AGE,
    {"Containers", "string", "", 1, "Names of the containers in the pod template", cell_item_names, "spec.template.spec.containers", NULL},
    {"Images", "string", "", 1, "Images of the containers in the pod template", cell_images, "spec.template.spec.containers", NULL},
    {"Selector", "string", "", 1, "Labels of the pods that belong to it", cell_selector, "spec.selector", NULL},
    END,
};

static const struct column autoscalers[] = {
    NAME,
    {"Reference", "string", "", 0, "What it scales", cell_scale_target, NULL, NULL},
    {"Targets", "string", "", 0, "Each metric as it is, and as it should be", cell_scale_metrics, NULL, "<none>"},
    {"MinPods", "string", "", 0, "Fewest pods", cell_text, "spec.minReplicas", "<unset>"},
    {"MaxPods", "string", "", 0, "Most pods", cell_number, "spec.maxReplicas", NULL},
    {"Replicas", "string", "", 0, "Pods that are there", cell_number, "status.currentReplicas", NULL},
    AGE,
    END,
};

static const struct column config_maps[] = {
    NAME,
    {"Data", "string", "", 0, "Entries", cell_data_count, NULL, NULL},
    AGE,
    END,
};

static const struct column network_policies[] = {
    NAME,
    {"Pod-Selector", "string", "", 0, "Labels of the pods that it is for", cell_selector, "spec.podSelector", "<none>"},
    AGE,
    END,
};

static const struct column role_bindings[] = {
    NAME,
    {"Role", "string", "", 0, "Role that is given", cell_role, NULL, NULL},
    AGE,
    {"Users", "string", "", 1, "Users who have the role", cell_subjects, "User", NULL},
    {"Groups", "string", "", 1, "Groups that have the role", cell_subjects, "Group", NULL},
    {"ServiceAccounts", "string", "", 1, "Service accounts that have the role", cell_subjects, "ServiceAccount", NULL},
    END,
};

static const struct column leases[] = {
    NAME,
    {"Holder", "string", "", 0, "Who holds it", cell_text, "spec.holderIdentity", NULL},
    AGE,
    END,
};

static const struct column storage_classes[] = {
    {"Name", "string", "name", 0, "Name of the object", cell_class_name, "storageclass.kubernetes.io/is-default-class", NULL},
    {"Provisioner", "string", "", 0, "What makes its volumes", cell_text, "provisioner", NULL},
    {"ReclaimPolicy", "string", "", 0, "What becomes of volumes whose claim is gone", cell_text, "reclaimPolicy", "Delete"},
    {"VolumeBindingMode", "string", "", 0, "Whether volumes wait for the first pod", cell_text, "volumeBindingMode", "Immediate"},
    {"AllowVolumeExpansion", "string", "", 0, "Whether volumes may grow", cell_bool, "allowVolumeExpansion", NULL},
    AGE,
    END,
};

static const struct column attribute_classes[] = {
    NAME,
    {"DriverName", "string", "", 0, "Driver of its volumes", cell_text, "driverName", NULL},
    AGE,
    END,
};

static const struct column revisions[] = {
    NAME,
    {"Controller", "string", "", 0, "Object whose template it keeps", cell_controller, NULL, "<none>"},
    {"Revision", "string", "", 0, "Number of the revision", cell_number, "revision", NULL},
    AGE,
    END,
};

static const struct column quotas[] = {
    NAME,
    {"Request", "string", "", 0, "What is used, and may be, of requests and objects", cell_quota_requests, NULL, NULL},
    {"Limit", "string", "", 0, "What is used, and may be, of limits", cell_quota_limits, NULL, NULL},
    AGE,
    END,
};

static const struct column priority_classes[] = {
    NAME,
    {"Value", "integer", "", 0, "Priority of its pods", cell_number, "value", NULL},
    {"Global-Default", "boolean", "", 0, "Whether pods without a class get it", cell_bool, "globalDefault", NULL},
    AGE,
    {"PreemptionPolicy", "string", "", 0, "Whether its pods may push out others", cell_text, "preemptionPolicy", NULL},
    END,
};

static const struct column runtime_classes[] = {
    NAME,
    {"Handler", "string", "", 0, "What runs its pods", cell_text, "handler", NULL},
    AGE,
    END,
};

static const struct column attachments[] = {
    NAME,
    {"Attacher", "string", "name", 0, "Driver that attaches", cell_text, "spec.attacher", NULL},
    {"PV", "string", "", 0, "Volume", cell_text, "spec.source.persistentVolumeName", NULL},
    {"Node", "string", "", 0, "Node that it is attached to", cell_text, "spec.nodeName", NULL},
    {"Attached", "boolean", "", 0, "Whether it is attached", cell_bool, "status.attached", NULL},
    AGE,
    END,
};

static const struct column slices[] = {
    NAME,
    {"AddressType", "string", "", 0, "Kind of addresses", cell_text, "addressType", NULL},
    {"Ports", "string", "", 0, "Ports of each endpoint", cell_slice_ports, NULL, "<unset>"},
    {"Endpoints", "string", "", 0, "Addresses behind the service", cell_slice_endpoints, NULL, "<unset>"},
    AGE,
    END,
};

static const struct column csi_nodes[] = {
    NAME,
    {"Drivers", "integer", "", 0, "Drivers on the node", cell_count, "spec.drivers", NULL},
    AGE,
    END,
};

static const struct column csi_drivers[] = {
    NAME,
    {"AttachRequired", "boolean", "", 0, "Whether volumes must be attached first", cell_bool, "spec.attachRequired", "true"},
    {"PodInfoOnMount", "boolean", "", 0, "Whether it is told about the pod", cell_bool, "spec.podInfoOnMount", NULL},
    {"StorageCapacity", "boolean", "", 0, "Whether it tells how much room there is", cell_bool, "spec.storageCapacity", NULL},
    {"TokenRequests", "string", "", 0, "Audiences of tokens that it gets", cell_audiences, "spec.tokenRequests", "<unset>"},
    {"RequiresRepublish", "boolean", "", 0, "Whether it is called again and again", cell_bool, "spec.requiresRepublish", NULL},
    {"Modes", "string", "", 0, "Kinds of volumes", cell_list, "spec.volumeLifecycleModes", "<none>"},
    AGE,
    END,
};

static const struct column addresses[] = {
    NAME,
    {"ParentRef", "string", "", 0, "Object that has the address", cell_address_parent, NULL, "<none>"},
    {NULL, "string", "", 0, "", cell_age, "metadata.creationTimestamp", NULL},
    END,
};

static const struct column cidrs[] = {
    NAME,
    {"CIDRs", "string", "", 0, "Ranges of addresses", cell_list, "spec.cidrs", NULL},
    AGE,
    END,
};

static const struct column scales[] = {
    {"Name", "string", "", 0, "Name of the object", cell_text, "metadata.name", NULL},
    {"Desired", "integer", "", 0, "Pods that are wanted", cell_number, "spec.replicas", NULL},
    {"Available", "integer", "", 0, "Pods that are there", cell_number, "status.replicas", NULL},
    AGE,
    END,
};

static const struct column definitions[] = {
    NAME,
    {"Scope", "string", "", 0, "Cluster or Namespaced", cell_text, "spec.scope", NULL},
    {"Versions", "string", "", 0, "Versions that are served", cell_definition_versions, NULL, NULL},
    {"Created At", "date", "", 0, "When it was made", cell_text, "metadata.creationTimestamp", NULL},
    {"Group", "string", "", 1, "Group of its objects", cell_text, "spec.group", NULL},
    {"Kind", "string", "", 1, "Kind of its objects", cell_text, "spec.names.kind", NULL},
    {"ShortNames", "string", "", 1, "Short names", cell_list, "spec.names.shortNames", NULL},
    {"Established", "boolean", "", 1, "Whether it is served", cell_definition_established, NULL, NULL},
    END,
};

static const struct column metrics[] = {
    NAME,
    {"cpu", "string", "quantity", 0, "Processors that it uses", cell_usage, "cpu", NULL},
    {"memory", "string", "quantity", 0, "Memory that it uses", cell_usage, "memory", NULL},
    {"window", "string", "duration", 0, "Span of time that was looked at", cell_text, "window", NULL},
    END,
};

const struct table_kind table_kinds[] = {
    {"", "Pod", pods},
    {"", "PodTemplate", pod_templates},
    {"policy", "PodDisruptionBudget", budgets},
    {"", "ReplicationController", replication_controllers},
    {"apps", "ReplicaSet", replica_sets},
    {"apps", "DaemonSet", daemon_sets},
    {"batch", "Job", jobs},
    {"batch", "CronJob", cron_jobs},
    {"", "Service", services},
    {"networking.k8s.io", "Ingress", ingresses},
    {"networking.k8s.io", "IngressClass", ingress_classes},
    {"apps", "StatefulSet", stateful_sets},
    {"", "Endpoints", endpoints},
    {"", "Node", nodes},
    {"", "Event", events},
    {"events.k8s.io", "Event", events},
    {"", "Namespace", namespaces},
    {"", "Secret", secrets},
    {"", "ServiceAccount", service_accounts},
    {"", "PersistentVolume", volumes},
    {"", "PersistentVolumeClaim", claims},
    {"", "ComponentStatus", components},
    {"apps", "Deployment", deployments},
    {"autoscaling", "HorizontalPodAutoscaler", autoscalers},
    {"", "ConfigMap", config_maps},
    {"networking.k8s.io", "NetworkPolicy", network_policies},
    {"rbac.authorization.k8s.io", "RoleBinding", role_bindings},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", role_bindings},
    {"coordination.k8s.io", "Lease", leases},
    {"storage.k8s.io", "StorageClass", storage_classes},
    {"storage.k8s.io", "VolumeAttributesClass", attribute_classes},
    {"apps", "ControllerRevision", revisions},
    {"", "ResourceQuota", quotas},
    {"scheduling.k8s.io", "PriorityClass", priority_classes},
    {"node.k8s.io", "RuntimeClass", runtime_classes},
    {"storage.k8s.io", "VolumeAttachment", attachments},
    {"discovery.k8s.io", "EndpointSlice", slices},
    {"storage.k8s.io", "CSINode", csi_nodes},
    {"storage.k8s.io", "CSIDriver", csi_drivers},
    {"networking.k8s.io", "IPAddress", addresses},
    {"networking.k8s.io", "ServiceCIDR", cidrs},
    {"autoscaling", "Scale", scales},
    {"apiextensions.k8s.io", "CustomResourceDefinition", definitions},
    {"metrics.k8s.io", "NodeMetrics", metrics},
    {"metrics.k8s.io", "PodMetrics", metrics},
    {.kind = NULL},
};
