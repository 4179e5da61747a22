"""Where a pod is written that somebody asks about, so that it can be changed there."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.advice.commands import PodHome, home_of_existing
from kschedctl.advice.measure import Reference
from kschedctl.advice.situation import ownership_of, placed_anew
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.questions.ask import PodQuestion
from kschedctl.workloads import Ownership


def home_of(question: PodQuestion) -> PodHome:
    """The manifest, the workload or the pod of the cluster."""
    workload, place = question.workload, question.place
    file = None if place is None or question.in_cluster else place.file
    if workload is not None:
        target = Reference(workload.kind, workload.namespace, workload.name, question.template)
        return PodHome(target, file)
    if isinstance(question.pod, PodRecord):
        return home_of_existing(question.pod, ownership_of(question.cluster.session))
    return PodHome(Reference("Pod", question.pod.namespace, question.pod.name), file)


def home_of_members(question: PodQuestion, members: Sequence[Pod]) -> PodHome:
    """What makes the members of a group that are changed together."""
    known = home_of(question)
    if question.workload is not None and question.pod.full_name in {member.full_name for member in members}:
        return known
    home = home_of_pods(members or [placed_anew(question.pod)], ownership_of(question.cluster.session))
    return replace(home, file=known.file)


def home_of_pods(pods: Sequence[Pod], ownership: Ownership) -> PodHome:
    """What makes pods of a cluster."""
    first, *others = dict.fromkeys(home_of_existing(pod, ownership).target for pod in pods)
    return PodHome(first, others=tuple(others))
