"""Where a pod is written that somebody asks about, so that it can be changed there."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.advice.commands import PodHome, holder_of, home_of_existing
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
    if workload is None and not isinstance(question.pod, PodRecord):
        target = Reference("Pod", question.pod.namespace, question.pod.name)
        return PodHome(target, file, manifests=question.manifests)
    known = home_of_existing(question.pod, ownership_of(question.cluster.session))
    if workload is None:
        return known
    target = Reference(workload.kind, workload.namespace, workload.name)
    if question.template is not None:
        target = holder_of(question.template)
    template = next(iter(known.templates.values()), None)
    templates = {} if template is None else {target: template}
    return replace(known, target=target, file=file, manifests=question.manifests, templates=templates)


def home_of_members(question: PodQuestion, members: Sequence[Pod]) -> PodHome:
    """What makes the members of a group that are changed together."""
    known = home_of(question)
    if question.workload is not None and question.pod.full_name in {member.full_name for member in members}:
        return known
    home = home_of_pods(members or [placed_anew(question.pod)], ownership_of(question.cluster.session))
    return replace(home, file=known.file, manifests=known.manifests)


def home_of_pods(pods: Sequence[Pod], ownership: Ownership) -> PodHome:
    """What makes pods of a cluster."""
    first, *others = (home_of_existing(pod, ownership) for pod in pods)
    targets = dict.fromkeys(home.target for home in others if home.target != first.target)
    templates = {target: template for home in (first, *others) for target, template in home.templates.items()}
    return replace(first, others=tuple(targets), templates=templates)
