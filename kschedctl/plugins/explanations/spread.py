"""Topology spread in words: the domains with their counts, which of them count, and the skew on a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.status import Background, BackgroundOf, Cell, Detail
from kschedctl.objects.phrases import and_more, names_text, plural
from kschedctl.plugins.explanations.one_row import only
from kschedctl.plugins.explanations.wording import selector_text
from kschedctl.plugins.node_affinity import required_node_mask
from kschedctl.plugins.spread_constraints import SpreadConstraint
from kschedctl.plugins.spread_counts import (
    PLUGIN,
    REASON_LABEL,
    REASON_SKEW,
    HardCounts,
    Mask,
    SoftCounts,
    SoftState,
    SpreadRowCounts,
)

_HOLDERS = 2
"""So many of the domains with the fewest pods are named."""


def spread_details(state: Sequence[HardCounts], rows: Rows, row: int) -> Iterator[Detail]:
    """Every hard constraint that a row violates: the count of its domain, the minimum, the skew that would follow."""
    one = only(rows, row)
    changed: SpreadRowCounts | None = one.row_states.get(PLUGIN)
    for i, hard in enumerate(state):
        constraint = hard.constraint
        code = int(one.column(constraint.column.codes)[0])
        if code < 0:
            text = f"no label {constraint.key}, which a spread constraint needs"
            yield Detail(PLUGIN, REASON_LABEL, text, text)
            continue
        delta = None if changed is None else changed.deltas[:, i]
        skew = int(hard.skew(one, delta)[0])
        if skew > constraint.max_skew:
            count = int(hard.counts[code]) + (0 if delta is None else int(delta[0]))
            yield _skew_detail(hard, code, count, skew)


def _skew_detail(hard: HardCounts, code: int, count: int, skew: int) -> Detail:
    constraint = hard.constraint
    least = count + hard.own - skew
    here = f"{constraint.key}={constraint.column.values[code]} has {_pods(count, constraint)}"
    then = "one more makes skew" if hard.own else "without this pod, which is not counted, skew"
    return Detail(
        plugin=PLUGIN,
        reason=REASON_SKEW,
        subject=f"spread over {constraint.key}: skew above {constraint.max_skew}",
        text=f"{here}, {_least(hard, least)}: {then} {skew}, maxSkew is {constraint.max_skew}",
    )


def _pods(count: int, constraint: SpreadConstraint) -> str:
    return f"{plural(count, 'pod')} {selector_text(constraint.selector)}"


def _least(hard: HardCounts, least: int) -> str:
    if (few := _too_few(hard)) is not None:
        return f"minimum taken as 0 ({few})"
    holders = _holders(hard, least)
    return f"minimum {least} ({holders})" if holders else f"minimum {least}"


def _minimum_note(hard: HardCounts, barred: Mask) -> str:
    """The minimum and who holds it; also that the pod cannot go there, the trap of the inclusion policies."""
    if (few := _too_few(hard)) is not None:
        return f"The minimum is taken as 0: {few}"
    least = hard.minimum
    codes = hard.constraint.column.codes
    holders = hard.eligible & np.append(hard.counts == least, False)[codes]
    closed = ", where the pod cannot go" if barred[holders].all() else ""
    return f"The minimum is {least} ({_holders(hard, least)}{closed})"


def _too_few(hard: HardCounts) -> str | None:
    """Why the minimum is 0 whatever the counts, if it is."""
    domains, wanted = int(hard.present.sum()), max(hard.constraint.min_domains, 1)
    return f"{plural(domains, 'domain')}, minDomains {wanted}" if domains < wanted else None


def _holders(hard: HardCounts, least: int) -> str:
    """Some domains that have so few pods."""
    codes = np.flatnonzero(hard.present & (hard.counts == least))
    return and_more([hard.constraint.column.values[code] for code in codes[:_HOLDERS]], len(codes))


def hard_background(hard: HardCounts, pod: PodRecord, cluster: ClusterState, tolerated: Mask) -> Background:
    """One hard constraint: its domains, fewest pods first, and the nodes whose pods do not count.

    Args:
        hard: the constraint with its counts.
        pod: the candidate.
        cluster: the cluster.
        tolerated: bool (N,), nodes without a hard taint that the pod does not tolerate.
    """
    constraint = hard.constraint
    column = constraint.column
    eligible = np.bincount(column.codes[hard.eligible], minlength=len(column.values))
    minimum = hard.minimum
    rows: list[tuple[Cell, ...]] = []
    for code, (domain, count, nodes) in enumerate(
        zip(column.values, hard.counts.tolist(), eligible.tolist(), strict=True)
    ):
        skew = count + hard.own - minimum
        rows.append((domain, count, nodes, bool(hard.present[code]), skew, skew <= constraint.max_skew))
    rows.sort(key=lambda row: (not row[3], row[1], row[0]))
    barred = ~tolerated | ~required_node_mask(pod.pod.spec, cluster)
    return Background(
        plugin=PLUGIN,
        asked=BackgroundOf.FILTER,
        title=f"{_subject(constraint, pod)}, skew at most {constraint.max_skew}",
        columns=("domain", "pods", "nodes", "counted", "skew", "fits"),
        rows=tuple(rows),
        notes=(
            f"{_minimum_note(hard, barred)}; {_own(hard)}.",
            *_selector_notes(constraint),
            *_let_in(hard, pod, cluster, tolerated),
            *_left_out(hard, pod, cluster, tolerated),
            *_default_notes(pod),
        ),
    )


def _subject(constraint: SpreadConstraint, pod: PodRecord) -> str:
    return f"spread of {selector_text(constraint.selector)} in {pod.namespace} over {constraint.key}"


def _own(hard: HardCounts) -> str:
    return "this pod adds 1" if hard.own else "this pod does not match the selector and adds nothing"


def _selector_notes(constraint: SpreadConstraint) -> Iterator[str]:
    if constraint.selector.everything:
        yield "The selector is empty: kube-scheduler counts no running pod for it."


def _default_notes(pod: PodRecord) -> Iterator[str]:
    if not pod.pod.spec.topology_spread_constraints:
        yield "A default constraint; the selector is that of the pod's services and its controller."


def _left_out(hard: HardCounts, pod: PodRecord, cluster: ClusterState, tolerated: Mask) -> Iterator[str]:
    """Which nodes do not count, by the first cause."""
    constraint = hard.constraint
    rest = ~hard.eligible
    causes = [
        ("no label " + constraint.key, constraint.column.codes < 0),
        ("lacks the key of another hard constraint", ~hard.labelled),
    ]
    if "nodeAffinity" in constraint.honors:
        causes.append(
            (
                "the pod's node selector or affinity, nodeAffinityPolicy Honor",
                ~required_node_mask(pod.pod.spec, cluster),
            )
        )
    if "nodeTaints" in constraint.honors:
        causes.append(("taints that the pod does not tolerate, nodeTaintsPolicy Honor", ~tolerated))
    for cause, mask in causes:
        if (rest & mask).any():
            yield f"Not counted: {_nodes(rest & mask, cluster)} ({cause})."
        rest = rest & ~mask


def _let_in(hard: HardCounts, pod: PodRecord, cluster: ClusterState, tolerated: Mask) -> Iterator[str]:
    """Nodes that the pod cannot have, yet which count, because a policy says Ignore."""
    honors = hard.constraint.honors
    barred = [
        (
            "nodeAffinity",
            "its node selector or affinity, nodeAffinityPolicy Ignore",
            ~required_node_mask(pod.pod.spec, cluster),
        ),
        ("nodeTaints", "taints, nodeTaintsPolicy Ignore", ~tolerated),
    ]
    for policy, cause, mask in barred:
        if policy not in honors and (hard.eligible & mask).any():
            yield f"Counted although barred to the pod: {_nodes(hard.eligible & mask, cluster)} ({cause})."


def _nodes(mask: Mask, cluster: ClusterState) -> str:
    return names_text(sorted(cluster.nodes.names[row] for row in np.flatnonzero(mask)))


def soft_backgrounds(state: SoftState, pod: PodRecord, cluster: ClusterState) -> Iterator[Background]:
    """The soft constraints: what each domain adds to the raw score, the lower the better."""
    ignored = _nodes(state.ignored, cluster) if state.ignored.any() else ""
    for soft in state.counts:
        constraint = soft.constraint
        column = constraint.column
        by_code = dict(zip(column.codes.tolist(), soft.counts.tolist(), strict=True))
        rows = [
            (column.values[code], count, round(count * soft.weight + constraint.max_skew - 1, 2))
            for code, count in by_code.items()
            if code >= 0
        ]
        notes = [
            f"Adds pods x {soft.weight:.3f} + {constraint.max_skew - 1} "
            "(ln(domains of feasible nodes + 2), maxSkew - 1); "
            "the sum is rounded, and the lowest gets 100 points.",
            *_selector_notes(constraint),
            *_default_notes(pod),
        ]
        if ignored:
            notes.append(f"0 points: {ignored} (lacks a key).")
        yield Background(
            plugin=PLUGIN,
            asked=BackgroundOf.SCORE,
            title=f"{_subject(constraint, pod)}, wished",
            columns=("domain", "pods", "adds"),
            rows=tuple(sorted(rows, key=lambda row: (row[1], row[0]))),
            notes=tuple(notes),
        )


def spread_gap(state: SoftState, row: int, other: int, cluster: ClusterState) -> str:
    """Why two nodes score differently: the pods that count for each of them."""
    names = cluster.nodes.names
    parts: list[str] = []
    for soft in state.counts:
        codes = soft.constraint.column.codes
        lacking = [names[r] for r in (row, other) if codes[r] < 0]
        if lacking:
            parts.append(f"{' and '.join(lacking)} without label {soft.constraint.key}")
        elif soft.counts[row] != soft.counts[other]:
            own, rival = (_count_at(soft, r, names[r]) for r in (row, other))
            parts.append(f"{own} {selector_text(soft.constraint.selector)}, {rival}")
    return "; ".join(parts)


def _count_at(soft: SoftCounts, row: int, name: str) -> str:
    """`a has 3 pods`, or `n1 has 3 pods` where the domain is the node."""
    column = soft.constraint.column
    domain = column.values[int(column.codes[row])]
    where = name if domain == name else f"{domain} ({name})"
    return f"{where} has {plural(int(soft.counts[row]), 'pod')}"
