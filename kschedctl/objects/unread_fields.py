"""Fields of the API that nothing here reads: with them, a misspelt name can be told from one that does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kschedctl.objects import apps, containers, core, groups, meta, node, pod, pod_volumes, resource, storage
from kschedctl.objects.meta import KubeObject

_NAMES: Final[Mapping[type[KubeObject], str]] = {
    meta.ObjectMeta: "clusterName deletionGracePeriodSeconds finalizers generation managedFields selfLink",
    meta.OwnerReference: "blockOwnerDeletion",
    node.NodeSpec: "configSource externalID podCIDR podCIDRs providerID",
    node.Taint: "timeAdded",
    pod.PodSpec: (
        "automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers "
        "evictionResponders hostAliases hostIPC hostPID hostnameOverride "
        "imagePullSecrets os readinessGates securityContext serviceAccount "
        "serviceAccountName setHostnameAsFQDN shareProcessNamespace"
    ),
    containers.Container: (
        "args command env envFrom imagePullPolicy lifecycle livenessProbe readinessProbe resizePolicy "
        "securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy "
        "tty volumeDevices workingDir"
    ),
    containers.VolumeMount: "mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr",
    containers.ContainerRestartRule: "exitCodes",
    pod_volumes.Volume: (
        "cephfs downwardAPI emptyDir fc flexVolume flocker gitRepo glusterfs hostPath nfs "
        "photonPersistentDisk projected quobyte scaleIO storageos"
    ),
    pod_volumes.CsiVolumeSource: "fsType nodePublishSecretRef volumeAttributes",
    pod_volumes.ImageVolumeSource: "pullPolicy",
    pod_volumes.GcePersistentDisk: "fsType partition",
    pod_volumes.AwsElasticBlockStore: "fsType partition",
    pod_volumes.AzureDisk: "cachingMode fsType readOnly",
    pod_volumes.AzureFile: "readOnly secretNamespace",
    pod_volumes.ConfigurationVolume: "defaultMode defaultUser items name optional secretName",
    pod_volumes.Cinder: "fsType readOnly secretRef",
    pod_volumes.Iscsi: "chapAuthDiscovery chapAuthSession fsType initiatorName iscsiInterface portals secretRef",
    pod_volumes.Rbd: "fsType keyring secretRef user",
    pod_volumes.VsphereVolume: "fsType storagePolicyID storagePolicyName",
    pod_volumes.PortworxVolume: "fsType readOnly",
    core.Namespace: "spec",
    core.ServiceSpec: (
        "allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName "
        "externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy "
        "loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports publishNotReadyAddresses "
        "sessionAffinity sessionAffinityConfig trafficDistribution type"
    ),
    core.LimitRangeItem: "maxLimitRequestRatio",
    core.PriorityClass: "description",
    core.RuntimeClass: "handler",
    apps.ReplicationControllerSpec: "minReadySeconds",
    apps.ReplicaSetSpec: "minReadySeconds",
    apps.DeploymentSpec: "minReadySeconds progressDeadlineSeconds revisionHistoryLimit",
    apps.StatefulSetSpec: "minReadySeconds persistentVolumeClaimRetentionPolicy revisionHistoryLimit",
    apps.DaemonSetSpec: "minReadySeconds revisionHistoryLimit",
    apps.JobSpec: (
        "activeDeadlineSeconds backoffLimit backoffLimitPerIndex managedBy maxFailedIndexes "
        "podFailurePolicy scheduling selector successPolicy ttlSecondsAfterFinished"
    ),
    apps.CronJobSpec: (
        "concurrencyPolicy failedJobsHistoryLimit schedule startingDeadlineSeconds "
        "successfulJobsHistoryLimit timeZone"
    ),
    storage.PersistentVolumeClaimSpec: "dataSource dataSourceRef",
    storage.PersistentVolumeSpec: (
        "cephfs fc flexVolume flocker glusterfs mountOptions nfs persistentVolumeReclaimPolicy "
        "photonPersistentDisk quobyte scaleIO storageos"
    ),
    storage.ObjectReference: "apiVersion fieldPath resourceVersion",
    storage.CsiPersistentVolumeSource: (
        "controllerExpandSecretRef controllerPublishSecretRef fsType nodeExpandSecretRef "
        "nodePublishSecretRef nodeStageSecretRef"
    ),
    storage.LocalVolumeSource: "fsType",
    storage.HostPathVolumeSource: "type",
    storage.StorageClass: "allowVolumeExpansion mountOptions reclaimPolicy",
    storage.CsiDriverSpec: (
        "fsGroupPolicy nodeAllocatableUpdatePeriodSeconds podInfoOnMount requiresRepublish "
        "seLinuxMount serviceAccountTokenInSecrets tokenRequests volumeLifecycleModes"
    ),
    resource.OpaqueConfiguration: "parameters",
    resource.ResourceSliceSpec: "partitionTypeAttribute",
    resource.DeviceTaint: "timeAdded",
    groups.WorkloadSpec: "controllerRef",
}

UNREAD: Final = {type_: frozenset(names.split()) for type_, names in _NAMES.items()}
"""Of each type: the names of the other fields of its objects, of any version, deprecated and alpha ones too.

A type that is not here is read whole. What is below an unread field is not known, nor is what is in a `status`.
"""
