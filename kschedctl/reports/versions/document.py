"""What two versions answer otherwise, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.framework.registry import Registry
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.document import CAVEAT, Block, Context, FactList, Headline, ReportDocument
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.explain.sentences import fault
from kschedctl.reports.medium import Medium
from kschedctl.reports.model import ClusterSummary
from kschedctl.reports.sentences import subject
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone
from kschedctl.reports.versions.model import (
    ApiChange,
    ExplanationVersions,
    SimulationVersions,
    VersionNode,
)

_MOST: Final = MappingProxyType({Medium.TABLE: 12, Medium.MARKDOWN: 50})
_ENDS: Final = MappingProxyType(
    {
        "Unschedulable": "finds no node",
        "Gated": "is not tried",
        "Error": "ends in an error",
        "Invalid": "is refused by the API server",
        "NoProfile": "is handled by no profile",
        "Terminating": "is being deleted",
    }
)

Report = ExplanationVersions | SimulationVersions


def documents(reports: Iterable[Report], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    for report in reports:
        if isinstance(report, ExplanationVersions):
            yield _of_pod(report, context.registry or IN_TREE)
        else:
            yield _of_many(report)


def names(reports: Iterable[Report]) -> Iterator[str]:
    """Pods that end otherwise."""
    for report in reports:
        if isinstance(report, SimulationVersions):
            yield from (pod.pod for pod in report.pods)
        elif len({*report.outcomes, *report.selected_nodes}) > 2:
            yield report.pod.full_name


def _of_pod(report: ExplanationVersions, registry: Registry) -> ReportDocument:
    return ReportDocument(
        Headline(_tone([one.scheduled for one in report.answers], same=report.same), _pod_sentence(report)),
        head=_head(report.versions, report.cluster),
        blocks=[*_pod_blocks(report, registry), *_facts(report.api, report.cluster)],
    )


def _pod_sentence(report: ExplanationVersions) -> str:
    who = subject(report.pod)
    first, second = report.versions
    ends = [_end(one) for one in report.answers]
    if ends[0] == ends[1]:
        rest = "" if report.same else ", but not all is the same"
        return f"{who} {ends[0]} in {first} and in {second}{rest}"
    return f"{who} {ends[0]} in {first}, and {ends[1]} in {second}"


def _end(answer: Explanation) -> str:
    if answer.scheduled:
        return f"goes to {answer.selected_node}"
    return _ENDS[answer.outcome]


def _pod_blocks(report: ExplanationVersions, registry: Registry) -> Iterator[Block]:
    verdicts = [node for node in report.nodes if node.verdicts[0] != node.verdicts[1]]
    if verdicts:
        columns = [Column("node", CellKind.NAME_CUT), *map(Column, report.versions)]
        rows = [Row([node.node, *(text or "fits" for text in node.verdicts)]) for node in verdicts]
        yield Table(columns, rows, noun="node", limits=_MOST)
    scored = [node for node in report.nodes if node.plugins]
    if scored:
        yield _scores(scored, report, registry)
    yield FactList.of(
        [
            *(
                (f"event {version}", text)
                for version, text in zip(report.versions, report.events, strict=False)
            ),
            *(("fault", fault(one.fault)) for one in report.answers if one.fault is not None),
        ]
    )


def _scores(nodes: Sequence[VersionNode], report: ExplanationVersions, registry: Registry) -> Table:
    """Totals, and the points of plugins that give others: `72 > 70`."""
    plugins = list(dict.fromkeys(plugin for node in nodes for plugin in node.plugins))
    columns = [
        Column("node", CellKind.NAME_CUT),
        *(Column(version, CellKind.NUMBER) for version in report.versions),
        *(Column(registry.score_title(plugin), long=plugin) for plugin in plugins),
    ]
    rows = [
        Row(
            [
                node.node,
                *(_number(total) for total in node.totals),
                *(" > ".join(map(str, node.plugins.get(plugin, ()))) for plugin in plugins),
            ],
            chosen=node.node in report.selected_nodes,
        )
        for node in sorted(nodes, key=lambda node: -max(total or 0 for total in node.totals))
    ]
    return Table(columns, rows, noun="node", limits=_MOST)


def _of_many(report: SimulationVersions) -> ReportDocument:
    everything = [wanted == placed for wanted, placed in zip(report.wanted, report.placed, strict=True)]
    blocks: list[Block] = []
    if report.pods:
        columns = [
            Column("workload", merged=True),
            Column("pod", CellKind.NAME_CUT),
            *map(Column, report.versions),
        ]
        rows = [
            Row([pod.workload, pod.pod.partition("/")[2], *map(_place, pod.outcomes, pod.nodes)])
            for pod in report.pods
        ]
        blocks.append(Table(columns, rows, noun="pod", limits=_MOST))
    if report.evicted:
        columns = [Column("preempted", CellKind.NAME_CUT), *map(Column, report.versions)]
        rows = [
            Row([pod, *("yes" if found else "no" for found in both)]) for pod, both in report.evicted.items()
        ]
        blocks.append(Table(columns, rows, noun="pod", limits=_MOST))
    return ReportDocument(
        Headline(_tone(everything, same=report.same), _many_sentence(report)),
        head=_head(report.versions, report.cluster),
        blocks=[*blocks, *_facts(report.api, report.cluster)],
    )


def _many_sentence(report: SimulationVersions) -> str:
    first, second = report.versions
    counts = [f"{placed} of {wanted}" for wanted, placed in zip(report.wanted, report.placed, strict=True)]
    if report.same:
        return f"{counts[0]} pods placed, alike in {first} and in {second}"
    moved = f"{len(report.pods)} end otherwise"
    if counts[0] == counts[1]:
        return f"{counts[0]} pods placed in {first} and in {second}; {moved}"
    return f"{counts[0]} pods placed in {first}, {counts[1]} in {second}; {moved}"


def _tone(yes: Sequence[bool], *, same: bool) -> Tone:
    if not all(yes):
        return Tone.NO
    return Tone.YES if same else Tone.MIXED


def _head(versions: Sequence[str], cluster: ClusterSummary) -> str:
    return f"kube-scheduler {' and '.join(versions)}; {', '.join(cluster.source)}"


def _facts(api: Sequence[ApiChange], cluster: ClusterSummary) -> Iterator[Block]:
    yield FactList.of(
        [
            *((f"API of {change.version}", change.text) for change in api),
            *((CAVEAT, caveat.message) for caveat in cluster.caveats),
        ]
    )


def _place(outcome: str, node: str | None) -> str:
    return node or ("no node" if outcome == "Unschedulable" else outcome)


def _number(points: int | None) -> str:
    return "-" if points is None else str(points)
