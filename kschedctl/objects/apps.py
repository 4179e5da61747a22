"""Workloads: the objects whose controllers create pods."""

from __future__ import annotations

from kschedctl.objects.int_or_percent import IntOrPercent
from kschedctl.objects.meta import Condition, Int32, KubeObject, LabelSelector, ObjectMeta, TopLevel
from kschedctl.objects.pod import PodTemplateSpec
from kschedctl.objects.storage import PersistentVolumeClaim


class ReplicaSetSpec(KubeObject, frozen=True):
    """`spec` of a replica set."""

    replicas: Int32 | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class ReplicaSet(TopLevel, frozen=True):
    """apps/v1 ReplicaSet."""

    spec: ReplicaSetSpec = ReplicaSetSpec()


class ReplicationControllerSpec(KubeObject, frozen=True):
    """`spec` of a replication controller."""

    replicas: Int32 | None = None
    selector: dict[str, str] | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class ReplicationController(TopLevel, frozen=True):
    """v1 ReplicationController."""

    spec: ReplicationControllerSpec = ReplicationControllerSpec()


class RollingUpdateDeployment(KubeObject, frozen=True):
    """How many pods a rollout may add or miss."""

    max_unavailable: IntOrPercent | None = None
    max_surge: IntOrPercent | None = None


class DeploymentStrategy(KubeObject, frozen=True):
    """`spec.strategy`."""

    type: str = ""
    rolling_update: RollingUpdateDeployment | None = None


class DeploymentSpec(KubeObject, frozen=True):
    """`spec` of a deployment."""

    replicas: Int32 | None = None
    selector: LabelSelector | None = None
    strategy: DeploymentStrategy | None = None
    paused: bool | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class Deployment(TopLevel, frozen=True):
    """apps/v1 Deployment."""

    spec: DeploymentSpec = DeploymentSpec()


class StatefulSetOrdinals(KubeObject, frozen=True):
    """Where the numbering starts."""

    start: Int32 = 0


class RollingUpdateStatefulSet(KubeObject, frozen=True):
    """Which ordinals a rollout touches."""

    partition: Int32 | None = None
    max_unavailable: IntOrPercent | None = None


class StatefulSetUpdateStrategy(KubeObject, frozen=True):
    """`spec.updateStrategy`."""

    type: str = ""
    rolling_update: RollingUpdateStatefulSet | None = None


class StatefulSetSpec(KubeObject, frozen=True):
    """`spec` of a stateful set."""

    replicas: Int32 | None = None
    selector: LabelSelector | None = None
    service_name: str = ""
    pod_management_policy: str = ""
    update_strategy: StatefulSetUpdateStrategy | None = None
    ordinals: StatefulSetOrdinals | None = None
    template: PodTemplateSpec = PodTemplateSpec()
    volume_claim_templates: tuple[PersistentVolumeClaim, ...] = ()


class StatefulSet(TopLevel, frozen=True):
    """apps/v1 StatefulSet."""

    spec: StatefulSetSpec = StatefulSetSpec()


class RollingUpdateDaemonSet(KubeObject, frozen=True):
    """On how many nodes a rollout may miss the daemon, or run two."""

    max_unavailable: IntOrPercent | None = None
    max_surge: IntOrPercent | None = None


class DaemonSetUpdateStrategy(KubeObject, frozen=True):
    """`spec.updateStrategy`."""

    type: str = ""
    rolling_update: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(KubeObject, frozen=True):
    """`spec` of a daemon set."""

    selector: LabelSelector | None = None
    update_strategy: DaemonSetUpdateStrategy | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class DaemonSet(TopLevel, frozen=True):
    """apps/v1 DaemonSet."""

    spec: DaemonSetSpec = DaemonSetSpec()


class JobSpec(KubeObject, frozen=True):
    """`spec` of a job."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    completion_mode: str | None = None
    manual_selector: bool | None = None
    pod_replacement_policy: str | None = None
    suspend: bool | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class JobStatus(KubeObject, frozen=True):
    """`status` of a job."""

    succeeded: Int32 = 0
    completed_indexes: str = ""
    failed_indexes: str = ""
    conditions: tuple[Condition, ...] = ()


class Job(TopLevel, frozen=True):
    """batch/v1 Job."""

    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplateSpec(KubeObject, frozen=True):
    """The job that a cron job makes copies of."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(KubeObject, frozen=True):
    """`spec` of a cron job."""

    suspend: bool | None = None
    job_template: JobTemplateSpec = JobTemplateSpec()


class CronJob(TopLevel, frozen=True):
    """batch/v1 CronJob."""

    spec: CronJobSpec = CronJobSpec()
