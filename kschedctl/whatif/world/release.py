"""Manifests that are applied to a cluster: what is there already is replaced, never counted twice."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.provisioning import ready_claim
from kschedctl.whatif.world.scale import (
    add_missing,
    create,
    put_created,
    take_superfluous,
    waits_for_its_first_rollout,
)
from kschedctl.whatif.world.world import Deployed, World
from kschedctl.workloads import WORKLOADS, Expansion, Workload, expand, generated_names, key_of, replicas_of
from kschedctl.workloads.job import why_idle
from kschedctl.workloads.paused import as_it_runs, is_paused
from kschedctl.workloads.replicated import is_same_template
from kschedctl.workloads.stateful_set import missing_members, ordinal_of
from kschedctl.workloads.stateful_set_update import members_to_come
from kschedctl.workloads.workload import known_as

__all__ = ["apply_manifests", "create_deployed", "delete_workload", "put_created", "release"]


def release(world: World, obj: TopLevel, rollout: RolloutMode = RolloutMode.RECREATE) -> None:
    """Apply one object. The pods of a workload are created by `create_deployed`, once all changes are known."""
    match obj:
        case Pod():
            _release_pod(world, obj)
        case Node():
            world.put(default_node(obj))
        case PersistentVolumeClaim():
            for part in ready_claim(world, obj):
                world.put(part)
        case _ if isinstance(obj, WORKLOADS):
            _release_workload(world, obj, rollout)
        case _:
            world.put(obj)


def delete_workload(world: World, workload: Workload) -> None:
    """Delete a workload with what it controls."""
    for pod in world.pods_of(workload):
        world.remove(pod)
    for owned in [obj for obj in world.objects if isinstance(obj, WORKLOADS) and _is_owned(obj, workload)]:
        world.drop(owned)
    world.drop(workload)
    world.deployed.pop(key_of(workload), None)
    world.resized.pop(key_of(workload), None)


def create_deployed(world: World, most: int | None = None) -> None:
    """Create the pods that workloads lack which were scaled, and those of all that were applied.

    Args:
        world: the world, all changes made.
        most: see `pods_made`.
    """
    for key in world.resized:
        workload = world.ownership.workload(key)
        if workload is not None and key not in world.deployed:
            add_missing(world, workload, _if_alike(workload, most))
    for key, deployed in world.deployed.items():
        workload = world.ownership.workload(key)
        if workload is None:
            continue
        if _keeps_its_pods(workload, deployed):
            take_superfluous(world, workload)
            add_missing(world, workload, _if_alike(workload, most))
            continue
        expansion = _expansion(world, workload, deployed, _if_alike(workload, most))
        create(world, workload, expansion, batch=key if deployed.old else None)


def _if_alike(workload: Workload, most: int | None) -> int | None:
    """The limit for pods of which one that fails leaves everything as it was, None for others.

    A group waits for so many of its pods. Where plugins name the nodes that are looked at at all, each pod that fails
    moves the place where the next search begins.
    """
    spec = workload.spec.job_template.spec if isinstance(workload, CronJob) else workload.spec
    pod = spec.template.spec
    affinity = pod.affinity.node_affinity if pod.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    named = required is not None and any(term.match_fields for term in required.node_selector_terms)
    claims = any(volume.persistent_volume_claim is not None for volume in pod.volumes)
    return None if pod.pod_group or named or claims else most


def _keeps_its_pods(workload: Workload, deployed: Deployed) -> bool:
    """Whether pods only come or go to make up their number; no node gets a second daemon."""
    if is_paused(workload):
        return True
    if deployed.rollout is RolloutMode.ADD:
        return isinstance(workload, DaemonSet)
    return (
        deployed.rollout is RolloutMode.ROLLING and not deployed.rolls and not isinstance(workload, CronJob)
    )


def _release_pod(world: World, pod: Pod) -> None:
    if not pod.name and pod.metadata.generate_name:
        name = next(generated_names(pod.metadata.generate_name, world.names_in(pod.namespace)))
        pod = replace(pod, metadata=replace(pod.metadata, name=name))
    old = world.find(Pod, pod.name, pod.namespace)
    if old is not None:
        world.delete_pod(old)
    world.create([pod])


def _release_workload(world: World, workload: Workload, rollout: RolloutMode) -> None:
    old = world.ownership.workload(key_of(workload))
    if old is not None and old.metadata.uid and not workload.metadata.uid:
        workload = replace(workload, metadata=replace(workload.metadata, uid=old.metadata.uid))
    if isinstance(old, Deployment):
        old = as_it_runs(old, world.all(ReplicaSet))
    workload = _with_live_state(workload, old)
    # Of a custom resource all pods are replaced: which template they were made of is not known.
    custom = known_as(workload)
    pods = world.pods_of(workload) if custom == key_of(workload) else world.pods_under(custom)
    rolls = rollout is RolloutMode.ROLLING and _is_rolled(workload, old)
    if rollout is RolloutMode.RECREATE and not is_paused(workload):
        take_away = world.remove if replicas_of(workload) == 0 else world.delete_pod
        for pod in pods:
            take_away(pod)
    world.put(workload)
    if note := _why_nothing_happens(
        world, workload, rolling=rollout is RolloutMode.ROLLING and bool(pods) and not rolls
    ):
        world.notes.append(f"{key_of(workload)}: {note}")
    world.deployed[key_of(workload)] = Deployed(rollout, old, tuple(pods)) if rolls else Deployed(rollout)


def _is_rolled(workload: Workload, old: Workload | None) -> bool:
    """Whether the controller replaces running pods by ones of the new form."""
    match workload, old:
        case _ if is_paused(workload):
            return False
        case ((ReplicaSet() | ReplicationController() | Job() | CronJob()), _):
            return False
        case ((Deployment() | StatefulSet() | DaemonSet()), (Deployment() | StatefulSet() | DaemonSet())):
            return not is_same_template(workload.spec.template, old.spec.template)
        case _:
            return True


def _why_nothing_happens(world: World, workload: Workload, *, rolling: bool) -> str:
    """Why applying a workload replaces or creates no pods, where that may surprise; else empty."""
    if isinstance(workload, Job) and (why := why_idle(workload)):
        return f"no pods, as {why}"
    if waits_for_its_first_rollout(world, workload) and not world.pods_of(workload):
        return "no pods before its first rollout, as it is paused"
    if is_paused(workload):
        return "no rollout, as it is paused"
    if not rolling:
        return ""
    if isinstance(workload, (Deployment, StatefulSet, DaemonSet)):
        return (
            "no rollout, as the pod template is the same in all that is read of it; "
            "env, command, args, probes and mounts are not compared"
        )
    return "no rollout, as its controller never replaces running pods"


def _with_live_state(workload: Workload, old: Workload | None) -> Workload:
    """What an apply leaves as it is: replicas that the manifest leaves out, any status, the template of the paused."""
    match workload, old:
        case Job(), Job():
            return replace(workload, status=old.status)
        case (
            (Deployment() | StatefulSet() | ReplicaSet() | ReplicationController()),
            (Deployment() | StatefulSet() | ReplicaSet() | ReplicationController()),
        ):
            replicas = old.spec.replicas if workload.spec.replicas is None else workload.spec.replicas
            template = old.spec.template if is_paused(workload) else workload.spec.template
            return replace(workload, spec=replace(workload.spec, replicas=replicas, template=template))
        case _:
            return workload


def _expansion(world: World, workload: Workload, deployed: Deployed, most: int | None) -> Expansion:
    taken = world.names_in(workload.namespace)
    if isinstance(workload, StatefulSet) and deployed.rolls:
        before = deployed.before if isinstance(deployed.before, StatefulSet) else workload
        return members_to_come(workload, before, {ordinal_of(pod.name) for pod in deployed.old})
    if isinstance(workload, StatefulSet) and deployed.rollout is RolloutMode.ADD:
        # The names are its pods' identity, so those that are there are these.
        there = (ordinal_of(name) for name in taken if name.rpartition("-")[0] == workload.name)
        return missing_members(workload, there, most)
    return expand(workload, nodes=world.nodes, replica_sets=world.all(ReplicaSet), taken=taken, most=most)


def _is_owned(obj: TopLevel, owner: Workload) -> bool:
    reference = obj.metadata.controller
    key = key_of(owner)
    return (
        reference is not None
        and obj.namespace == owner.namespace
        and (reference.kind, reference.name) == (key.kind, key.name)
    )


def apply_manifests(world: World, objects: Iterable[TopLevel], rollout: RolloutMode) -> None:
    """Apply objects in their order."""
    for obj in objects:
        release(world, obj, rollout)
