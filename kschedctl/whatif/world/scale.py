"""Another number of replicas: pods are added or go, as the controller would do it."""

from __future__ import annotations

from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.objects.apps import DaemonSet, Deployment, Job, ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.whatif.world.provisioning import ready_claim
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import Expansion, Workload, WorkloadKey, key_of, replicas_of
from kschedctl.workloads.daemon_set import expand_daemon_set, pinned_node
from kschedctl.workloads.deletion_order import job_deletion_order, replica_deletion_order
from kschedctl.workloads.job import concurrent_pods, expand_job, replaces_ended_only, why_idle
from kschedctl.workloads.paused import as_it_runs, is_paused
from kschedctl.workloads.replicated import expand_deployment, expand_replicas, is_owned
from kschedctl.workloads.stateful_set import missing_members, ordinal_of, ordinals_of


def scale(world: World, workload: Workload, replicas: int) -> None:
    """Give a workload another number of replicas; running pods that it keeps stay where they are.

    Raises:
        UsageError: the kind has no number of replicas.
    """
    resized = _resized(workload, replicas)
    world.put(resized)
    if key_of(workload) in world.deployed:
        return
    take_superfluous(world, resized)
    world.resized.setdefault(key_of(workload))


def take_superfluous(world: World, workload: Workload) -> None:
    """Take pods away that a workload has too many; those that it keeps stay as they are."""
    if isinstance(workload, StatefulSet):
        wanted_members = ordinals_of(workload)
        for pod in world.pods_of(workload):
            if ordinal_of(pod.name) not in wanted_members and not pod.is_terminating:
                world.remove(pod)
        return
    if isinstance(workload, DaemonSet):
        return
    pods = [p for p in world.pods_of(workload) if not p.is_terminating]
    in_order = job_deletion_order if isinstance(workload, Job) else replica_deletion_order
    for pod in in_order(pods)[: max(len(pods) - _wanted(workload, len(pods)), 0)]:
        world.remove(pod)


def add_missing(world: World, workload: Workload, most: int | None) -> None:
    """Create the pods that a workload lacks; those that it has stay as they are.

    Args:
        world: the world.
        workload: the workload.
        most: see `pods_made`.
    """
    if isinstance(workload, StatefulSet):
        there = [
            ordinal_of(pod.name) for pod in world.pods_of(workload)
        ]  # a terminating one has its name yet
        create(world, workload, missing_members(workload, there, most))
        return
    present = world.pods_of(workload)
    pods = [p for p in present if not p.is_terminating]
    if isinstance(workload, DaemonSet):
        _add_daemons(world, workload, pods)
        return
    wanted = _wanted(workload, len(pods))
    missing = wanted - len(pods)
    if isinstance(workload, Job) and replaces_ended_only(workload):
        missing = wanted - len(present)
    if missing > 0 and (present or not waits_for_its_first_rollout(world, workload)):
        create(world, workload, _more(world, workload, missing, most))


def waits_for_its_first_rollout(world: World, workload: Workload) -> bool:
    """Whether a workload is paused and has no replica set yet: it creates none, and so no pods."""
    if not isinstance(workload, Deployment) or not is_paused(workload):
        return False
    return not any(is_owned(replica_set, workload) for replica_set in world.all(ReplicaSet))


def put_created(world: World, obj: TopLevel) -> None:
    """Enter an object that a controller makes on the way to its pods; claims that are there are kept."""
    if not isinstance(obj, PersistentVolumeClaim):
        world.put(obj)
    elif world.find(PersistentVolumeClaim, obj.name, obj.namespace) is None:
        for part in ready_claim(world, obj):
            world.put(part)


def _resized(workload: Workload, replicas: int) -> Workload:
    match workload:
        case Job():
            return replace(workload, spec=replace(workload.spec, parallelism=replicas))
        case Deployment() | ReplicaSet() | ReplicationController() | StatefulSet():
            return replace(workload, spec=replace(workload.spec, replicas=replicas))
        case _:
            kind = "a DaemonSet" if isinstance(workload, DaemonSet) else "a CronJob"
            raise UsageError(f"{key_of(workload)} cannot be scaled: {kind} has no number of replicas")


def _wanted(workload: Workload, active: int) -> int:
    """How many pods a workload is to have; of a job no more than it still has to complete."""
    if not isinstance(workload, Job):
        return replicas_of(workload) or 0
    job = workload
    if why_idle(job):
        return 0
    if job.spec.completions is None and job.status.succeeded:
        return active  # one success is enough: those left run to their end
    return concurrent_pods(job)


def _more(world: World, workload: Workload, count: int, most: int | None) -> Expansion:
    taken = world.names_in(workload.namespace)
    match workload:
        case Deployment():
            replica_sets = world.all(ReplicaSet)
            return expand_deployment(as_it_runs(workload, replica_sets), replica_sets, count, taken, most)
        case ReplicaSet() | ReplicationController():
            return expand_replicas(workload, count, taken, most)
        case Job():
            there = concurrent_pods(workload) - count
            found = expand_job(workload, taken, None if most is None else there + most)
            return Expansion(found.pods[max(there, 0) :], counted=found.counted)
        case _:
            return Expansion()


def _add_daemons(world: World, workload: DaemonSet, pods: list[Pod]) -> None:
    there = {pod.spec.node_name or pinned_node(pod) for pod in pods}
    nodes = [node for node in world.nodes if node.name not in there]
    create(world, workload, expand_daemon_set(workload, nodes, world.names_in(workload.namespace)))


def create(
    world: World, workload: Workload, expansion: Expansion, *, batch: WorkloadKey | None = None
) -> None:
    """Ask for the pods of a workload, and enter what is made on the way to them.

    Args:
        world: the world.
        workload: the workload.
        expansion: its pods.
        batch: the workload, where a rolling update brings them.
    """
    for obj in expansion.others:
        put_created(world, obj)
    world.create(expansion.pods, PodOrigin.NEW, batch)
    if expansion.counted:
        world.counted[key_of(workload)] = expansion.counted
