"""Node selectors and node affinity in words: which label of a node is not what a pod or its profile wants."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.go import parse_int
from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.selectors import COMPARISONS, Requirement, lenient_node_terms


def mismatches(spec: PodSpec, labels: dict[str, str], name: str) -> list[tuple[str, str]]:
    """What the selector and the required affinity of a pod want and a node lacks: subject and text of each."""
    found = [
        (f"label {key}: wants {value}", f"{_shown(key, labels.get(key))}, wants {value}")
        for key, value in (spec.node_selector or {}).items()
        if labels.get(key) != value
    ]
    required = spec.affinity.node_affinity.required if spec.affinity and spec.affinity.node_affinity else None
    if required is None:
        return found
    if not any(term.match_expressions or term.match_fields for term in required.node_selector_terms):
        return [
            *found,
            ("required node affinity without terms", "required node affinity has no term to match"),
        ]
    missed: list[list[tuple[str, str]]] = []
    for term in required.node_selector_terms:
        wrong = _wrong_in(term, labels, name)
        if wrong is None:
            return found
        missed.append(wrong)
    return found + (missed[0] if len(missed) == 1 else [_no_term(required, missed)])


def _no_term(required: NodeSelector, missed: list[list[tuple[str, str]]]) -> tuple[str, str]:
    """What is said of a node that matches none of several terms: one would be enough."""
    texts = [" and ".join(text for _, text in wrong) for wrong in missed]
    return f"labels: wants {terms_text(required.node_selector_terms)}", "; or ".join(texts)


def terms_text(terms: Sequence[NodeSelectorTerm]) -> str:
    """Terms of which one is enough: `pool In [a] and disk Exists, or zone In [b]`."""
    wishes = [
        " and ".join(f"{entry.key} {_wish(entry)}" for entry in (*term.match_expressions, *term.match_fields))
        for term in terms
    ]
    return ", or ".join(filter(None, wishes))


def added_mismatch(required: NodeSelector, labels: dict[str, str], name: str) -> tuple[str, str]:
    """What the affinity that a profile adds wants and a node lacks: subject and text."""
    subject = f"the scheduler profile adds a node affinity: {terms_text(required.node_selector_terms)}"
    wrong = [_wrong_in(term, labels, name) or [] for term in required.node_selector_terms]
    texts = [" and ".join(text.partition(", wants")[0] for _, text in one) for one in wrong]
    return subject, f"{subject}; the node has {' or '.join(dict.fromkeys(texts))}"


def _wrong_in(term: NodeSelectorTerm, labels: dict[str, str], name: str) -> list[tuple[str, str]] | None:
    """What a term wants and the node lacks; None where the term matches."""
    wrong = [
        (
            f"label {e.key}: wants {_wish(e)}",
            f"{_shown(e.key, labels.get(e.key))}, wants {_wish(e)}{_incomparable(e, labels.get(e.key))}",
        )
        for e in term.match_expressions
        if not _accepts(e, labels.get(e.key))
    ]
    wrong += [
        (f"node name: wants {_wish(f)}", f"node name {name}, wants {_wish(f)}")
        for f in term.match_fields
        if not _accepts(f, name)
    ]
    if wrong:
        return wrong
    matches = bool(lenient_node_terms(NodeSelector(node_selector_terms=(term,))))
    return (
        None
        if matches
        else [("a term that is not valid", "the term is empty or not valid, so it matches nothing")]
    )


def _accepts(entry: NodeSelectorRequirement, value: str | None) -> bool:
    return Requirement(entry.key, entry.operator, entry.values).accepts(value)


def _wish(entry: NodeSelectorRequirement) -> str:
    wish = f"{entry.operator} [{', '.join(entry.values)}]" if entry.values else entry.operator
    if entry.operator in COMPARISONS and any(parse_int(value) is None for value in entry.values):
        return f"{wish}, which is no integer and matches nothing"
    return wish


def _incomparable(entry: NodeSelectorRequirement, value: str | None) -> str:
    """That the value of a node cannot be compared, although the pod's can."""
    if entry.operator not in COMPARISONS or value is None or parse_int(value) is not None:
        return ""
    return "" if any(parse_int(v) is None for v in entry.values) else f"; {value} is no integer"


def _shown(key: str, value: str | None) -> str:
    return f"no label {key}" if value is None else f"label {key}={value}"
