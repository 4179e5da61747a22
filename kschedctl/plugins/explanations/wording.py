"""Selectors, terms and pods in words."""

from __future__ import annotations

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.selectors import Requirement, Selector


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
