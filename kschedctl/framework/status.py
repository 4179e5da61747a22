"""Status codes, and the status of one node or of a whole phase (spec 01 §3)."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import TypeAlias

from msgspec import Struct

from kschedctl.objects.fault import Fault


class Code(IntEnum):
    """What a plugin says of a pod, or of a pod on a node. The values are used in uint8 columns."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNRESOLVABLE = 3

    @property
    def upstream(self) -> str:
        """The name that kube-scheduler prints."""
        return _UPSTREAM[self]


_UPSTREAM = {
    Code.SUCCESS: "Success",
    Code.ERROR: "Error",
    Code.UNSCHEDULABLE: "Unschedulable",
    Code.UNRESOLVABLE: "UnschedulableAndUnresolvable",
}


class Status(Struct, frozen=True):
    """A rejection or an error, with the plugin that gave it.

    The one bit that steers preemption is the code: UNSCHEDULABLE may be helped by evicting pods,
    UNRESOLVABLE may not.
    """

    code: Code
    reasons: tuple[str, ...] = ()
    plugin: str = ""
    fault: Fault | None = None
    """The fault of kube-scheduler without which there would be no such status."""

    @property
    def message(self) -> str:
        """The reasons, joined the way kube-scheduler joins them."""
        return ", ".join(self.reasons)


class Detail(Struct, frozen=True):
    """Why one plugin refuses one node, for people: the object and the numbers behind the reason."""

    plugin: str
    reason: str
    """The upstream reason this explains."""
    subject: str
    """What decides; equal for nodes that belong in one group: `cpu`, `taint dedicated=gpu:NoSchedule`."""
    text: str
    """A whole sentence for this node: `cpu: needs 4, free 1.2 of 8`."""
    needs: int | None = None
    """For quantities: what the pod asks for, in the unit of `subject`."""
    free: int | None = None
    """For quantities: what is left on the node, negative where it is overcommitted."""
    total: int | None = None
    """For quantities: what the node can allocate."""


Cell: TypeAlias = str | int | float | bool | None
"""A value in a table of facts; None where there is nothing to say."""


class BackgroundOf(StrEnum):
    """What facts are the background of."""

    FILTER = "Filter"
    SCORE = "Score"


class Background(Struct, frozen=True):
    """Facts about the cluster as a whole on which a plugin's answers rest, for people: a small table.

    Attributes:
        plugin: the plugin.
        asked: whether nodes are rejected or scored by it.
        title: what the facts are about: `spread of app=web in shop over topology.kubernetes.io/zone`.
        columns: names of the columns, camelCase: they are keys of the JSON report.
        rows: the cells, most telling rows first.
        notes: whole sentences.
    """

    plugin: str
    asked: BackgroundOf
    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
