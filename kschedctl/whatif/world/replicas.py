"""More pods of the same kind: copies of a pod, or further replicas of a workload."""

from __future__ import annotations

from itertools import count, islice

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.pod import Pod
from kschedctl.whatif.world.release import put_created
from kschedctl.whatif.world.world import World, successor
from kschedctl.workloads import Expansion, Workload, WorkloadKey, generated_names, key_of
from kschedctl.workloads.job import expand_cron_job, expand_job
from kschedctl.workloads.replicated import expand_deployment, expand_replicas
from kschedctl.workloads.stateful_set import expand_stateful_set, ordinals_of
from kschedctl.workloads.workload import known_as


class WantedPods(Struct, frozen=True):
    """A kind of pod of which more are wanted.

    Attributes:
        source: a pod, or a workload.
        share: how many of them make up one set.
        running: whether the source is a pod of the cluster, which has been through admission.
    """

    source: Pod | Workload
    share: int = 1
    running: bool = False

    @property
    def key(self) -> WorkloadKey:
        """Identity of the source; a pod that has no name yet goes by what its name begins with."""
        key = known_as(self.source)
        return key if key.name else key._replace(name=self.source.metadata.generate_name)


def more_pods(world: World, ask: WantedPods, wanted: int) -> list[Pod]:
    """Further pods; what their controller makes on the way to them is put into the world.

    Raises:
        UsageError: the source is a daemon set.
    """
    expansion = _expansion(world, ask.source, wanted)
    for obj in expansion.others:
        put_created(world, obj)
    return [world.with_claims(pod) for pod in expansion.pods]


def has_claims_of_its_own(pod: Pod, ask: WantedPods) -> bool:
    """Whether each copy needs a claim that no other has."""
    if isinstance(ask.source, StatefulSet) and ask.source.spec.volume_claim_templates:
        return True
    templates = any(entry.resource_claim_template_name for entry in pod.spec.resource_claims)
    return templates or any(volume.ephemeral is not None for volume in pod.spec.volumes)


def _expansion(world: World, source: Pod | Workload, wanted: int) -> Expansion:
    taken = world.names_in(source.namespace)
    match source:
        case Pod():
            names = islice(generated_names(f"{source.name or source.metadata.generate_name}-", taken), wanted)
            return Expansion(tuple(successor(source, name) for name in names))
        case Deployment():
            return expand_deployment(source, world.all(ReplicaSet), wanted, taken)
        case ReplicaSet() | ReplicationController():
            return expand_replicas(source, wanted, taken)
        case StatefulSet():
            after = ordinals_of(source).stop if f"{source.name}-{ordinals_of(source).start}" in taken else 0
            free = (i for i in count(after or ordinals_of(source).start) if f"{source.name}-{i}" not in taken)
            return expand_stateful_set(source, islice(free, wanted))
        case Job():
            return expand_job(_wide(source, wanted), taken)
        case CronJob():
            template = source.spec.job_template
            job = _wide(Job(metadata=source.metadata, spec=template.spec), wanted)
            spec = replace(source.spec, suspend=False, job_template=replace(template, spec=job.spec))
            return expand_cron_job(replace(source, spec=spec))
        case DaemonSet():
            raise UsageError(f"{key_of(source)} runs once on each node")


def _wide(job: Job, wanted: int) -> Job:
    spec = replace(job.spec, parallelism=wanted, completions=wanted, suspend=False)
    return replace(job, spec=spec, status=type(job.status)())
