"""What may surprise in an answer that is right: facts that decide silently, or decide nothing where they seem to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod_requests import is_extended_resource, to_resource_units
from kschedctl.objects.quantity import parse
from kschedctl.objects.resource import ResourceClaimTemplate
from kschedctl.objects.storage import CsiNode
from kschedctl.objects.units import amount_text
from kschedctl.plugins.pod_topology_spread import PodTopologySpread
from kschedctl.reports.explain.silent_scores import silent_scores
from kschedctl.scheduling.decision import Decision, Outcome

_MOST: Final = 3
_ALIKE: Final = 0.8
"""How much alike words must be to be taken for each other."""


def surprises(decision: Decision) -> list[str]:
    """A sentence for each; to be made while the cluster is as it was decided."""
    if decision.outcome is Outcome.GATED:
        return [*_missing_templates(decision)]
    if decision.framework is None or decision.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE):
        return []
    found = [*_spread(decision)]
    if decision.outcome is Outcome.SCHEDULED:
        found += [*_cordoned(decision), *_attachments(decision), *silent_scores(decision)]
    else:
        found += [*_not_allocatable(decision), *_nowhere_offered(decision), *_misspelt(decision)]
    return found


def _missing_templates(decision: Decision) -> Iterator[str]:
    """Claims that wait for a template, without which nobody makes them."""
    pod, find = decision.pod.pod, decision.cluster.objects.find
    made = {status.name for status in pod.status.resource_claim_statuses}
    for claim in pod.spec.resource_claims:
        template = claim.resource_claim_template_name
        if (
            template
            and claim.name not in made
            and find(ResourceClaimTemplate, template, pod.namespace) is None
        ):
            yield (
                f"claim {claim.name} is to be made from ResourceClaimTemplate {pod.namespace}/{template}, which is "
                "not there: the pod stays gated until somebody creates it"
            )


def _cordoned(decision: Decision) -> Iterator[str]:
    cluster, row = decision.cluster, decision.selected
    if row is not None and row < cluster.nodes.count and bool(cluster.nodes.unschedulable[row]):
        yield f"{decision.selected_node} is cordoned, and the pod tolerates that"


def _spread(decision: Decision) -> Iterator[str]:
    """Constraints that count nothing, and those that nobody wrote into the pod."""
    constraints = decision.pod.pod.spec.topology_spread_constraints
    for constraint in constraints:
        selector = constraint.label_selector
        if selector is None or selector.empty:
            what = "no labelSelector" if selector is None else "an empty labelSelector"
            yield f"the spread over {constraint.topology_key} has {what}: it counts no pod, and decides nothing"
    framework = decision.framework
    assert framework is not None
    name = PodTopologySpread.spec.name
    args = framework.profile.args(name)
    defaults = getattr(args, "default_constraints", ())
    if not constraints and defaults and framework.has(name):
        keys = names_text(list(dict.fromkeys(c.topology_key for c in defaults)), _MOST)
        yield f"the pod has no spread constraint of its own: those of the scheduler's configuration count ({keys})"


def _attachments(decision: Decision) -> Iterator[str]:
    """A node without an entry for its CSI drivers has no limit, where others have one."""
    objects, node = decision.cluster.objects, decision.selected_node
    claims = any(v.persistent_volume_claim for v in decision.pod.pod.spec.volumes)
    if claims and node and objects.all(CsiNode) and objects.find(CsiNode, node) is None:
        yield f"{node} has no CSINode: how many volumes it can attach is not known, and taken to be no limit"


def _not_allocatable(decision: Decision) -> Iterator[str]:
    """A resource that nodes have in their capacity, and do not give to pods."""
    cluster = decision.cluster
    for name, needs in decision.pod.pod_class.requests.items():
        column = cluster.resources.column(name)
        if needs <= 0 or column is None:
            continue
        allocatable = cluster.nodes.allocatable[:, column]
        for row in (allocatable < needs).nonzero()[0].tolist():
            node, given = cluster.nodes.objects[row], int(allocatable[row])
            whole = node.status.capacity.get(name)
            if whole is not None and given < needs <= to_resource_units(name, parse(whole)):
                has = amount_text(name, to_resource_units(name, parse(whole)))
                yield (
                    f"{node.name} has {has} {name} in its capacity, of which {amount_text(name, given)} can be "
                    "allocated: what offers it there may be down, or keeps it for the system"
                )
                break


def _nowhere_offered(decision: Decision) -> Iterator[str]:
    """An extended resource that no node has: whoever offers it is not there, or it is written otherwise."""
    cluster = decision.cluster
    nodes = cluster.nodes
    offered = [
        name
        for at, name in enumerate(cluster.resources.names)
        if is_extended_resource(name) and nodes.count and bool(nodes.allocatable[:, at].any())
    ]
    for name, needs in decision.pod.pod_class.requests.items():
        if needs <= 0 or not is_extended_resource(name) or name in offered:
            continue
        if any(name in node.status.capacity for node in nodes.objects):
            continue
        there = f"; nodes offer {names_text(offered, _MOST)}" if offered else ""
        yield f"no node has {name}: the device plugin that offers it runs nowhere, or it is called otherwise{there}"


def _misspelt(decision: Decision) -> Iterator[str]:
    """A node selector with a label, or a value, that no node has, where some have one much like it."""
    nodes = decision.cluster.nodes
    for key, value in (decision.pod.pod.spec.node_selector or {}).items():
        values = {node.metadata.labels.get(key) for node in nodes.objects} - {None}
        if value in values:
            continue
        if values:
            near = _like(value, [one for one in values if one])
            known = f"{key}={near}"
        else:
            near = known = _like(key, {label for node in nodes.objects for label in node.metadata.labels})
        if near:
            yield f"no node has the label {f'{key}={value}' if values else key}; some have {known}"


def _like(word: str, known: Iterable[str]) -> str:
    """The one of some words that is most like another one; empty where none is."""
    ordered = sorted(known)
    same = [one for one in ordered if one.casefold() == word.casefold()]
    return next(iter([*same, *get_close_matches(word, ordered, 1, _ALIKE)]), "")
