"""The tables of a report on a preemption as plain text in rows; renderers only draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedctl.reports import preempt_sentences as sentences
from kschedctl.reports.preempt import CandidateNode, EvictedPod, Preemption


@dataclass(frozen=True, slots=True)
class Column:
    """The title of a column, and whether it holds numbers."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        columns: its columns.
        rows: its cells; `chosen` tells which of them are to stand out.
        chosen: rows that the answer is about.
        left_out: rows for which there was no room.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    chosen: frozenset[int] = frozenset()
    left_out: int = 0

    @property
    def titles(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]


def victims(answer: Preemption, most: int | None = None) -> Grid:
    """The victims on the nominated node."""
    shown = answer.victims[:most]
    told = [
        (
            victim.full_name,
            str(victim.priority),
            victim.owner or "none",
            sentences.age(victim, answer),
            "; ".join(_remarks(victim)),
        )
        for victim in shown
    ]
    columns = [Column("victim"), Column("prio", number=True), Column("owner"), Column("running")]
    if any(row[-1] for row in told):
        return Grid([*columns, Column("remarks")], told, left_out=len(answer.victims) - len(shown))
    return Grid(columns, [row[:-1] for row in told], left_out=len(answer.victims) - len(shown))


def _remarks(victim: EvictedPod) -> list[str]:
    marks = sentences.marks(victim)
    return [*([marks] if marks else []), *(sentences.budget(charge) for charge in victim.budgets)]


def candidates(answer: Preemption, most: int | None = None, *, names: bool = False) -> Grid:
    """The candidate nodes with what the criteria compare; `names` adds the victims."""
    shown = answer.candidates[:most]
    starts = names or any("longer" in n.lost.text for n in shown if n.lost) or bool(answer.equal_nodes)
    columns = [
        Column("node"),
        Column("victims", number=True),
        Column("violations", number=True),
        Column("highest", number=True),
        Column("sum", number=True),
        *([Column("newest start")] if starts else []),
        Column("verdict"),
        *([Column("victims")] if names else []),
    ]
    rows = []
    for node in shown:
        mark = " *" if node.node == answer.nominated_node else ""
        numbers = (len(node.victims), node.pdb_violations, node.highest_priority, node.priority_sum)
        rows.append(
            [
                f"{node.node}{mark}",
                *map(str, numbers),
                *([sentences.moment(node.start_time)] if starts else []),
                _verdict(node, answer),
                *([", ".join(node.victims)] if names else []),
            ]
        )
    chosen = frozenset(i for i, node in enumerate(shown) if node.node == answer.nominated_node)
    return Grid(columns, rows, chosen, len(answer.candidates) - len(shown))


def _verdict(node: CandidateNode, answer: Preemption) -> str:
    if node.lost is not None:
        return f"loses: {node.lost.text}"
    return "equal" if answer.equal_nodes else "chosen"
