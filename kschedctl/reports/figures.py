"""The pictures of a document: what they show, not how it is drawn. Whatever they say is said by blocks as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kschedctl.reports.tone import Tone


class NodeGroup(Struct, frozen=True):
    """Nodes that fare alike.

    Attributes:
        label: how.
        good: whether that is what is wanted.
        nodes: their names, each with what is to be known of it.
    """

    label: str
    good: bool
    nodes: Sequence[tuple[str, str]]


class Colouring(Struct, frozen=True):
    """Another way to tell nodes apart.

    Attributes:
        label: by what.
        kinds: the kinds, each with whether it is what is wanted.
        of: node -> place of its kind.
    """

    label: str
    kinds: Sequence[tuple[str, bool]]
    of: Mapping[str, int]


class Shading(Struct, frozen=True):
    """A part of something that each node has, of which more is lighter.

    Attributes:
        label: of what.
        of: node -> the part, 1 is all; nodes that have none of it are left out.
    """

    label: str
    of: Mapping[str, float]


class Partition(Struct, frozen=True):
    """What nodes are parts of: zones, pools, racks.

    Attributes:
        label: what.
        of: node -> the one it is in; nodes that are in none are left out.
    """

    label: str
    of: Mapping[str, str]


class NodeGrid(Struct, frozen=True):
    """A picture of all nodes, one square each, in groups.

    Attributes:
        title: what it shows.
        groups: the nodes, each in one group.
        by: by what they are grouped.
        colourings: by what else they can be told apart.
        shadings: how much of what they have.
        partitions: what they are parts of.
    """

    title: str
    groups: Sequence[NodeGroup]
    by: str = "what is said of them"
    colourings: Sequence[Colouring] = ()
    shadings: Sequence[Shading] = ()
    partitions: Sequence[Partition] = ()


class StackedBars(Struct, frozen=True):
    """A picture of sums and what they are made of.

    Attributes:
        title: what it shows.
        parts: what the sums are made of.
        bars: each sum: whose it is, and its parts.
        tones: whether the parts are good news; empty: neither good nor bad.
    """

    title: str
    parts: Sequence[str]
    bars: Sequence[tuple[str, Sequence[int]]]
    tones: Sequence[Tone] = ()


class Strip(Struct, frozen=True):
    """How much of something each of many has in use, the fullest first.

    Attributes:
        label: of what.
        before: the parts in use before; 1 is all.
        after: the parts in use after.
        told: what there is to see, in a sentence.
    """

    label: str
    before: Sequence[float]
    after: Sequence[float]
    told: str


class Strips(Struct, frozen=True):
    """Pictures of how full many are, before and after, one below the other.

    Attributes:
        title: what they show.
        strips: the pictures.
    """

    title: str
    strips: Sequence[Strip]


class Bar(Struct, frozen=True):
    """A bar.

    Attributes:
        label: whose it is.
        value: how long it is; below 0 it goes the other way.
        told: what is behind it; empty: nothing.
        tone: whether it is good news.
    """

    label: str
    value: float
    told: str = ""
    tone: Tone = Tone.PLAIN


class Bars(Struct, frozen=True):
    """Bars that are compared.

    Attributes:
        title: what they show.
        bars: the bars.
        line: a value that matters for all of them; None: there is none.
        line_label: what that is.
    """

    title: str
    bars: Sequence[Bar]
    line: float | None = None
    line_label: str = ""


class Branch(Struct, frozen=True):
    """Something, and what follows from it.

    Attributes:
        label: its name.
        told: what becomes of it.
        tone: whether that is good news.
        below: what follows.
    """

    label: str
    told: str = ""
    tone: Tone = Tone.PLAIN
    below: Sequence[Branch] = ()


class BranchTree(Struct, frozen=True):
    """A picture of what follows from what.

    Attributes:
        title: what it shows.
        branches: the beginnings.
    """

    title: str
    branches: Sequence[Branch]


class Panel(Struct, frozen=True):
    """One of several possibilities.

    Attributes:
        title: its name.
        told: what is to be said of it.
        tone: whether it is possible.
        entries: what is in it, each with what is in that.
        chosen: whether it is the one that is taken.
    """

    title: str
    told: str
    tone: Tone
    entries: Sequence[tuple[str, Sequence[str]]] = ()
    chosen: bool = False


class Panels(Struct, frozen=True):
    """Possibilities side by side.

    Attributes:
        title: what they are.
        panels: the possibilities.
    """

    title: str
    panels: Sequence[Panel]


class Span(Struct, frozen=True):
    """A time in which something is in one state.

    Attributes:
        start: when it begins, in seconds.
        end: when it ends.
        state: the place of the state.
    """

    start: float
    end: float
    state: int


class TimeLane(Struct, frozen=True):
    """What happens to one of many in time.

    Attributes:
        label: its name.
        spans: the states that it is in.
        told: its story, each with the second of it.
    """

    label: str
    spans: Sequence[Span]
    told: Sequence[tuple[float, str]]


class TimeLanes(Struct, frozen=True):
    """What happens in time, a lane each.

    Attributes:
        title: what it shows.
        seconds: how long it takes; what goes on beyond is how it ends.
        states: the states, each with whether it is what is wanted.
        lanes: the lanes.
        note: what has to be known of it; empty: nothing.
    """

    title: str
    seconds: float
    states: Sequence[tuple[str, Tone]]
    lanes: Sequence[TimeLane]
    note: str = ""


class Curve(Struct, frozen=True):
    """A number that changes.

    Attributes:
        label: what it is.
        points: where it changes, in order, and to what.
    """

    label: str
    points: Sequence[tuple[float, float]]


class Curves(Struct, frozen=True):
    """Numbers over one scale; each stays as it is until it changes.

    Attributes:
        title: what they show.
        across: what the scale is, such as `seconds`.
        end: the end of the scale.
        curves: the numbers.
        most: what the height is; None: the largest number.
        percent: whether they are parts of a whole, 1 is all.
        resource: of what they are amounts, in the unit in which the scheduler counts it; empty: plain numbers.
    """

    title: str
    across: str
    end: float
    curves: Sequence[Curve]
    most: float | None = None
    percent: bool = False
    resource: str = ""


Figure = NodeGrid | StackedBars | Strips | Bars | BranchTree | Panels | TimeLanes | Curves
"""A picture, for media that can show some; whatever it says is said by blocks as well."""
