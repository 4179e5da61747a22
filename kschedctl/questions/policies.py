"""Policies of spread constraints that decide: the question asked again with the default in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.objects.constraints import TopologySpreadConstraint
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import WrittenPodSpec
from kschedctl.questions.ask import PodQuestion
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.judgement.explain import judging

_POLICIES: Final = (
    ("node_taints_policy", "nodeTaintsPolicy", "Ignore"),
    ("node_affinity_policy", "nodeAffinityPolicy", "Honor"),
)
"""Field, its name in manifests, and its default."""


def deciding_policies(question: PodQuestion, found: Decision) -> list[str]:
    """A sentence for each policy but for which a pod that finds a node would find none."""
    pod = question.pod if isinstance(question.pod, Pod) else question.pod.pod.source
    if pod is None or found.outcome is not Outcome.SCHEDULED or found.group is not None:
        return []
    return [*_told(question, pod)]


def _told(question: PodQuestion, pod: Pod) -> Iterator[str]:
    for at, constraint in enumerate(pod.spec.topology_spread_constraints):
        if constraint.when_unsatisfiable != "DoNotSchedule":
            continue
        for field, name, default in _POLICIES:
            value = getattr(constraint, field)
            if value in (None, default):
                continue
            other = _with(pod, at, replace(constraint, **{field: default}), name, default)
            with judging(question.cluster.session, other) as found:
                fits = not isinstance(found, Invalid) and found.outcome is Outcome.SCHEDULED
            if not fits:
                yield (
                    f"{name}: {value} decides: with {default}, the default, the spread over {constraint.topology_key} "
                    "counts otherwise, and the pod fits on no node"
                )


def _with(pod: Pod, at: int, constraint: TopologySpreadConstraint, name: str, value: str) -> Pod:
    """The pod with one constraint changed, in its document, too."""
    constraints = list(pod.spec.topology_spread_constraints)
    constraints[at] = constraint
    spec = replace(pod.spec, topology_spread_constraints=tuple(constraints))
    if isinstance(spec, WrittenPodSpec):
        document = msgspec.json.decode(msgspec.json.encode(spec.written))
        document["spec"]["topologySpreadConstraints"][at][name] = value
        spec = replace(spec, written=document)
    return replace(pod, spec=spec)
