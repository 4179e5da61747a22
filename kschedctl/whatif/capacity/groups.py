"""Sets of pods whose members are groups: every set has groups of its own, placed by the cycle of groups (spec 07)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.decision import GroupDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.run import QueueRun
from kschedctl.objects.groups import PodGroup
from kschedctl.whatif.session import Session


def in_group_of_set(session: Session, pod: AdmittedPod, number: int) -> AdmittedPod:
    """A pod as a member of the group of its set, which is a copy of the one that it names.

    A pod whose group is not there, or is part of a composite one, keeps it.
    """
    named = pod.spec.scheduling_group
    if named is None:
        return pod
    cluster = session.cluster
    group = cluster.objects.find(PodGroup, named.pod_group_name, pod.namespace)
    if group is None or group.spec.parent_composite_pod_group_name is not None:
        return pod
    name = f"{group.name}-set-{number}"
    if cluster.objects.find(PodGroup, name, pod.namespace) is None:
        metadata = replace(group.metadata, name=name, uid="")
        copy = replace(group, metadata=metadata, status=type(group.status)())
        cluster.set_objects(cluster.objects.with_object(copy), keep_derived=True)
    spec = replace(pod.spec, scheduling_group=replace(named, pod_group_name=name))
    return AdmittedPod(pod.metadata, spec, pod.status, pod.node_name, pod.source)


class PlacedGroup(Struct, frozen=True):
    """What became of a group.

    Attributes:
        nodes: member id -> its node; empty where not all members were placed.
        blocking: the first member that found no node; None where all did.
    """

    nodes: Mapping[int, str]
    blocking: PodRecord | None = None


def place_group(session: Session, members: Sequence[PodRecord]) -> PlacedGroup:
    """Place all members of one group, or none."""
    cluster = session.cluster
    run = QueueRun(session.scheduler, cluster)
    for record in members:
        run.enter(record)
    entity = run.pop()
    if not isinstance(entity, Group):
        return PlacedGroup({}, members[0])
    decision = run.decide(entity)
    assert isinstance(decision, GroupDecision)
    start = cluster.mark()
    bound = run.settle(decision).bound
    if len(bound) == len(members):
        return PlacedGroup({pod: cluster.nodes.names[row] for pod, row in bound.items()})
    cluster.undo_to(start)
    tried = [one for one in decision.members() if one.attempt is None or one.attempt.placed is None]
    left = [one for one in decision.members() if one.pod.id not in bound]
    return PlacedGroup({}, (tried or left)[0].pod)
