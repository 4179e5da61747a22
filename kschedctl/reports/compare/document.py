"""Two sides for people: what moves, why, and how balanced each side ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kschedctl.framework.registry import Registry
from kschedctl.objects.phrases import plural
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.compare.build import ABSENT, pairs
from kschedctl.reports.compare.figures import figures
from kschedctl.reports.compare.model import Balance, MovedPod, SideBySide, WhyThere
from kschedctl.reports.document import CAVEAT, Block, Context, FactList, Headline, ReportDocument
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone

_MOST: Final = {Medium.TABLE: 12, Medium.MARKDOWN: 50}
_MOST_PLUGINS: Final = 3
_ONE: Final = {
    "find no node any more": "finds no node any more",
    "find a node now": "finds a node now",
    "land elsewhere": "lands elsewhere",
    "end otherwise": "ends otherwise",
}
"""What becomes of several pods -> of one, the worst first."""


def documents(reports: Iterable[SideBySide], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[SideBySide]) -> Iterator[str]:
    """Pods that end otherwise."""
    for report in reports:
        yield from (moved.pod for moved in report.moved)


def document(report: SideBySide, context: Context) -> ReportDocument:
    """The document of a report."""
    worse = any(moved.nodes[0] is not None and moved.nodes[1] is None for moved in report.moved)
    tone = Tone.YES if report.same else Tone.NO if worse else Tone.MIXED
    return ReportDocument(
        Headline(tone, _verdict(report)),
        head=_head(report),
        changes=report.changes,
        figures=lambda: figures(report),
        blocks=list(_blocks(report, context.registry or IN_TREE)),
    )


def _verdict(report: SideBySide) -> str:
    first, second = report.sides
    if report.same:
        return f"all {plural(first.wanted, 'pod')} end alike"
    kinds = Counter(_kind(moved) for moved in report.moved)
    parts = [
        f"{plural(kinds[kind], 'pod')} {_ONE[kind] if kinds[kind] == 1 else kind}"
        for kind in _ONE
        if kinds[kind]
    ]
    pending = f"{second.wanted - second.placed:,} of {plural(second.wanted, 'pod')}"
    return f"{', '.join(parts)}; {pending} pending in the end"


def _kind(moved: MovedPod) -> str:
    before, after = moved.nodes
    if ABSENT in moved.outcomes:
        return "end otherwise"
    if before and after:
        return "land elsewhere"
    if before:
        return "find no node any more"
    return "find a node now" if after else "end otherwise"


def _head(report: SideBySide) -> str:
    parts = []
    for side in report.sides:
        source = ", ".join(side.cluster.source)
        parts.append(f"{side.label}: kube-scheduler {side.scheduler.version}; {source}".rstrip("; "))
    return " | ".join(parts)


def _blocks(report: SideBySide, registry: Registry) -> Iterator[Block]:
    labels = [side.label for side in report.sides]
    if report.moved:
        columns = [
            Column("pod", CellKind.NAME_CUT),
            *(Column(label, CellKind.NAME_CUT) for label in labels),
            Column("why"),
        ]
        rows = [
            Row([moved.pod, *(_end(moved, at) for at in (0, 1)), _why(moved, labels, registry)])
            for moved in report.moved
        ]
        yield Table(columns, rows, noun="pod", limits=_MOST)
    yield _sums(report)
    yield FactList.of(
        [
            *(
                [("anew", "running pods were placed anew on both sides, in order of age")]
                if report.anew
                else []
            ),
            *((CAVEAT, caveat.message) for caveat in report.cluster.caveats),
        ]
    )


def _end(moved: MovedPod, at: int) -> str:
    return moved.nodes[at] or ("-" if moved.outcomes[at] == ABSENT else moved.outcomes[at].lower())


def _why(moved: MovedPod, labels: list[str], registry: Registry) -> str:
    texts = [f"{labels[why.side]}: {_sentence(why, moved, registry)}" for why in moved.why]
    texts += [f"{labels[at]}: {message}" for at, message in enumerate(moved.messages) if message]
    return "; ".join(texts)


def _sentence(why: WhyThere, moved: MovedPod, registry: Registry) -> str:
    other = moved.nodes[1 - why.side]
    if why.rejected:
        return f"not {other}: {why.rejected}"
    told = list(why.plugins.items())[:_MOST_PLUGINS]
    points = ", ".join(f"{registry.score_title(plugin)} {more:+}" for plugin, more in told)
    if not why.ahead:
        return f"equal points with {other}" + (f" ({points})" if points else "")
    return f"{why.ahead:+} over {other} ({points})" if points else f"{why.ahead:+} over {other}"


def _sums(report: SideBySide) -> Table:
    first, second = report.sides
    rows = [
        Row(["pods placed", f"{first.placed} of {first.wanted}", f"{second.placed} of {second.wanted}"]),
        Row(["preempted", str(first.evicted), str(second.evicted)]),
        Row(
            ["nodes in use", f"{first.nodes_used} of {first.nodes}", f"{second.nodes_used} of {second.nodes}"]
        ),
    ]
    for pair in pairs(report.sides):
        told = [_told(one) for one in pair]
        titles = dict.fromkeys(title for one in told for title in one)
        rows += [Row([title, *(one.get(title, "") for one in told)]) for title in titles]
    return Table([Column(""), Column(first.label), Column(second.label)], rows, limits={})


def _told(one: Balance | None) -> dict[str, str]:
    """What there is to say of the balance of a resource."""
    if one is None:
        return {}
    found = {f"{one.resource} requested": f"{one.used:.0%}"}
    if one.resource != "pods":
        found[f"{one.resource}: nodes differ by"] = f"± {one.deviation:.0%}"
        for title, shares in (("zones", one.zones), ("pools", one.pools)):
            if shares and shares[0] != shares[1]:
                found[f"{one.resource}: {title}"] = f"{shares[0]:.0%} to {shares[1]:.0%}"
        found[f"{one.resource}: largest free"] = one.largest_free_text
    return found
