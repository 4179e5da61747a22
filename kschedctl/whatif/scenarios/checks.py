"""What comes of an expectation: whether it holds, and what is wrong where it does not."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kschedctl.errors import Place
from kschedctl.sources.lines import FieldPath
from kschedctl.whatif.queue.task import Task
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
    DRAINABLE = "drainable"
    NODES_NEEDED = "nodes-needed"
    COST = "cost"
    NO_UNREAD = "no-unread"
    SERVED = "served"


class Finding(Struct, frozen=True):
    """Something that is not as expected.

    Attributes:
        message: what is wrong, in a sentence.
        workload: the workload it is about, None where it is about the whole.
        about: the object in whose manifest it stands; None: its workload, or that of the expectation.
        field: the field of that object, else of the workload, that decides.
        place: where it stands, where that is known.
        task: one of the pods that it is about, of which the report tells more.
    """

    message: str
    workload: WorkloadKey | None = None
    about: WorkloadKey | None = None
    field: FieldPath = ()
    place: Place | None = None
    task: Task | None = None


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


def why_of(task: Task) -> str:
    """The event of a pod without what PostFilter adds to it, or what its creation waits for."""
    if task.waits_for:
        return task.waits_for
    event = task.message.startswith("0/")
    return task.message.partition(". ")[0].removesuffix(".") if event else task.message
