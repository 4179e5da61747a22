"""Tables before any format: columns that say what their cells are, and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import TypeVar, overload

from msgspec import Struct

from kschedctl.reports.medium import SHORT, Limits
from kschedctl.reports.tone import Tone

Item = TypeVar("Item")


class CellKind(Enum):
    """What the cells of a column are."""

    TEXT = "text"
    """Sentences, which may go on below themselves."""
    NAME = "name"
    """Names that stay whole, since somebody may copy them."""
    NAME_CUT = "name cut"
    """Names that may be cut where they are too long."""
    NAMES = "names"
    """Lists of nodes, of which as many are shown as fit: cells are `NodeNames`."""
    NUMBER = "number"
    """Counts and amounts."""
    SHARE = "share"
    """Parts of a whole, which may be drawn: cells are `Share`."""


class Column(Struct, frozen=True):
    """A column.

    Attributes:
        title: its title.
        kind: what its cells are.
        long: its title where there is room for a long one; empty: the same.
        suffix: what follows either title.
        merged: whether a cell that repeats the one above it, as all cells before it do, is left empty.
        optional: whether it may be left out where all its cells are equal; what they are is said below the table.
        alarming: whether any number but 0 is bad news.
        plain: whether its cells speak for themselves without the title.
    """

    title: str
    kind: CellKind = CellKind.TEXT
    long: str = ""
    suffix: str = ""
    merged: bool = False
    optional: bool = False
    alarming: bool = False
    plain: bool = False

    @property
    def heading(self) -> str:
        """The title with what follows it."""
        return self.title + self.suffix

    @property
    def name(self) -> str:
        """What the column is about, in full."""
        return self.long or self.title


class NodeNames(Struct, frozen=True):
    """Nodes, each with what is to follow its name, such as `:3`."""

    entries: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, names: Iterable[str]) -> NodeNames:
        """Names with nothing behind them."""
        return cls([(name, "") for name in names])

    def __str__(self) -> str:
        return " ".join(name + suffix for name, suffix in self.entries)


class Share(Struct, frozen=True):
    """A part of a whole.

    Attributes:
        part: 1 is all; more is possible; None: there is no whole.
        text: as people write it.
        drawn: whether a picture of it tells something.
    """

    part: float | None
    text: str
    drawn: bool = True

    def __str__(self) -> str:
        return self.text


Cell = str | int | NodeNames | Share | Tone


class Row(Struct, frozen=True):
    """A row.

    Attributes:
        cells: one for each column.
        chosen: whether it is the one that the answer is about.
        told: the row in words, in lines, for where there is no room for columns; empty: titles and cells are listed.
    """

    cells: Sequence[Cell]
    chosen: bool = False
    told: Sequence[str] = ()


class LazyRows(Sequence[Row]):
    """Rows that are made when they are read: of thousands, most media show a few."""

    def __init__(self, items: Sequence[Item], row: Callable[[Item], Row]) -> None:
        self._items: Sequence[object] = items
        self._row: Callable[[object], Row] = row  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return LazyRows(self._items[place], self._row)
        return self._row(self._items[place])


class Table(Struct, frozen=True):
    """Rows in columns.

    Attributes:
        columns: the columns.
        rows: the rows, the most telling first.
        noun: what a row is, for those that are left out: `3 more nodes`.
        limits: how many rows are shown.
        notes: what has to be known of it, in sentences.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    noun: str = "line"
    limits: Limits = SHORT
    notes: Sequence[str] = ()
