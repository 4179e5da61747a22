"""The tables of a report on a preemption as plain text in rows; renderers only draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.candidates import EARLIER
from kschedctl.reports.preempt.model import CandidateNode, EvictedPod, Preemption


class Column(Struct, frozen=True):
    """A column.

    Attributes:
        title: its title.
        number: whether it holds numbers.
        plain: whether its cells speak for themselves where there is no title above them.
    """

    title: str
    number: bool = False
    plain: bool = False


class Grid(Struct, frozen=True):
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
        return Grid(
            [*columns, Column("remarks", plain=True)], told, left_out=len(answer.victims) - len(shown)
        )
    return Grid(columns, [row[:-1] for row in told], left_out=len(answer.victims) - len(shown))


def _remarks(victim: EvictedPod) -> list[str]:
    marks = sentences.marks(victim)
    return [*([marks] if marks else []), *(sentences.budget(charge) for charge in victim.budgets)]


def candidates(answer: Preemption, most: int | None = None, *, complete: bool = False) -> Grid:
    """The candidate nodes with what the criteria compare; where not `complete`, only what tells them apart."""
    shown = answer.candidates[:most]
    violations = complete or any(node.pdb_violations for node in shown)
    starts = complete or bool(answer.equal_nodes) or any(n.lost and n.lost.text == EARLIER for n in shown)
    fields: list[tuple[Column, Callable[[CandidateNode], str]]] = [
        (Column("node"), lambda node: _name(node, answer)),
        (Column("victims", number=True), lambda node: str(len(node.victims))),
        *([(Column("violations", number=True), lambda node: str(node.pdb_violations))] if violations else []),
        (Column("highest prio", number=True), lambda node: str(node.highest_priority)),
        (Column("sum", number=True), lambda node: str(node.priority_sum)),
        *([(Column("newest start"), lambda node: sentences.moment(node.start_time))] if starts else []),
        (Column("verdict", plain=True), lambda node: _verdict(node, answer)),
        *([(Column("victims"), lambda node: ", ".join(node.victims))] if complete else []),
    ]
    rows = [[text(node) for _, text in fields] for node in shown]
    chosen = frozenset(i for i, node in enumerate(shown) if node.node == answer.nominated_node)
    return Grid([column for column, _ in fields], rows, chosen, len(answer.candidates) - len(shown))


def _name(node: CandidateNode, answer: Preemption) -> str:
    return f"{node.node} *" if node.node == answer.nominated_node else node.node


def _verdict(node: CandidateNode, answer: Preemption) -> str:
    if node.lost is not None:
        return node.lost.text
    return "equal" if answer.equal_nodes else "chosen"
