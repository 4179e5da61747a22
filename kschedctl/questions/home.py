"""Where a pod is written that somebody asks about, so that it can be changed there."""

from __future__ import annotations

from kschedctl.advice.commands import PodHome, home_of_existing
from kschedctl.advice.measure import Reference
from kschedctl.advice.situation import ownership_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.questions.ask import PodQuestion


def home_of(question: PodQuestion) -> PodHome:
    """The manifest, the workload or the pod of the cluster."""
    workload, place = question.workload, question.place
    file = None if place is None or question.in_cluster else place.file
    if workload is not None:
        return PodHome(Reference(workload.kind, workload.namespace, workload.name), file)
    if isinstance(question.pod, PodRecord):
        return home_of_existing(question.pod, ownership_of(question.cluster.session))
    return PodHome(Reference("Pod", question.pod.namespace, question.pod.name), file)
