"""The status of a group: like that of a pod, but its text grows (spec 07 §5.4, §7, §8)."""

from __future__ import annotations

from msgspec import Struct, field

from kschedctl.framework.status import Code

UNSCHEDULABLE = "pod group is unschedulable"


class GroupStatus(Struct, eq=False):
    """Statuses are told apart by identity: groups that share one share what is appended to it.

    Attributes:
        code: how it ends.
        reasons: texts, to which later steps append.
        error: text that stands before the reasons, and alone where only the cause is told.
    """

    code: Code = Code.SUCCESS
    reasons: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def message(self) -> str:
        """All texts, joined the way kube-scheduler joins them."""
        return ", ".join([self.error, *self.reasons] if self.error else self.reasons)

    @property
    def cause(self) -> str:
        """The error part alone, or all texts where there is none."""
        return self.error or self.message

    @property
    def succeeded(self) -> bool:
        """Whether the group has its nodes."""
        return self.code is Code.SUCCESS

    @property
    def rejected(self) -> bool:
        """Whether it has none, by rule and not by fault."""
        return self.code in (Code.UNSCHEDULABLE, Code.UNRESOLVABLE)

    def copy(self) -> GroupStatus:
        """The same for now."""
        return GroupStatus(self.code, list(self.reasons), self.error)


def unschedulable(*reasons: str, error: str = "") -> GroupStatus:
    """A rejection that eviction may help."""
    return GroupStatus(Code.UNSCHEDULABLE, list(reasons), error)


def failed(text: str) -> GroupStatus:
    """An error."""
    return GroupStatus(Code.ERROR, [], text)
