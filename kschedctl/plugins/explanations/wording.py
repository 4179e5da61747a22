"""Selectors, terms and pods in words."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.selectors import Requirement, Selector

_NAMES = 5


def selector_text(selector: Selector) -> str:
    """A selector the way kubectl writes it: `app=web,tier in (a,b)`.

    matchLabelKeys may repeat what the selector says already; it is told once.
    """
    if selector.nothing:
        return "no pods (no selector)"
    return ",".join(dict.fromkeys(map(_requirement_text, selector.requirements))) or "all pods"


def _requirement_text(requirement: Requirement) -> str:
    key, values = requirement.key, ",".join(requirement.values)
    match requirement.operator:
        case "In" if len(requirement.values) == 1:
            return f"{key}={values}"
        case "In":
            return f"{key} in ({values})"
        case "NotIn" if len(requirement.values) == 1:
            return f"{key}!={values}"
        case "NotIn":
            return f"{key} notin ({values})"
        case "DoesNotExist":
            return f"!{key}"
    return key


def term_text(term: AffinityTerm) -> str:
    """Which pods an affinity term means, and where: `app=web in default`."""
    return f"{selector_text(term.selector)} in {_namespaces_text(term)}"


def _namespaces_text(term: AffinityTerm) -> str:
    if term.namespace_selector.everything:
        return "every namespace"
    parts = sorted(term.namespaces)
    if not term.namespace_selector.nothing:
        parts.append(f"namespaces {selector_text(term.namespace_selector)}")
    return " or ".join(parts) or "no namespace"


def pod_text(pod: int, cluster: ClusterState) -> str:
    """A pod with its node: `default/web-1 on n1`."""
    return f"{cluster.pods.records[pod].full_name} on {cluster.nodes.names[int(cluster.pods.node[pod])]}"


def names_text(names: Sequence[str], most: int = _NAMES) -> str:
    """Some names, and how many more there are."""
    return and_more(names[:most], len(names))


def and_more(some: Sequence[str], total: int) -> str:
    """The first of so many names, and how many more there are."""
    more = f" and {total - len(some)} more" if total > len(some) else ""
    return ", ".join(some) + more


def plural(count: int, noun: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
