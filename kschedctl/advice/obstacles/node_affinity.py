"""Node selectors and required node affinity: one condition less, one value more, or a label on a node."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kschedctl.advice.json_patch import add, add_within, document_of, put, remove
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.node import Node
from kschedctl.objects.selectors import Requirement, lenient_node_terms
from kschedctl.workloads.controllers import is_daemon

_MOST_KINDS: Final = 24
_MOST_LABELLED: Final = 3
_GIVEN: Final = ("kubernetes.io/", "topology.kubernetes.io/", "node.kubernetes.io/", "failure-domain.beta.")
"""Labels that say what a node is: to write another value there would be a lie."""
_BEYOND: Final = {"Gt": -1, "Lt": 1}
"""Operators that compare -> how far a bound has to be from a value that it lets in."""
_INTEGER: Final = re.compile(r"-?\d{1,18}")
_FRACTION: Final = re.compile(r"-?\d{1,15}\.\d{1,15}")
_TERMS: Final = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)


def node_affinity(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """What keeps the pod away from each kind of node, dropped, relaxed, or met by a label."""
    seen: set[str] = set()
    labels = 0
    for row in situation.nearest(rows, _MOST_KINDS).tolist():
        node = situation.cluster.nodes.objects[row]
        for changes in _of_pod(situation, node):
            text = " and ".join(change.text for change in changes)
            if text not in seen:
                seen.add(text)
                yield changes
        made = _labelling(situation, node, row)
        if made and labels < _MOST_LABELLED:
            labels += 1
            yield made


def _of_pod(situation: Situation, node: Node) -> Iterator[Measures]:
    """The conditions of the pod that this node does not meet, given up."""
    selector = tuple(_of_selector(situation, node))
    affinity = situation.spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    if required is None or _matches(required, node):
        if selector:
            yield selector
        return
    if is_daemon(situation.record.pod):
        return  # a daemon is made for its node, and its controller says so
    for at, term in enumerate(required.node_selector_terms):
        for changes in _of_term(required, at, term, node):
            yield (*selector, *changes)
    terms = required.node_selector_terms
    if len(terms) > 1 or not any(term.match_expressions or term.match_fields for term in terms):
        why = f"all {len(terms)} terms of it" if terms else "without terms it matches nothing"
        text = f"required node affinity ({why}) dropped"
        patch = PodPatch((remove("spec", *_TERMS[:3]),))
        yield (*selector, Measure("selector-drop", text, (patch,), size=max(1.0, len(terms) / 2)))


def _of_selector(situation: Situation, node: Node) -> Iterator[Measure]:
    """The labels that the node lacks, not asked for; some are asked for by the runtime class."""
    written = situation.document["spec"].get("nodeSelector", {})
    wrong = [k for k, v in (situation.spec.node_selector or {}).items() if node.metadata.labels.get(k) != v]
    for key in filter(written.__contains__, wrong):
        patch = PodPatch((remove("spec", "nodeSelector", key),))
        yield Measure("selector-drop", f"nodeSelector {key}={written[key]} dropped", (patch,))
    if not all(key in written for key in wrong):
        text = f"runtimeClassName {situation.spec.runtime_class_name} dropped"
        yield Measure("selector-drop", text, (PodPatch((remove("spec", "runtimeClassName"),)),))


def _of_term(required: NodeSelector, at: int, term: NodeSelectorTerm, node: Node) -> Iterator[Measures]:
    """The term relaxed, and what the node lacks of it dropped."""
    groups = ("matchExpressions", term.match_expressions), ("matchFields", term.match_fields)
    wrong = [
        (group, i, entry)
        for group, entries in groups
        for i, entry in enumerate(entries)
        if not _accepts(entry, node, of_field=group == "matchFields")
    ]
    count = len(term.match_expressions) + len(term.match_fields)
    if wrong and len(wrong) < count:
        yield tuple(
            Measure(
                "selector-drop",
                f"node affinity {_expression(entry)} dropped",
                (PodPatch((remove("spec", *_TERMS, at, group, i),)),),
            )
            for group, i, entry in reversed(wrong)
        )
    elif len(required.node_selector_terms) == 1:
        patch = PodPatch((remove("spec", *_TERMS[:3]),))
        yield (
            Measure("selector-drop", f"{_affinity_text(term)} dropped", (patch,), size=max(1, len(wrong))),
        )
    relaxed = tuple(filter(None, (_relaxed(at, group, i, entry, node) for group, i, entry in wrong)))
    if relaxed and len(relaxed) == len(wrong):
        yield relaxed


def _relaxed(at: int, group: str, i: int, entry: NodeSelectorRequirement, node: Node) -> Measure | None:
    """The condition with the node's value let in."""
    value = node.metadata.labels.get(entry.key)
    if group != "matchExpressions" or value is None:
        return None
    where = ("spec", *_TERMS, at, group, i, "values")
    if entry.operator in _BEYOND:
        bound = _bound(entry, value)
        if bound is None:
            return None
        text, operation = f"node affinity {entry.key} {entry.operator} {bound}", put([str(bound)], *where)
    elif entry.operator == "In":
        text, operation = f"node affinity {entry.key} In also {value}", add(value, *where, "-")
    elif entry.operator == "NotIn" and value in entry.values and len(entry.values) > 1:
        text = f"node affinity {entry.key} NotIn without {value}"
        operation = remove(*where, entry.values.index(value))
    else:
        return None
    return Measure("selector-relax", text, (PodPatch((operation,)),))


def _bound(entry: NodeSelectorRequirement, value: str) -> int | None:
    """The bound nearest to the one that is written with which a value is let in; None where there is none."""
    if len(entry.values) != 1 or not _INTEGER.fullmatch(value):
        return None
    nearest = int(value) + _BEYOND[entry.operator]
    if not _FRACTION.fullmatch(entry.values[0]):
        return nearest
    # A bound with a fraction matches nothing: the integer beside it is what was meant.
    written = float(entry.values[0])
    return min(math.floor(written), nearest) if entry.operator == "Gt" else max(math.ceil(written), nearest)


def _affinity_text(term: NodeSelectorTerm) -> str:
    entries = (*term.match_expressions, *term.match_fields)
    if not entries:
        return "required node affinity (its empty term matches nothing)"
    return f"node affinity {' and '.join(map(_expression, entries))}"


def _expression(entry: NodeSelectorRequirement) -> str:
    values = f" [{', '.join(entry.values)}]" if entry.values else ""
    return f"{entry.key} {entry.operator}{values}"


def _matches(required: NodeSelector, node: Node) -> bool:
    return any(term.matches(node.metadata.labels, node.name) for term in lenient_node_terms(required))


def _accepts(entry: NodeSelectorRequirement, node: Node, *, of_field: bool) -> bool:
    value = node.name if of_field else node.metadata.labels.get(entry.key)
    if entry.operator in ("Gt", "Lt") and len(entry.values) != 1:
        return False
    return Requirement(entry.key, entry.operator, entry.values).accepts(value)


def _labelling(situation: Situation, node: Node, row: int) -> Measures | None:
    """The labels that the node lacks, where somebody may set them."""
    spec, labels = situation.spec, node.metadata.labels
    wanted = {k: v for k, v in (spec.node_selector or {}).items() if labels.get(k) != v}
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity and affinity.required and not _matches(affinity.required, node):
        found = _labels_for(affinity.required.node_selector_terms, node)
        if found is None:
            return None
        wanted |= found
    if not wanted or any(key.startswith(_GIVEN) for key in wanted):
        return None
    return (labelled(node, row, wanted),)


def _labels_for(terms: Sequence[NodeSelectorTerm], node: Node) -> dict[str, str] | None:
    """Labels with which the node would match a term; None where no label helps."""
    for term in terms:
        if not all(_accepts(field, node, of_field=True) for field in term.match_fields):
            continue
        wrong = [e for e in term.match_expressions if not _accepts(e, node, of_field=False)]
        found = {
            e.key: e.values[0] if e.operator == "In" else "true"
            for e in wrong
            if e.operator in ("In", "Exists")
        }
        if wrong and len(found) == len(wrong) and all(found.values()):
            return found
    return None


def labelled(node: Node, row: int | None, wanted: dict[str, str]) -> Measure:
    """A node with labels that it lacks, or has otherwise."""
    document: Any = document_of(node)
    if document["metadata"].get("labels"):
        operations = [add(value, "metadata", "labels", key) for key, value in wanted.items()]
    else:
        operations = [add_within(document, wanted, "metadata", "labels")]
    pairs = [f"{key}={value}" for key, value in wanted.items()]
    over = " --overwrite" if any(key in node.metadata.labels for key in wanted) else ""
    return Measure(
        "label-node",
        f"{node.name} labelled {' and '.join(pairs)}",
        (ObjectPatch(Reference("Node", "", node.name), tuple(operations)),),
        size=len(wanted),
        row=row,
        command=f"kubectl label nodes {node.name} {' '.join(pairs)}{over}",
    )
