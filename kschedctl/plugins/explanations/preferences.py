"""Preferred node affinity in words: which wish of a pod only one of two nodes meets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.selectors import NodeTerm, Requirement, parse_preferred_terms


def preferences_gap(
    pod: PodRecord, added: Sequence[tuple[int, NodeTerm]], row: int, other: int, cluster: ClusterState
) -> str:
    """Why two nodes score differently: the preferred terms that only one of them matches.

    Args:
        pod: the candidate.
        added: weights and terms that its profile adds.
        row: a node.
        other: another one.
        cluster: the cluster.
    """
    affinity = pod.pod.spec.affinity
    preferred = affinity.node_affinity.preferred if affinity and affinity.node_affinity else ()
    nodes = cluster.nodes
    parts = []
    own = [(weight, term, "") for weight, term in parse_preferred_terms(preferred)]
    for weight, term, whose in [*own, *((w, t, " of the profile") for w, t in added)]:
        here, there = (term.matches(nodes.labels(r), nodes.names[r]) for r in (row, other))
        if here != there:
            wish = " and ".join(map(_wish, (*term.expressions, *term.fields)))
            parts.append(f"{nodes.names[row if here else other]} has {wish}, weight {weight}{whose}")
    return "; ".join(parts)


def _wish(wanted: Requirement) -> str:
    if wanted.operator == "In" and len(wanted.values) == 1:
        return f"{wanted.key}={wanted.values[0]}"
    values = f" [{', '.join(wanted.values)}]" if wanted.values else ""
    return f"{wanted.key} {wanted.operator}{values}"
