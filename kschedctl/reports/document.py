"""What a report looks like to people, before any format: a verdict, facts, tables, sections.

A document is made once of a report, in the folder of its kind (`document.py`), and written by a writer (see
`kschedctl.writers`). It says what is what, not how it is drawn: what is a number, a list of nodes, a share of a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from kschedctl.reports.medium import UNLIMITED, Limits, Medium
from kschedctl.reports.table import Table
from kschedctl.reports.tone import Tone

if TYPE_CHECKING:
    from kschedctl.framework.registry import Registry
    from kschedctl.reports.figures import Figure

CAVEAT: Final = "caveat"
"""The label of a fact that weakens the answer; above several answers it is said once."""


class Context(Struct, frozen=True):
    """What a document is made for, beside its report.

    Attributes:
        now: the time, for ages; None: times are told as they are.
        registry: the plugins that the report may name, which say how they are titled; None: those of kube-scheduler.
    """

    now: datetime | None = None
    registry: Registry | None = None


class Headline(Struct, frozen=True):
    """The answer in one sentence.

    Attributes:
        tone: whether it is good news.
        text: the sentence.
        short: what `-q` shows instead; empty: the same.
    """

    tone: Tone
    text: str
    short: str = ""


class Why(Protocol):
    """A reason."""

    @property
    def text(self) -> str:
        """The reason in a sentence."""

    @property
    def nodes(self) -> list[str]:
        """The nodes that it is true of."""


class Concerned(Struct, frozen=True):
    """Reasons that hold for somebody.

    Attributes:
        who: whom they are about; empty where that is clear.
        who_short: the same where there is little room.
        reasons: the reasons, that of most nodes first.
        message: what is said where there are none.
    """

    who: str
    who_short: str
    reasons: Sequence[Why]
    message: str = ""


class Reasons(Struct, frozen=True):
    """Why not: reasons, each with its nodes.

    Attributes:
        title: what they are reasons for.
        groups: whom they are about; one without a name where that is clear.
        total: the number of nodes, of which a reason may be said to be true of all; None: none is said to be.
    """

    title: str
    groups: Sequence[Concerned]
    total: int | None = None

    @classmethod
    def plain(cls, title: str, reasons: Sequence[Why], total: int | None = None) -> Reasons:
        """Reasons of which it is clear whom they are about."""
        return cls(title, [Concerned("", "", reasons)], total)


class Fact(Struct, frozen=True):
    """A label and what belongs to it.

    Attributes:
        label: one word or two.
        texts: sentences, each on a line of its own.
        below: what follows from it, each with its depth.
        limits: how much of that is shown.
    """

    label: str
    texts: Sequence[str]
    below: Sequence[tuple[int, str]] = ()
    limits: Limits = UNLIMITED


class FactList(Struct, frozen=True):
    """Facts, one below the other.

    Attributes:
        facts: the facts.
        title: what stands above them; empty: nothing.
        apart: whether they do not go on with the facts before, as those with a title do not.
    """

    facts: Sequence[Fact]
    title: str = ""
    apart: bool = False

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], title: str = "", *, apart: bool = False) -> FactList:
        """Facts of labels and sentences; one without a label goes on with the one before."""
        found: list[Fact] = []
        for label, text in pairs:
            if label or not found:
                found.append(Fact(label, [text]))
            else:
                found[-1] = Fact(found[-1].label, [*found[-1].texts, text])
        return cls(found, title, apart)


class TextLines(Struct, frozen=True):
    """Sentences without a label.

    Attributes:
        lines: the sentences.
        head: what stands above them; empty: nothing.
        dim: whether they matter less than the rest.
        limits: how many are shown; never one less than all.
        whole: whether they are not to be broken, since somebody copies them: commands.
    """

    lines: Sequence[str]
    head: str = ""
    dim: bool = False
    limits: Limits = UNLIMITED
    whole: bool = False


class Section(Struct, frozen=True):
    """Blocks below a title of their own."""

    title: str
    blocks: Sequence[Block]


class CheckItem(Struct, frozen=True):
    """Something that was expected.

    Attributes:
        passed: whether it is so.
        text: what was expected.
        findings: what is wrong, each with the place of it.
    """

    passed: bool
    text: str
    findings: Sequence[tuple[str, str]]


class Checklist(Struct, frozen=True):
    """What was expected of one thing, and what came of it.

    Attributes:
        answer: whether it is as expected, and its name.
        about: what it is.
        outcome: what came of it.
        checks: what was expected.
        caveats: what weakens it.
    """

    answer: Headline
    about: str
    outcome: str
    checks: Sequence[CheckItem]
    caveats: Sequence[str] = ()


class HeatCell(Struct, frozen=True):
    """A cell of a heat map.

    Attributes:
        heat: from 0, cold, to 1.
        text: its value as people write it.
        tone: whether it is good news.
    """

    heat: float
    text: str
    tone: Tone


class HeatMap(Struct, frozen=True):
    """A value over two dimensions.

    Attributes:
        title: what the values are.
        row_title: what varies from row to row.
        column_title: what varies from column to column.
        rows: what the rows are called.
        columns: what the columns are called.
        cells: the values, a list a row; None: there is none.
        limits: how many rows are shown: the hottest, in their order.
        notes: what has to be known of it, in sentences.
    """

    title: str
    row_title: str
    column_title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[HeatCell | None]]
    limits: Limits = UNLIMITED
    notes: Sequence[str] = ()

    def shown(self, medium: Medium) -> Sequence[int]:
        """The numbers of the rows that a medium shows."""
        most = self.limits.get(medium, len(self.rows))
        heats = [max((cell.heat for cell in row if cell), default=0.0) for row in self.cells]
        hottest = sorted(range(len(self.rows)), key=lambda at: -heats[at])[:most]
        return sorted(hottest)


class Only(Struct, frozen=True):
    """A block for some media, made when one of them wants it.

    Attributes:
        media: the media.
        make: makes the block.
    """

    media: frozenset[Medium]
    make: Callable[[], Block]


Shown = Table | Reasons | FactList | TextLines | Section | Checklist | HeatMap
"""What a writer is to show."""

Block = Shown | Only
"""A part of a document."""


class ReportDocument(Struct, frozen=True):
    """A report for people.

    Attributes:
        verdict: the answer.
        lead: what belongs to it, in sentences.
        about: what it is about: facts, each list apart from the others.
        head: which scheduler decided, and in which cluster; empty: it is clear.
        changes: what was changed before.
        figures: makes the pictures.
        blocks: everything else, the most telling first.
        width: the columns that a wide screen has at least.
        about_all: whether it is about several answers, which stand beside it, and no answer itself.
    """

    verdict: Headline
    lead: Sequence[str] = ()
    about: Sequence[FactList] = ()
    head: str = ""
    changes: Sequence[str] = ()
    figures: Callable[[], Sequence[Figure]] = tuple
    blocks: Sequence[Block] = ()
    width: int = 0
    about_all: bool = False


def wanted(blocks: Iterable[Block], medium: Medium) -> Iterator[Shown]:
    """The blocks that a medium shows; facts that follow one another are one block."""
    facts: list[Fact] = []
    for block in _made(blocks, medium):
        if facts and (not isinstance(block, FactList) or block.apart or block.title):
            yield FactList(facts)
            facts = []
        if isinstance(block, FactList) and not block.title:
            facts += block.facts
        else:
            yield block
    if facts:
        yield FactList(facts)


def _made(blocks: Iterable[Block], medium: Medium) -> Iterator[Shown]:
    for block in blocks:
        if isinstance(block, Only):
            if medium in block.media:
                yield from _made([block.make()], medium)
        else:
            yield block
