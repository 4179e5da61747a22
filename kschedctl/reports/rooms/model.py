"""The room of a node in a report."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from kschedctl.reports.model import ReportObject, doc


class NodeRoom(ReportObject, frozen=True, kw_only=True):
    """What a node has, and how much of it is requested; cpu in milli, memory in bytes, others as counts."""

    name: Annotated[str, doc("Name of the node.")]
    zone: Annotated[str | None, doc("Its zone; null: none is known.")]
    pool: Annotated[str | None, doc("Its node pool, or instance type where it has none; null: neither.")]
    rack: Annotated[str | None, doc("Its rack, as labels of providers name it; null: none is known.")]
    closed: Annotated[
        Literal["cordoned", "not ready"] | None, doc("Why it takes no pods, at the end; null: it does.")
    ]
    allocatable: Annotated[dict[str, int], doc("What it has, by resource; pods is the number of pods.")]
    before: Annotated[
        dict[str, int] | None,
        doc("What was requested as loaded; null: it was not there, or nothing is changed by what was asked."),
    ]
    after: Annotated[dict[str, int] | None, doc("What is requested at the end; null: it is gone.")]
    largest: Annotated[list[str], doc("The pods that hold most of it at the end, as namespace/name.")]

    @property
    def is_open(self) -> bool:
        """Whether it is there at the end and takes pods."""
        return self.after is not None and self.closed is None

    def free(self, resource: str) -> int:
        """What is left of a resource at the end, 0 where too much is requested or it is gone."""
        return max(0, self.allocatable.get(resource, 0) - (self.after or self.allocatable).get(resource, 0))

    def share(self, resource: str) -> float | None:
        """The part of a resource in use at the end; None where it has none of it, or is gone."""
        has = self.allocatable.get(resource, 0)
        return None if self.after is None or has <= 0 else self.after.get(resource, 0) / has

    def share_before(self, resource: str) -> float | None:
        """The part in use as loaded; None where it had none of it, or was not there."""
        has = self.allocatable.get(resource, 0)
        return None if self.before is None or has <= 0 else self.before.get(resource, 0) / has


NodeRooms: TypeAlias = Annotated[
    list[NodeRoom], doc("The room of every node, those that are gone last; left out with -q.")
]
