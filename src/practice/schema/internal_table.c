/* Made by scripts/gen-internal-form from k8s.io/kubernetes and k8s.io/api. */
#include "practice/schema/internal_form.h"

#include <stddef.h>

static const struct form_field HostPathVolumeSource_fields[] = {
    {"Path", "path", FORM_TEXT, NULL},
    {"Type", "type", FORM_NIL, NULL},
    {0},
};

static const struct form_field EmptyDirVolumeSource_fields[] = {
    {"Medium", "medium", FORM_TEXT, NULL},
    {"SizeLimit", "sizeLimit", FORM_NIL, NULL},
    {"Mode", "mode", FORM_NIL, NULL},
    {0},
};

static const struct form_field GCEPersistentDiskVolumeSource_fields[] = {
    {"PDName", "pdName", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"Partition", "partition", FORM_NUMBER, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field AWSElasticBlockStoreVolumeSource_fields[] = {
    {"VolumeID", "volumeID", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"Partition", "partition", FORM_NUMBER, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field GitRepoVolumeSource_fields[] = {
    {"Repository", "repository", FORM_TEXT, NULL},
    {"Revision", "revision", FORM_TEXT, NULL},
    {"Directory", "directory", FORM_TEXT, NULL},
    {0},
};

static const struct form_field KeyToPath_fields[] = {
    {"Key", "key", FORM_TEXT, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"Mode", "mode", FORM_NIL, NULL},
    {"User", "user", FORM_NIL, NULL},
    {0},
};

static const struct form_field SecretVolumeSource_fields[] = {
    {"SecretName", "secretName", FORM_TEXT, NULL},
    {"Items", "items", FORM_NIL, KeyToPath_fields},
    {"DefaultMode", "defaultMode", FORM_NIL, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {"DefaultUser", "defaultUser", FORM_NIL, NULL},
    {0},
};

static const struct form_field NFSVolumeSource_fields[] = {
    {"Server", "server", FORM_TEXT, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field LocalObjectReference_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ISCSIVolumeSource_fields[] = {
    {"TargetPortal", "targetPortal", FORM_TEXT, NULL},
    {"IQN", "iqn", FORM_TEXT, NULL},
    {"Lun", "lun", FORM_NUMBER, NULL},
    {"ISCSIInterface", "iscsiInterface", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"Portals", "portals", FORM_NIL, NULL},
    {"DiscoveryCHAPAuth", "chapAuthDiscovery", FORM_BOOL, NULL},
    {"SessionCHAPAuth", "chapAuthSession", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {"InitiatorName", "initiatorName", FORM_NIL, NULL},
    {0},
};

static const struct form_field GlusterfsVolumeSource_fields[] = {
    {"EndpointsName", "endpoints", FORM_TEXT, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field PersistentVolumeClaimVolumeSource_fields[] = {
    {"ClaimName", "claimName", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field RBDVolumeSource_fields[] = {
    {"CephMonitors", "monitors", FORM_NIL, NULL},
    {"RBDImage", "image", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"RBDPool", "pool", FORM_TEXT, NULL},
    {"RadosUser", "user", FORM_TEXT, NULL},
    {"Keyring", "keyring", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field FlexVolumeSource_fields[] = {
    {"Driver", "driver", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"Options", "options", FORM_NIL, NULL},
    {0},
};

static const struct form_field CinderVolumeSource_fields[] = {
    {"VolumeID", "volumeID", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {0},
};

static const struct form_field CephFSVolumeSource_fields[] = {
    {"Monitors", "monitors", FORM_NIL, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"User", "user", FORM_TEXT, NULL},
    {"SecretFile", "secretFile", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field FlockerVolumeSource_fields[] = {
    {"DatasetName", "datasetName", FORM_TEXT, NULL},
    {"DatasetUUID", "datasetUUID", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ObjectFieldSelector_fields[] = {
    {"APIVersion", "apiVersion", FORM_TEXT, NULL},
    {"FieldPath", "fieldPath", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ResourceFieldSelector_fields[] = {
    {"ContainerName", "containerName", FORM_TEXT, NULL},
    {"Resource", "resource", FORM_TEXT, NULL},
    {"Divisor", "divisor", FORM_QUANTITY, NULL},
    {0},
};

static const struct form_field DownwardAPIVolumeFile_fields[] = {
    {"Path", "path", FORM_TEXT, NULL},
    {"FieldRef", "fieldRef", FORM_NIL, ObjectFieldSelector_fields},
    {"ResourceFieldRef", "resourceFieldRef", FORM_NIL, ResourceFieldSelector_fields},
    {"Mode", "mode", FORM_NIL, NULL},
    {"User", "user", FORM_NIL, NULL},
    {0},
};

static const struct form_field DownwardAPIVolumeSource_fields[] = {
    {"Items", "items", FORM_NIL, DownwardAPIVolumeFile_fields},
    {"DefaultMode", "defaultMode", FORM_NIL, NULL},
    {"DefaultUser", "defaultUser", FORM_NIL, NULL},
    {0},
};

static const struct form_field FCVolumeSource_fields[] = {
    {"TargetWWNs", "targetWWNs", FORM_NIL, NULL},
    {"Lun", "lun", FORM_NIL, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"WWIDs", "wwids", FORM_NIL, NULL},
    {0},
};

static const struct form_field AzureFileVolumeSource_fields[] = {
    {"SecretName", "secretName", FORM_TEXT, NULL},
    {"ShareName", "shareName", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field ConfigMapVolumeSource_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Items", "items", FORM_NIL, KeyToPath_fields},
    {"DefaultMode", "defaultMode", FORM_NIL, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {"DefaultUser", "defaultUser", FORM_NIL, NULL},
    {0},
};

static const struct form_field VsphereVirtualDiskVolumeSource_fields[] = {
    {"VolumePath", "volumePath", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"StoragePolicyName", "storagePolicyName", FORM_TEXT, NULL},
    {"StoragePolicyID", "storagePolicyID", FORM_TEXT, NULL},
    {0},
};

static const struct form_field QuobyteVolumeSource_fields[] = {
    {"Registry", "registry", FORM_TEXT, NULL},
    {"Volume", "volume", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"User", "user", FORM_TEXT, NULL},
    {"Group", "group", FORM_TEXT, NULL},
    {"Tenant", "tenant", FORM_TEXT, NULL},
    {0},
};

static const struct form_field AzureDiskVolumeSource_fields[] = {
    {"DiskName", "diskName", FORM_TEXT, NULL},
    {"DataDiskURI", "diskURI", FORM_TEXT, NULL},
    {"CachingMode", "cachingMode", FORM_NIL, NULL},
    {"FSType", "fsType", FORM_NIL, NULL},
    {"ReadOnly", "readOnly", FORM_NIL, NULL},
    {"Kind", "kind", FORM_NIL, NULL},
    {0},
};

static const struct form_field PhotonPersistentDiskVolumeSource_fields[] = {
    {"PdID", "pdID", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {0},
};

static const struct form_field SecretProjection_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Items", "items", FORM_NIL, KeyToPath_fields},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field DownwardAPIProjection_fields[] = {
    {"Items", "items", FORM_NIL, DownwardAPIVolumeFile_fields},
    {0},
};

static const struct form_field ConfigMapProjection_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Items", "items", FORM_NIL, KeyToPath_fields},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field ServiceAccountTokenProjection_fields[] = {
    {"Audience", "audience", FORM_TEXT, NULL},
    {"ExpirationSeconds", "expirationSeconds", FORM_NIL, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"User", "user", FORM_NIL, NULL},
    {0},
};

static const struct form_field ClusterTrustBundleProjection_fields[] = {
    {"Name", "name", FORM_NIL, NULL},
    {"SignerName", "signerName", FORM_NIL, NULL},
    {"LabelSelector", "labelSelector", FORM_NIL, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"User", "user", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodCertificateProjection_fields[] = {
    {"SignerName", "signerName", FORM_TEXT, NULL},
    {"KeyType", "keyType", FORM_TEXT, NULL},
    {"MaxExpirationSeconds", "maxExpirationSeconds", FORM_NIL, NULL},
    {"CredentialBundlePath", "credentialBundlePath", FORM_TEXT, NULL},
    {"KeyPath", "keyPath", FORM_TEXT, NULL},
    {"CertificateChainPath", "certificateChainPath", FORM_TEXT, NULL},
    {"UserAnnotations", "userAnnotations", FORM_NIL, NULL},
    {"User", "user", FORM_NIL, NULL},
    {0},
};

static const struct form_field VolumeProjection_fields[] = {
    {"Secret", "secret", FORM_NIL, SecretProjection_fields},
    {"DownwardAPI", "downwardAPI", FORM_NIL, DownwardAPIProjection_fields},
    {"ConfigMap", "configMap", FORM_NIL, ConfigMapProjection_fields},
    {"ServiceAccountToken", "serviceAccountToken", FORM_NIL, ServiceAccountTokenProjection_fields},
    {"ClusterTrustBundle", "clusterTrustBundle", FORM_NIL, ClusterTrustBundleProjection_fields},
    {"PodCertificate", "podCertificate", FORM_NIL, PodCertificateProjection_fields},
    {0},
};

static const struct form_field ProjectedVolumeSource_fields[] = {
    {"Sources", "sources", FORM_NIL, VolumeProjection_fields},
    {"DefaultMode", "defaultMode", FORM_NIL, NULL},
    {"DefaultUser", "defaultUser", FORM_NIL, NULL},
    {0},
};

static const struct form_field PortworxVolumeSource_fields[] = {
    {"VolumeID", "volumeID", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field ScaleIOVolumeSource_fields[] = {
    {"Gateway", "gateway", FORM_TEXT, NULL},
    {"System", "system", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {"SSLEnabled", "sslEnabled", FORM_BOOL, NULL},
    {"ProtectionDomain", "protectionDomain", FORM_TEXT, NULL},
    {"StoragePool", "storagePool", FORM_TEXT, NULL},
    {"StorageMode", "storageMode", FORM_TEXT, NULL},
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field StorageOSVolumeSource_fields[] = {
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"VolumeNamespace", "volumeNamespace", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, LocalObjectReference_fields},
    {0},
};

static const struct form_field CSIVolumeSource_fields[] = {
    {"Driver", "driver", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_NIL, NULL},
    {"FSType", "fsType", FORM_NIL, NULL},
    {"VolumeAttributes", "volumeAttributes", FORM_NIL, NULL},
    {"NodePublishSecretRef", "nodePublishSecretRef", FORM_NIL, LocalObjectReference_fields},
    {0},
};

static const struct form_field VolumeResourceRequirements_fields[] = {
    {"Limits", "limits", FORM_NIL, NULL},
    {"Requests", "requests", FORM_NIL, NULL},
    {0},
};

static const struct form_field TypedLocalObjectReference_fields[] = {
    {"APIGroup", "apiGroup", FORM_NIL, NULL},
    {"Kind", "kind", FORM_TEXT, NULL},
    {"Name", "name", FORM_TEXT, NULL},
    {0},
};

static const struct form_field TypedObjectReference_fields[] = {
    {"APIGroup", "apiGroup", FORM_NIL, NULL},
    {"Kind", "kind", FORM_TEXT, NULL},
    {"Name", "name", FORM_TEXT, NULL},
    {"Namespace", "namespace", FORM_NIL, NULL},
    {0},
};

static const struct form_field PersistentVolumeClaimSpec_fields[] = {
    {"AccessModes", "accessModes", FORM_NIL, NULL},
    {"Selector", "selector", FORM_NIL, NULL},
    {"Resources", "resources", FORM_STRUCT, VolumeResourceRequirements_fields},
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"StorageClassName", "storageClassName", FORM_NIL, NULL},
    {"VolumeMode", "volumeMode", FORM_NIL, NULL},
    {"DataSource", "dataSource", FORM_NIL, TypedLocalObjectReference_fields},
    {"DataSourceRef", "dataSourceRef", FORM_NIL, TypedObjectReference_fields},
    {"VolumeAttributesClassName", "volumeAttributesClassName", FORM_NIL, NULL},
    {0},
};

static const struct form_field PersistentVolumeClaimTemplate_fields[] = {
    {"", "metadata", FORM_INLINE, NULL},
    {"Spec", "spec", FORM_STRUCT, PersistentVolumeClaimSpec_fields},
    {0},
};

static const struct form_field EphemeralVolumeSource_fields[] = {
    {"VolumeClaimTemplate", "volumeClaimTemplate", FORM_NIL, PersistentVolumeClaimTemplate_fields},
    {0},
};

static const struct form_field ImageVolumeSource_fields[] = {
    {"Reference", "reference", FORM_TEXT, NULL},
    {"PullPolicy", "pullPolicy", FORM_TEXT, NULL},
    {0},
};

static const struct form_field Volume_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"HostPath", "hostPath", FORM_NIL, HostPathVolumeSource_fields},
    {"EmptyDir", "emptyDir", FORM_NIL, EmptyDirVolumeSource_fields},
    {"GCEPersistentDisk", "gcePersistentDisk", FORM_NIL, GCEPersistentDiskVolumeSource_fields},
    {"AWSElasticBlockStore", "awsElasticBlockStore", FORM_NIL, AWSElasticBlockStoreVolumeSource_fields},
    {"GitRepo", "gitRepo", FORM_NIL, GitRepoVolumeSource_fields},
    {"Secret", "secret", FORM_NIL, SecretVolumeSource_fields},
    {"NFS", "nfs", FORM_NIL, NFSVolumeSource_fields},
    {"ISCSI", "iscsi", FORM_NIL, ISCSIVolumeSource_fields},
    {"Glusterfs", "glusterfs", FORM_NIL, GlusterfsVolumeSource_fields},
    {"PersistentVolumeClaim", "persistentVolumeClaim", FORM_NIL, PersistentVolumeClaimVolumeSource_fields},
    {"RBD", "rbd", FORM_NIL, RBDVolumeSource_fields},
    {"FlexVolume", "flexVolume", FORM_NIL, FlexVolumeSource_fields},
    {"Cinder", "cinder", FORM_NIL, CinderVolumeSource_fields},
    {"CephFS", "cephfs", FORM_NIL, CephFSVolumeSource_fields},
    {"Flocker", "flocker", FORM_NIL, FlockerVolumeSource_fields},
    {"DownwardAPI", "downwardAPI", FORM_NIL, DownwardAPIVolumeSource_fields},
    {"FC", "fc", FORM_NIL, FCVolumeSource_fields},
    {"AzureFile", "azureFile", FORM_NIL, AzureFileVolumeSource_fields},
    {"ConfigMap", "configMap", FORM_NIL, ConfigMapVolumeSource_fields},
    {"VsphereVolume", "vsphereVolume", FORM_NIL, VsphereVirtualDiskVolumeSource_fields},
    {"Quobyte", "quobyte", FORM_NIL, QuobyteVolumeSource_fields},
    {"AzureDisk", "azureDisk", FORM_NIL, AzureDiskVolumeSource_fields},
    {"PhotonPersistentDisk", "photonPersistentDisk", FORM_NIL, PhotonPersistentDiskVolumeSource_fields},
    {"Projected", "projected", FORM_NIL, ProjectedVolumeSource_fields},
    {"PortworxVolume", "portworxVolume", FORM_NIL, PortworxVolumeSource_fields},
    {"ScaleIO", "scaleIO", FORM_NIL, ScaleIOVolumeSource_fields},
    {"StorageOS", "storageos", FORM_NIL, StorageOSVolumeSource_fields},
    {"CSI", "csi", FORM_NIL, CSIVolumeSource_fields},
    {"Ephemeral", "ephemeral", FORM_NIL, EphemeralVolumeSource_fields},
    {"Image", "image", FORM_NIL, ImageVolumeSource_fields},
    {0},
};

static const struct form_field ContainerPort_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"HostPort", "hostPort", FORM_NUMBER, NULL},
    {"ContainerPort", "containerPort", FORM_NUMBER, NULL},
    {"Protocol", "protocol", FORM_TEXT, NULL},
    {"HostIP", "hostIP", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ConfigMapEnvSource_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field SecretEnvSource_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field EnvFromSource_fields[] = {
    {"Prefix", "prefix", FORM_TEXT, NULL},
    {"ConfigMapRef", "configMapRef", FORM_NIL, ConfigMapEnvSource_fields},
    {"SecretRef", "secretRef", FORM_NIL, SecretEnvSource_fields},
    {0},
};

static const struct form_field ConfigMapKeySelector_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Key", "key", FORM_TEXT, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field SecretKeySelector_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Key", "key", FORM_TEXT, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field FileKeySelector_fields[] = {
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"Key", "key", FORM_TEXT, NULL},
    {"Optional", "optional", FORM_NIL, NULL},
    {0},
};

static const struct form_field EnvVarSource_fields[] = {
    {"FieldRef", "fieldRef", FORM_NIL, ObjectFieldSelector_fields},
    {"ResourceFieldRef", "resourceFieldRef", FORM_NIL, ResourceFieldSelector_fields},
    {"ConfigMapKeyRef", "configMapKeyRef", FORM_NIL, ConfigMapKeySelector_fields},
    {"SecretKeyRef", "secretKeyRef", FORM_NIL, SecretKeySelector_fields},
    {"FileKeyRef", "fileKeyRef", FORM_NIL, FileKeySelector_fields},
    {0},
};

static const struct form_field EnvVar_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Value", "value", FORM_TEXT, NULL},
    {"ValueFrom", "valueFrom", FORM_NIL, EnvVarSource_fields},
    {0},
};

static const struct form_field ResourceClaim_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Request", "request", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ResourceRequirements_fields[] = {
    {"Limits", "limits", FORM_NIL, NULL},
    {"Requests", "requests", FORM_NIL, NULL},
    {"Claims", "claims", FORM_NIL, ResourceClaim_fields},
    {0},
};

static const struct form_field ContainerResizePolicy_fields[] = {
    {"ResourceName", "resourceName", FORM_TEXT, NULL},
    {"RestartPolicy", "restartPolicy", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ContainerRestartRuleOnExitCodes_fields[] = {
    {"Operator", "operator", FORM_TEXT, NULL},
    {"Values", "values", FORM_NIL, NULL},
    {0},
};

static const struct form_field ContainerRestartRule_fields[] = {
    {"Action", "action", FORM_TEXT, NULL},
    {"ExitCodes", "exitCodes", FORM_NIL, ContainerRestartRuleOnExitCodes_fields},
    {0},
};

static const struct form_field VolumeMount_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"RecursiveReadOnly", "recursiveReadOnly", FORM_NIL, NULL},
    {"MountPath", "mountPath", FORM_TEXT, NULL},
    {"SubPath", "subPath", FORM_TEXT, NULL},
    {"MountPropagation", "mountPropagation", FORM_NIL, NULL},
    {"SubPathExpr", "subPathExpr", FORM_TEXT, NULL},
    {"BindMountOptions", "bindMountOptions", FORM_NIL, NULL},
    {0},
};

static const struct form_field VolumeDevice_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"DevicePath", "devicePath", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ExecAction_fields[] = {
    {"Command", "command", FORM_NIL, NULL},
    {0},
};

static const struct form_field HTTPHeader_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Value", "value", FORM_TEXT, NULL},
    {0},
};

static const struct form_field HTTPGetAction_fields[] = {
    {"Path", "path", FORM_TEXT, NULL},
    {"Port", "port", FORM_NUMBER, NULL},
    {"Host", "host", FORM_TEXT, NULL},
    {"Scheme", "scheme", FORM_TEXT, NULL},
    {"HTTPHeaders", "httpHeaders", FORM_NIL, HTTPHeader_fields},
    {"Protocol", "protocol", FORM_NIL, NULL},
    {0},
};

static const struct form_field TCPSocketAction_fields[] = {
    {"Port", "port", FORM_NUMBER, NULL},
    {"Host", "host", FORM_TEXT, NULL},
    {0},
};

static const struct form_field GRPCAction_fields[] = {
    {"Port", "port", FORM_NUMBER, NULL},
    {"Service", "service", FORM_NIL, NULL},
    {"Mode", "mode", FORM_NIL, NULL},
    {0},
};

static const struct form_field Probe_fields[] = {
    {"Exec", "exec", FORM_NIL, ExecAction_fields},
    {"HTTPGet", "httpGet", FORM_NIL, HTTPGetAction_fields},
    {"TCPSocket", "tcpSocket", FORM_NIL, TCPSocketAction_fields},
    {"GRPC", "grpc", FORM_NIL, GRPCAction_fields},
    {"InitialDelaySeconds", "initialDelaySeconds", FORM_NUMBER, NULL},
    {"TimeoutSeconds", "timeoutSeconds", FORM_NUMBER, NULL},
    {"PeriodSeconds", "periodSeconds", FORM_NUMBER, NULL},
    {"SuccessThreshold", "successThreshold", FORM_NUMBER, NULL},
    {"FailureThreshold", "failureThreshold", FORM_NUMBER, NULL},
    {"TerminationGracePeriodSeconds", "terminationGracePeriodSeconds", FORM_NIL, NULL},
    {0},
};

static const struct form_field SleepAction_fields[] = {
    {"Seconds", "seconds", FORM_NUMBER, NULL},
    {0},
};

static const struct form_field LifecycleHandler_fields[] = {
    {"Exec", "exec", FORM_NIL, ExecAction_fields},
    {"HTTPGet", "httpGet", FORM_NIL, HTTPGetAction_fields},
    {"TCPSocket", "tcpSocket", FORM_NIL, TCPSocketAction_fields},
    {"Sleep", "sleep", FORM_NIL, SleepAction_fields},
    {0},
};

static const struct form_field Lifecycle_fields[] = {
    {"PostStart", "postStart", FORM_NIL, LifecycleHandler_fields},
    {"PreStop", "preStop", FORM_NIL, LifecycleHandler_fields},
    {"StopSignal", "stopSignal", FORM_NIL, NULL},
    {0},
};

static const struct form_field Capabilities_fields[] = {
    {"Add", "add", FORM_NIL, NULL},
    {"Drop", "drop", FORM_NIL, NULL},
    {0},
};

static const struct form_field SELinuxOptions_fields[] = {
    {"User", "user", FORM_TEXT, NULL},
    {"Role", "role", FORM_TEXT, NULL},
    {"Type", "type", FORM_TEXT, NULL},
    {"Level", "level", FORM_TEXT, NULL},
    {0},
};

static const struct form_field WindowsSecurityContextOptions_fields[] = {
    {"GMSACredentialSpecName", "gmsaCredentialSpecName", FORM_NIL, NULL},
    {"GMSACredentialSpec", "gmsaCredentialSpec", FORM_NIL, NULL},
    {"RunAsUserName", "runAsUserName", FORM_NIL, NULL},
    {"HostProcess", "hostProcess", FORM_NIL, NULL},
    {0},
};

static const struct form_field SeccompProfile_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"LocalhostProfile", "localhostProfile", FORM_NIL, NULL},
    {0},
};

static const struct form_field AppArmorProfile_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"LocalhostProfile", "localhostProfile", FORM_NIL, NULL},
    {0},
};

static const struct form_field SecurityContext_fields[] = {
    {"Capabilities", "capabilities", FORM_NIL, Capabilities_fields},
    {"Privileged", "privileged", FORM_NIL, NULL},
    {"SELinuxOptions", "seLinuxOptions", FORM_NIL, SELinuxOptions_fields},
    {"WindowsOptions", "windowsOptions", FORM_NIL, WindowsSecurityContextOptions_fields},
    {"RunAsUser", "runAsUser", FORM_NIL, NULL},
    {"RunAsGroup", "runAsGroup", FORM_NIL, NULL},
    {"RunAsNonRoot", "runAsNonRoot", FORM_NIL, NULL},
    {"ReadOnlyRootFilesystem", "readOnlyRootFilesystem", FORM_NIL, NULL},
    {"AllowPrivilegeEscalation", "allowPrivilegeEscalation", FORM_NIL, NULL},
    {"ProcMount", "procMount", FORM_NIL, NULL},
    {"SeccompProfile", "seccompProfile", FORM_NIL, SeccompProfile_fields},
    {"AppArmorProfile", "appArmorProfile", FORM_NIL, AppArmorProfile_fields},
    {0},
};

static const struct form_field Container_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Image", "image", FORM_TEXT, NULL},
    {"Command", "command", FORM_NIL, NULL},
    {"Args", "args", FORM_NIL, NULL},
    {"WorkingDir", "workingDir", FORM_TEXT, NULL},
    {"Ports", "ports", FORM_NIL, ContainerPort_fields},
    {"EnvFrom", "envFrom", FORM_NIL, EnvFromSource_fields},
    {"Env", "env", FORM_NIL, EnvVar_fields},
    {"Resources", "resources", FORM_STRUCT, ResourceRequirements_fields},
    {"ResizePolicy", "resizePolicy", FORM_NIL, ContainerResizePolicy_fields},
    {"RestartPolicy", "restartPolicy", FORM_NIL, NULL},
    {"RestartPolicyRules", "restartPolicyRules", FORM_NIL, ContainerRestartRule_fields},
    {"VolumeMounts", "volumeMounts", FORM_NIL, VolumeMount_fields},
    {"VolumeDevices", "volumeDevices", FORM_NIL, VolumeDevice_fields},
    {"LivenessProbe", "livenessProbe", FORM_NIL, Probe_fields},
    {"ReadinessProbe", "readinessProbe", FORM_NIL, Probe_fields},
    {"StartupProbe", "startupProbe", FORM_NIL, Probe_fields},
    {"Lifecycle", "lifecycle", FORM_NIL, Lifecycle_fields},
    {"TerminationMessagePath", "terminationMessagePath", FORM_TEXT, NULL},
    {"TerminationMessagePolicy", "terminationMessagePolicy", FORM_TEXT, NULL},
    {"ImagePullPolicy", "imagePullPolicy", FORM_TEXT, NULL},
    {"SecurityContext", "securityContext", FORM_NIL, SecurityContext_fields},
    {"Stdin", "stdin", FORM_BOOL, NULL},
    {"StdinOnce", "stdinOnce", FORM_BOOL, NULL},
    {"TTY", "tty", FORM_BOOL, NULL},
    {0},
};

static const struct form_field EphemeralContainer_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Image", "image", FORM_TEXT, NULL},
    {"Command", "command", FORM_NIL, NULL},
    {"Args", "args", FORM_NIL, NULL},
    {"WorkingDir", "workingDir", FORM_TEXT, NULL},
    {"Ports", "ports", FORM_NIL, ContainerPort_fields},
    {"EnvFrom", "envFrom", FORM_NIL, EnvFromSource_fields},
    {"Env", "env", FORM_NIL, EnvVar_fields},
    {"Resources", "resources", FORM_STRUCT, ResourceRequirements_fields},
    {"ResizePolicy", "resizePolicy", FORM_NIL, ContainerResizePolicy_fields},
    {"RestartPolicy", "restartPolicy", FORM_NIL, NULL},
    {"RestartPolicyRules", "restartPolicyRules", FORM_NIL, ContainerRestartRule_fields},
    {"VolumeMounts", "volumeMounts", FORM_NIL, VolumeMount_fields},
    {"VolumeDevices", "volumeDevices", FORM_NIL, VolumeDevice_fields},
    {"LivenessProbe", "livenessProbe", FORM_NIL, Probe_fields},
    {"ReadinessProbe", "readinessProbe", FORM_NIL, Probe_fields},
    {"StartupProbe", "startupProbe", FORM_NIL, Probe_fields},
    {"Lifecycle", "lifecycle", FORM_NIL, Lifecycle_fields},
    {"TerminationMessagePath", "terminationMessagePath", FORM_TEXT, NULL},
    {"TerminationMessagePolicy", "terminationMessagePolicy", FORM_TEXT, NULL},
    {"ImagePullPolicy", "imagePullPolicy", FORM_TEXT, NULL},
    {"SecurityContext", "securityContext", FORM_NIL, SecurityContext_fields},
    {"Stdin", "stdin", FORM_BOOL, NULL},
    {"StdinOnce", "stdinOnce", FORM_BOOL, NULL},
    {"TTY", "tty", FORM_BOOL, NULL},
    {"TargetContainerName", "targetContainerName", FORM_TEXT, NULL},
    {0},
};

static const struct form_field Sysctl_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Value", "value", FORM_TEXT, NULL},
    {0},
};

static const struct form_field PodSecurityContext_fields[] = {
    {"SELinuxOptions", "seLinuxOptions", FORM_NIL, SELinuxOptions_fields},
    {"WindowsOptions", "windowsOptions", FORM_NIL, WindowsSecurityContextOptions_fields},
    {"RunAsUser", "runAsUser", FORM_NIL, NULL},
    {"RunAsGroup", "runAsGroup", FORM_NIL, NULL},
    {"RunAsNonRoot", "runAsNonRoot", FORM_NIL, NULL},
    {"SupplementalGroups", "supplementalGroups", FORM_NIL, NULL},
    {"SupplementalGroupsPolicy", "supplementalGroupsPolicy", FORM_NIL, NULL},
    {"FSGroup", "fsGroup", FORM_NIL, NULL},
    {"Sysctls", "sysctls", FORM_NIL, Sysctl_fields},
    {"FSGroupChangePolicy", "fsGroupChangePolicy", FORM_NIL, NULL},
    {"SeccompProfile", "seccompProfile", FORM_NIL, SeccompProfile_fields},
    {"AppArmorProfile", "appArmorProfile", FORM_NIL, AppArmorProfile_fields},
    {"SELinuxChangePolicy", "seLinuxChangePolicy", FORM_NIL, NULL},
    {0},
};

static const struct form_field NodeSelectorRequirement_fields[] = {
    {"Key", "key", FORM_TEXT, NULL},
    {"Operator", "operator", FORM_TEXT, NULL},
    {"Values", "values", FORM_NIL, NULL},
    {0},
};

static const struct form_field NodeSelectorTerm_fields[] = {
    {"MatchExpressions", "matchExpressions", FORM_NIL, NodeSelectorRequirement_fields},
    {"MatchFields", "matchFields", FORM_NIL, NodeSelectorRequirement_fields},
    {0},
};

static const struct form_field NodeSelector_fields[] = {
    {"NodeSelectorTerms", "nodeSelectorTerms", FORM_NIL, NodeSelectorTerm_fields},
    {0},
};

static const struct form_field PreferredSchedulingTerm_fields[] = {
    {"Weight", "weight", FORM_NUMBER, NULL},
    {"Preference", "preference", FORM_STRUCT, NodeSelectorTerm_fields},
    {0},
};

static const struct form_field NodeAffinity_fields[] = {
    {"RequiredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution", FORM_NIL, NodeSelector_fields},
    {"PreferredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution", FORM_NIL, PreferredSchedulingTerm_fields},
    {0},
};

static const struct form_field PodAffinityTerm_fields[] = {
    {"LabelSelector", "labelSelector", FORM_NIL, NULL},
    {"Namespaces", "namespaces", FORM_NIL, NULL},
    {"TopologyKey", "topologyKey", FORM_TEXT, NULL},
    {"NamespaceSelector", "namespaceSelector", FORM_NIL, NULL},
    {"MatchLabelKeys", "matchLabelKeys", FORM_NIL, NULL},
    {"MismatchLabelKeys", "mismatchLabelKeys", FORM_NIL, NULL},
    {0},
};

static const struct form_field WeightedPodAffinityTerm_fields[] = {
    {"Weight", "weight", FORM_NUMBER, NULL},
    {"PodAffinityTerm", "podAffinityTerm", FORM_STRUCT, PodAffinityTerm_fields},
    {0},
};

static const struct form_field PodAffinity_fields[] = {
    {"RequiredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution", FORM_NIL, PodAffinityTerm_fields},
    {"PreferredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution", FORM_NIL, WeightedPodAffinityTerm_fields},
    {0},
};

static const struct form_field PodAntiAffinity_fields[] = {
    {"RequiredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution", FORM_NIL, PodAffinityTerm_fields},
    {"PreferredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution", FORM_NIL, WeightedPodAffinityTerm_fields},
    {0},
};

static const struct form_field Affinity_fields[] = {
    {"NodeAffinity", "nodeAffinity", FORM_NIL, NodeAffinity_fields},
    {"PodAffinity", "podAffinity", FORM_NIL, PodAffinity_fields},
    {"PodAntiAffinity", "podAntiAffinity", FORM_NIL, PodAntiAffinity_fields},
    {0},
};

static const struct form_field Toleration_fields[] = {
    {"Key", "key", FORM_TEXT, NULL},
    {"Operator", "operator", FORM_TEXT, NULL},
    {"Value", "value", FORM_TEXT, NULL},
    {"Effect", "effect", FORM_TEXT, NULL},
    {"TolerationSeconds", "tolerationSeconds", FORM_NIL, NULL},
    {0},
};

static const struct form_field HostAlias_fields[] = {
    {"IP", "ip", FORM_TEXT, NULL},
    {"Hostnames", "hostnames", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodDNSConfigOption_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Value", "value", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodDNSConfig_fields[] = {
    {"Nameservers", "nameservers", FORM_NIL, NULL},
    {"Searches", "searches", FORM_NIL, NULL},
    {"Options", "options", FORM_NIL, PodDNSConfigOption_fields},
    {0},
};

static const struct form_field PodReadinessGate_fields[] = {
    {"ConditionType", "conditionType", FORM_TEXT, NULL},
    {0},
};

static const struct form_field TopologySpreadConstraint_fields[] = {
    {"MaxSkew", "maxSkew", FORM_NUMBER, NULL},
    {"TopologyKey", "topologyKey", FORM_TEXT, NULL},
    {"WhenUnsatisfiable", "whenUnsatisfiable", FORM_TEXT, NULL},
    {"LabelSelector", "labelSelector", FORM_NIL, NULL},
    {"MinDomains", "minDomains", FORM_NIL, NULL},
    {"NodeAffinityPolicy", "nodeAffinityPolicy", FORM_NIL, NULL},
    {"NodeTaintsPolicy", "nodeTaintsPolicy", FORM_NIL, NULL},
    {"MatchLabelKeys", "matchLabelKeys", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodOS_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {0},
};

static const struct form_field PodSchedulingGate_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {0},
};

static const struct form_field PodResourceClaim_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"ResourceClaimName", "resourceClaimName", FORM_NIL, NULL},
    {"ResourceClaimTemplateName", "resourceClaimTemplateName", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodSchedulingGroup_fields[] = {
    {"PodGroupName", "podGroupName", FORM_NIL, NULL},
    {0},
};

static const struct form_field EvictionResponder_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Priority", "priority", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodSpec_fields[] = {
    {"Volumes", "volumes", FORM_NIL, Volume_fields},
    {"InitContainers", "initContainers", FORM_NIL, Container_fields},
    {"Containers", "containers", FORM_NIL, Container_fields},
    {"EphemeralContainers", "ephemeralContainers", FORM_NIL, EphemeralContainer_fields},
    {"RestartPolicy", "restartPolicy", FORM_TEXT, NULL},
    {"TerminationGracePeriodSeconds", "terminationGracePeriodSeconds", FORM_NIL, NULL},
    {"ActiveDeadlineSeconds", "activeDeadlineSeconds", FORM_NIL, NULL},
    {"DNSPolicy", "dnsPolicy", FORM_TEXT, NULL},
    {"NodeSelector", "nodeSelector", FORM_NIL, NULL},
    {"ServiceAccountName", "serviceAccountName", FORM_TEXT, NULL},
    {"DeprecatedServiceAccount", "serviceAccount", FORM_TEXT, NULL},
    {"AutomountServiceAccountToken", "automountServiceAccountToken", FORM_NIL, NULL},
    {"NodeName", "nodeName", FORM_TEXT, NULL},
    {"HostNetwork", "hostNetwork", FORM_BOOL, NULL},
    {"HostPID", "hostPID", FORM_BOOL, NULL},
    {"HostIPC", "hostIPC", FORM_BOOL, NULL},
    {"ShareProcessNamespace", "shareProcessNamespace", FORM_NIL, NULL},
    {"SecurityContext", "securityContext", FORM_NIL, PodSecurityContext_fields},
    {"ImagePullSecrets", "imagePullSecrets", FORM_NIL, LocalObjectReference_fields},
    {"Hostname", "hostname", FORM_TEXT, NULL},
    {"Subdomain", "subdomain", FORM_TEXT, NULL},
    {"Affinity", "affinity", FORM_NIL, Affinity_fields},
    {"SchedulerName", "schedulerName", FORM_TEXT, NULL},
    {"Tolerations", "tolerations", FORM_NIL, Toleration_fields},
    {"HostAliases", "hostAliases", FORM_NIL, HostAlias_fields},
    {"PriorityClassName", "priorityClassName", FORM_TEXT, NULL},
    {"Priority", "priority", FORM_NIL, NULL},
    {"DNSConfig", "dnsConfig", FORM_NIL, PodDNSConfig_fields},
    {"ReadinessGates", "readinessGates", FORM_NIL, PodReadinessGate_fields},
    {"RuntimeClassName", "runtimeClassName", FORM_NIL, NULL},
    {"EnableServiceLinks", "enableServiceLinks", FORM_NIL, NULL},
    {"PreemptionPolicy", "preemptionPolicy", FORM_NIL, NULL},
    {"Overhead", "overhead", FORM_NIL, NULL},
    {"TopologySpreadConstraints", "topologySpreadConstraints", FORM_NIL, TopologySpreadConstraint_fields},
    {"SetHostnameAsFQDN", "setHostnameAsFQDN", FORM_NIL, NULL},
    {"OS", "os", FORM_NIL, PodOS_fields},
    {"HostUsers", "hostUsers", FORM_NIL, NULL},
    {"SchedulingGates", "schedulingGates", FORM_NIL, PodSchedulingGate_fields},
    {"ResourceClaims", "resourceClaims", FORM_NIL, PodResourceClaim_fields},
    {"Resources", "resources", FORM_NIL, ResourceRequirements_fields},
    {"HostnameOverride", "hostnameOverride", FORM_NIL, NULL},
    {"SchedulingGroup", "schedulingGroup", FORM_NIL, PodSchedulingGroup_fields},
    {"EvictionResponders", "evictionResponders", FORM_NIL, EvictionResponder_fields},
    {0},
};

static const struct form_field PodTemplateSpec_fields[] = {
    {"", "metadata", FORM_INLINE, NULL},
    {"Spec", "spec", FORM_STRUCT, PodSpec_fields},
    {0},
};

static const struct form_field GlusterfsPersistentVolumeSource_fields[] = {
    {"EndpointsName", "endpoints", FORM_TEXT, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"EndpointsNamespace", "endpointsNamespace", FORM_NIL, NULL},
    {0},
};

static const struct form_field SecretReference_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Namespace", "namespace", FORM_TEXT, NULL},
    {0},
};

static const struct form_field RBDPersistentVolumeSource_fields[] = {
    {"CephMonitors", "monitors", FORM_NIL, NULL},
    {"RBDImage", "image", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"RBDPool", "pool", FORM_TEXT, NULL},
    {"RadosUser", "user", FORM_TEXT, NULL},
    {"Keyring", "keyring", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field ISCSIPersistentVolumeSource_fields[] = {
    {"TargetPortal", "targetPortal", FORM_TEXT, NULL},
    {"IQN", "iqn", FORM_TEXT, NULL},
    {"Lun", "lun", FORM_NUMBER, NULL},
    {"ISCSIInterface", "iscsiInterface", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"Portals", "portals", FORM_NIL, NULL},
    {"DiscoveryCHAPAuth", "chapAuthDiscovery", FORM_BOOL, NULL},
    {"SessionCHAPAuth", "chapAuthSession", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {"InitiatorName", "initiatorName", FORM_NIL, NULL},
    {0},
};

static const struct form_field CinderPersistentVolumeSource_fields[] = {
    {"VolumeID", "volumeID", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {0},
};

static const struct form_field CephFSPersistentVolumeSource_fields[] = {
    {"Monitors", "monitors", FORM_NIL, NULL},
    {"Path", "path", FORM_TEXT, NULL},
    {"User", "user", FORM_TEXT, NULL},
    {"SecretFile", "secretFile", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field FlexPersistentVolumeSource_fields[] = {
    {"Driver", "driver", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"Options", "options", FORM_NIL, NULL},
    {0},
};

static const struct form_field AzureFilePersistentVolumeSource_fields[] = {
    {"SecretName", "secretName", FORM_TEXT, NULL},
    {"ShareName", "shareName", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"SecretNamespace", "secretNamespace", FORM_NIL, NULL},
    {0},
};

static const struct form_field ScaleIOPersistentVolumeSource_fields[] = {
    {"Gateway", "gateway", FORM_TEXT, NULL},
    {"System", "system", FORM_TEXT, NULL},
    {"SecretRef", "secretRef", FORM_NIL, SecretReference_fields},
    {"SSLEnabled", "sslEnabled", FORM_BOOL, NULL},
    {"ProtectionDomain", "protectionDomain", FORM_TEXT, NULL},
    {"StoragePool", "storagePool", FORM_TEXT, NULL},
    {"StorageMode", "storageMode", FORM_TEXT, NULL},
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {0},
};

static const struct form_field LocalVolumeSource_fields[] = {
    {"Path", "path", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_NIL, NULL},
    {0},
};

static const struct form_field ObjectReference_fields[] = {
    {"Kind", "kind", FORM_TEXT, NULL},
    {"Namespace", "namespace", FORM_TEXT, NULL},
    {"Name", "name", FORM_TEXT, NULL},
    {"UID", "uid", FORM_TEXT, NULL},
    {"APIVersion", "apiVersion", FORM_TEXT, NULL},
    {"ResourceVersion", "resourceVersion", FORM_TEXT, NULL},
    {"FieldPath", "fieldPath", FORM_TEXT, NULL},
    {0},
};

static const struct form_field StorageOSPersistentVolumeSource_fields[] = {
    {"VolumeName", "volumeName", FORM_TEXT, NULL},
    {"VolumeNamespace", "volumeNamespace", FORM_TEXT, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"SecretRef", "secretRef", FORM_NIL, ObjectReference_fields},
    {0},
};

static const struct form_field CSIPersistentVolumeSource_fields[] = {
    {"Driver", "driver", FORM_TEXT, NULL},
    {"VolumeHandle", "volumeHandle", FORM_TEXT, NULL},
    {"ReadOnly", "readOnly", FORM_BOOL, NULL},
    {"FSType", "fsType", FORM_TEXT, NULL},
    {"VolumeAttributes", "volumeAttributes", FORM_NIL, NULL},
    {"ControllerPublishSecretRef", "controllerPublishSecretRef", FORM_NIL, SecretReference_fields},
    {"NodeStageSecretRef", "nodeStageSecretRef", FORM_NIL, SecretReference_fields},
    {"NodePublishSecretRef", "nodePublishSecretRef", FORM_NIL, SecretReference_fields},
    {"ControllerExpandSecretRef", "controllerExpandSecretRef", FORM_NIL, SecretReference_fields},
    {"NodeExpandSecretRef", "nodeExpandSecretRef", FORM_NIL, SecretReference_fields},
    {0},
};

static const struct form_field PersistentVolumeSource_fields[] = {
    {"GCEPersistentDisk", "gcePersistentDisk", FORM_NIL, GCEPersistentDiskVolumeSource_fields},
    {"AWSElasticBlockStore", "awsElasticBlockStore", FORM_NIL, AWSElasticBlockStoreVolumeSource_fields},
    {"HostPath", "hostPath", FORM_NIL, HostPathVolumeSource_fields},
    {"Glusterfs", "glusterfs", FORM_NIL, GlusterfsPersistentVolumeSource_fields},
    {"NFS", "nfs", FORM_NIL, NFSVolumeSource_fields},
    {"RBD", "rbd", FORM_NIL, RBDPersistentVolumeSource_fields},
    {"ISCSI", "iscsi", FORM_NIL, ISCSIPersistentVolumeSource_fields},
    {"Cinder", "cinder", FORM_NIL, CinderPersistentVolumeSource_fields},
    {"CephFS", "cephfs", FORM_NIL, CephFSPersistentVolumeSource_fields},
    {"FC", "fc", FORM_NIL, FCVolumeSource_fields},
    {"Flocker", "flocker", FORM_NIL, FlockerVolumeSource_fields},
    {"FlexVolume", "flexVolume", FORM_NIL, FlexPersistentVolumeSource_fields},
    {"AzureFile", "azureFile", FORM_NIL, AzureFilePersistentVolumeSource_fields},
    {"VsphereVolume", "vsphereVolume", FORM_NIL, VsphereVirtualDiskVolumeSource_fields},
    {"Quobyte", "quobyte", FORM_NIL, QuobyteVolumeSource_fields},
    {"AzureDisk", "azureDisk", FORM_NIL, AzureDiskVolumeSource_fields},
    {"PhotonPersistentDisk", "photonPersistentDisk", FORM_NIL, PhotonPersistentDiskVolumeSource_fields},
    {"PortworxVolume", "portworxVolume", FORM_NIL, PortworxVolumeSource_fields},
    {"ScaleIO", "scaleIO", FORM_NIL, ScaleIOPersistentVolumeSource_fields},
    {"Local", "local", FORM_NIL, LocalVolumeSource_fields},
    {"StorageOS", "storageos", FORM_NIL, StorageOSPersistentVolumeSource_fields},
    {"CSI", "csi", FORM_NIL, CSIPersistentVolumeSource_fields},
    {0},
};

static const struct form_field ServicePort_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Protocol", "protocol", FORM_TEXT, NULL},
    {"AppProtocol", "appProtocol", FORM_NIL, NULL},
    {"Port", "port", FORM_NUMBER, NULL},
    {"TargetPort", "targetPort", FORM_NUMBER, NULL},
    {"NodePort", "nodePort", FORM_NUMBER, NULL},
    {0},
};

static const struct form_field PodIP_fields[] = {
    {"IP", "ip", FORM_TEXT, NULL},
    {0},
};

static const struct form_field HostIP_fields[] = {
    {"IP", "ip", FORM_TEXT, NULL},
    {0},
};

static const struct form_field RollingUpdateDeployment_fields[] = {
    {"MaxUnavailable", "maxUnavailable", FORM_NUMBER, NULL},
    {"MaxSurge", "maxSurge", FORM_NUMBER, NULL},
    {0},
};

static const struct form_field DeploymentStrategy_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"RollingUpdate", "rollingUpdate", FORM_NIL, RollingUpdateDeployment_fields},
    {0},
};

static const struct form_field RollingUpdateDaemonSet_fields[] = {
    {"MaxUnavailable", "maxUnavailable", FORM_NUMBER, NULL},
    {"MaxSurge", "maxSurge", FORM_NUMBER, NULL},
    {0},
};

static const struct form_field DaemonSetUpdateStrategy_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"RollingUpdate", "rollingUpdate", FORM_NIL, RollingUpdateDaemonSet_fields},
    {0},
};

static const struct form_field RollingUpdateStatefulSetStrategy_fields[] = {
    {"Partition", "partition", FORM_NUMBER, NULL},
    {"MaxUnavailable", "maxUnavailable", FORM_NIL, NULL},
    {0},
};

static const struct form_field StatefulSetUpdateStrategy_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"RollingUpdate", "rollingUpdate", FORM_NIL, RollingUpdateStatefulSetStrategy_fields},
    {0},
};

static const struct form_field PodFailurePolicyOnExitCodesRequirement_fields[] = {
    {"ContainerName", "containerName", FORM_NIL, NULL},
    {"Operator", "operator", FORM_TEXT, NULL},
    {"Values", "values", FORM_NIL, NULL},
    {0},
};

static const struct form_field PodFailurePolicyOnPodConditionsPattern_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"Status", "status", FORM_TEXT, NULL},
    {0},
};

static const struct form_field PodFailurePolicyRule_fields[] = {
    {"Action", "action", FORM_TEXT, NULL},
    {"OnExitCodes", "onExitCodes", FORM_NIL, PodFailurePolicyOnExitCodesRequirement_fields},
    {"OnPodConditions", "onPodConditions", FORM_NIL, PodFailurePolicyOnPodConditionsPattern_fields},
    {0},
};

static const struct form_field PodFailurePolicy_fields[] = {
    {"Rules", "rules", FORM_NIL, PodFailurePolicyRule_fields},
    {0},
};

static const struct form_field SuccessPolicyRule_fields[] = {
    {"SucceededIndexes", "succeededIndexes", FORM_NIL, NULL},
    {"SucceededCount", "succeededCount", FORM_NIL, NULL},
    {0},
};

static const struct form_field SuccessPolicy_fields[] = {
    {"Rules", "rules", FORM_NIL, SuccessPolicyRule_fields},
    {0},
};

static const struct form_field PodDisruptionBudgetSpec_fields[] = {
    {"MinAvailable", "minAvailable", FORM_NIL, NULL},
    {"Selector", "selector", FORM_NIL, NULL},
    {"MaxUnavailable", "maxUnavailable", FORM_NIL, NULL},
    {"UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", FORM_NIL, NULL},
    {0},
};

static const struct form_field Taint_fields[] = {
    {"Key", "key", FORM_TEXT, NULL},
    {"Value", "value", FORM_TEXT, NULL},
    {"Effect", "effect", FORM_TEXT, NULL},
    {"TimeAdded", "timeAdded", FORM_NIL, NULL},
    {0},
};

static const struct form_field RoleRef_fields[] = {
    {"APIGroup", "apiGroup", FORM_TEXT, NULL},
    {"Kind", "kind", FORM_TEXT, NULL},
    {"Name", "name", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ScopedResourceSelectorRequirement_fields[] = {
    {"ScopeName", "scopeName", FORM_TEXT, NULL},
    {"Operator", "operator", FORM_TEXT, NULL},
    {"Values", "values", FORM_NIL, NULL},
    {0},
};

static const struct form_field ScopeSelector_fields[] = {
    {"MatchExpressions", "matchExpressions", FORM_NIL, ScopedResourceSelectorRequirement_fields},
    {0},
};

static const struct form_field PersistentVolumeClaimCondition_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"Status", "status", FORM_TEXT, NULL},
    {"LastProbeTime", "lastProbeTime", FORM_NIL, NULL},
    {"LastTransitionTime", "lastTransitionTime", FORM_NIL, NULL},
    {"Reason", "reason", FORM_TEXT, NULL},
    {"Message", "message", FORM_TEXT, NULL},
    {0},
};

static const struct form_field ModifyVolumeStatus_fields[] = {
    {"TargetVolumeAttributesClassName", "targetVolumeAttributesClassName", FORM_TEXT, NULL},
    {"Status", "status", FORM_TEXT, NULL},
    {0},
};

static const struct form_field VolumeHealthCondition_fields[] = {
    {"Status", "status", FORM_TEXT, NULL},
    {"Reason", "reason", FORM_TEXT, NULL},
    {"Message", "message", FORM_TEXT, NULL},
    {0},
};

static const struct form_field VolumeHealthStatus_fields[] = {
    {"HealthConditions", "healthConditions", FORM_NIL, VolumeHealthCondition_fields},
    {"LastTransitionTime", "lastTransitionTime", FORM_NIL, NULL},
    {0},
};

static const struct form_field PersistentVolumeClaimStatus_fields[] = {
    {"Phase", "phase", FORM_TEXT, NULL},
    {"AccessModes", "accessModes", FORM_NIL, NULL},
    {"Capacity", "capacity", FORM_NIL, NULL},
    {"Conditions", "conditions", FORM_NIL, PersistentVolumeClaimCondition_fields},
    {"AllocatedResources", "allocatedResources", FORM_NIL, NULL},
    {"AllocatedResourceStatuses", "allocatedResourceStatuses", FORM_NIL, NULL},
    {"CurrentVolumeAttributesClassName", "currentVolumeAttributesClassName", FORM_NIL, NULL},
    {"ModifyVolumeStatus", "modifyVolumeStatus", FORM_NIL, ModifyVolumeStatus_fields},
    {"HealthStatus", "healthStatus", FORM_NIL, VolumeHealthStatus_fields},
    {0},
};

static const struct form_field PersistentVolumeClaim_fields[] = {
    {"", "metadata", FORM_INLINE, NULL},
    {"Spec", "spec", FORM_STRUCT, PersistentVolumeClaimSpec_fields},
    {"Status", "status", FORM_STRUCT, PersistentVolumeClaimStatus_fields},
    {0},
};

static const struct form_field NodeAddress_fields[] = {
    {"Type", "type", FORM_TEXT, NULL},
    {"Address", "address", FORM_TEXT, NULL},
    {0},
};

static const struct form_field VolumeNodeAffinity_fields[] = {
    {"Required", "required", FORM_NIL, NodeSelector_fields},
    {0},
};

static const struct form_field UncountedTerminatedPods_fields[] = {
    {"Succeeded", "succeeded", FORM_NIL, NULL},
    {"Failed", "failed", FORM_NIL, NULL},
    {0},
};

static const struct form_field JobSchedulingConfiguration_fields[] = {
    {"SchedulingPolicy", "schedulingPolicy", FORM_NIL, NULL},
    {"SchedulingConstraints", "schedulingConstraints", FORM_NIL, NULL},
    {"DisruptionMode", "disruptionMode", FORM_NIL, NULL},
    {"ResourceClaims", "resourceClaims", FORM_NIL, NULL},
    {0},
};

static const struct form_field JobSpec_fields[] = {
    {"Parallelism", "parallelism", FORM_NIL, NULL},
    {"Completions", "completions", FORM_NIL, NULL},
    {"ActiveDeadlineSeconds", "activeDeadlineSeconds", FORM_NIL, NULL},
    {"PodFailurePolicy", "podFailurePolicy", FORM_NIL, PodFailurePolicy_fields},
    {"SuccessPolicy", "successPolicy", FORM_NIL, SuccessPolicy_fields},
    {"BackoffLimit", "backoffLimit", FORM_NIL, NULL},
    {"BackoffLimitPerIndex", "backoffLimitPerIndex", FORM_NIL, NULL},
    {"MaxFailedIndexes", "maxFailedIndexes", FORM_NIL, NULL},
    {"Selector", "selector", FORM_NIL, NULL},
    {"ManualSelector", "manualSelector", FORM_NIL, NULL},
    {"Template", "template", FORM_STRUCT, PodTemplateSpec_fields},
    {"TTLSecondsAfterFinished", "ttlSecondsAfterFinished", FORM_NIL, NULL},
    {"CompletionMode", "completionMode", FORM_NIL, NULL},
    {"Suspend", "suspend", FORM_NIL, NULL},
    {"PodReplacementPolicy", "podReplacementPolicy", FORM_NIL, NULL},
    {"ManagedBy", "managedBy", FORM_NIL, NULL},
    {"Scheduling", "scheduling", FORM_NIL, JobSchedulingConfiguration_fields},
    {0},
};

static const struct form_field ServiceBackendPort_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Number", "number", FORM_NUMBER, NULL},
    {0},
};

static const struct form_field IngressServiceBackend_fields[] = {
    {"Name", "name", FORM_TEXT, NULL},
    {"Port", "port", FORM_STRUCT, ServiceBackendPort_fields},
    {0},
};

static const struct form_field IngressBackend_fields[] = {
    {"Service", "service", FORM_NIL, IngressServiceBackend_fields},
    {"Resource", "resource", FORM_NIL, TypedLocalObjectReference_fields},
    {0},
};

static const struct form_field HTTPIngressPath_fields[] = {
    {"Path", "path", FORM_TEXT, NULL},
    {"PathType", "pathType", FORM_NIL, NULL},
    {"Backend", "backend", FORM_STRUCT, IngressBackend_fields},
    {0},
};

static const struct form_field HTTPIngressRuleValue_fields[] = {
    {"Paths", "paths", FORM_NIL, HTTPIngressPath_fields},
    {0},
};

static const struct form_field IngressRule_fields[] = {
    {"Host", "host", FORM_TEXT, NULL},
    {"HTTP", "http", FORM_NIL, HTTPIngressRuleValue_fields},
    {0},
};

const struct form form_table[] = {
    {"ClusterTrustBundleProjection", ClusterTrustBundleProjection_fields},
    {"DaemonSetUpdateStrategy", DaemonSetUpdateStrategy_fields},
    {"DeploymentStrategy", DeploymentStrategy_fields},
    {"EphemeralContainer", EphemeralContainer_fields},
    {"HostIP", HostIP_fields},
    {"IngressRule", IngressRule_fields},
    {"JobSpec", JobSpec_fields},
    {"NodeAddress", NodeAddress_fields},
    {"PersistentVolumeClaim", PersistentVolumeClaim_fields},
    {"PersistentVolumeClaimSpec", PersistentVolumeClaimSpec_fields},
    {"PersistentVolumeSource", PersistentVolumeSource_fields},
    {"PodDisruptionBudgetSpec", PodDisruptionBudgetSpec_fields},
    {"PodFailurePolicy", PodFailurePolicy_fields},
    {"PodIP", PodIP_fields},
    {"PodSpec", PodSpec_fields},
    {"PodTemplateSpec", PodTemplateSpec_fields},
    {"RoleRef", RoleRef_fields},
    {"RollingUpdateStatefulSetStrategy", RollingUpdateStatefulSetStrategy_fields},
    {"ScopeSelector", ScopeSelector_fields},
    {"SeccompProfile", SeccompProfile_fields},
    {"SecurityContext", SecurityContext_fields},
    {"ServicePort", ServicePort_fields},
    {"StatefulSetUpdateStrategy", StatefulSetUpdateStrategy_fields},
    {"SuccessPolicy", SuccessPolicy_fields},
    {"Taint", Taint_fields},
    {"Toleration", Toleration_fields},
    {"UncountedTerminatedPods", UncountedTerminatedPods_fields},
    {"VolumeNodeAffinity", VolumeNodeAffinity_fields},
    {0},
};
