"""What comes of an expectation: whether it holds, and what is wrong where it does not."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kschedctl.errors import Place
from kschedctl.workloads import WorkloadKey


class Rule(StrEnum):
    """The kinds of expectations."""

    SCHEDULABLE = "schedulable"
    MAX_PENDING = "max-pending"
    NO_PREEMPTION = "no-preemption"
    ON_NODES = "on-nodes"
    SPREAD = "spread"
    HEADROOM = "headroom"
    SURVIVES = "survives"
    NO_UNREAD = "no-unread"


class Finding(Struct, frozen=True):
    """Something that is not as expected.

    Attributes:
        message: what is wrong, in a sentence.
        workload: the workload it is about, None where it is about the whole.
        place: where it stands; None: where its workload does.
    """

    message: str
    workload: WorkloadKey | None = None
    place: Place | None = None


class Check(Struct, frozen=True):
    """An expectation and whether it holds.

    Attributes:
        rule: its kind.
        title: what is expected, in a few words.
        field: its path below `expectations`.
        findings: what is wrong; empty where it holds.
    """

    rule: Rule
    title: str
    field: tuple[str | int, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it holds."""
        return not self.findings
