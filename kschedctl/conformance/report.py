"""How far our decisions agree with golden ones, counted in pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from kschedctl.reports.model import API_VERSION

from .answer import Answer, Failure
from .compare import Difference, compare


@dataclass(slots=True)
class Tally:
    """Counts over some pods.

    Attributes:
        pods: all of them.
        agreeing: equal in every field.
        preemption_only: different in preemption and what follows from it alone.
        unsupported: in a case that needs something that is not evaluated.
    """

    pods: int = 0
    agreeing: int = 0
    preemption_only: int = 0
    unsupported: int = 0

    @property
    def percent(self) -> float:
        """Share of the pods that agree, 0 for no pods."""
        return 100.0 * self.agreeing / self.pods if self.pods else 0.0

    @property
    def otherwise(self) -> int:
        """Pods that differ in more than preemption."""
        return self.pods - self.agreeing - self.preemption_only - self.unsupported

    def as_dict(self) -> dict[str, Any]:
        """The counts for a report."""
        return {
            "pods": self.pods,
            "agreeing": self.agreeing,
            "percent": round(self.percent, 3),
            "preemptionOnly": self.preemption_only,
            "unsupported": self.unsupported,
            "otherwise": self.otherwise,
        }


@dataclass(frozen=True, slots=True)
class PodDifference:
    """A pod whose result is not the golden one."""

    category: str
    case: str
    pod: str
    difference: Difference

    def as_dict(self) -> dict[str, Any]:
        """The difference for a report."""
        found = self.difference
        return {
            "category": self.category,
            "case": self.case,
            "pod": self.pod,
            "field": found.field,
            "plugin": found.plugin,
            "want": found.want,
            "got": found.got,
        }


@dataclass(slots=True)
class Agreement:
    """Grows with every answer.

    Attributes:
        total: all pods.
        categories: a tally a file, in the order in which they came.
        fields: first differing field -> pods.
        plugins: plugin that answered differently -> pods.
        failures: why cases have no results -> pods.
        differences: the pods that differ, in order.
        cases: cases replayed.
    """

    total: Tally = field(default_factory=Tally)
    categories: dict[str, Tally] = field(default_factory=dict)
    fields: Counter[str] = field(default_factory=Counter)
    plugins: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[Failure, str]] = field(default_factory=Counter)
    differences: list[PodDifference] = field(default_factory=list)
    cases: int = 0

    def add(self, category: str, answer: Answer) -> None:
        """Count one case; one without golden results counts nothing."""
        expected = answer.case.expected
        if expected is None:
            return
        self.cases += 1
        tallies = (self.total, self.categories.setdefault(category, Tally()))
        for tally in tallies:
            tally.pods += len(expected)
        if answer.failure is not None:
            self._add_failure(answer, len(expected), tallies)
            return
        for want, got in zip_longest(expected, answer.results[: len(expected)]):
            found = compare(want, got)
            if found is None:
                for tally in tallies:
                    tally.agreeing += 1
                continue
            self._add_difference(PodDifference(category, answer.case.scenario.name, want["pod"], found))
            for tally in tallies:
                tally.preemption_only += found.preemption_only

    def _add_failure(self, answer: Answer, pods: int, tallies: Sequence[Tally]) -> None:
        assert answer.failure is not None
        self.failures[answer.failure, answer.reason] += pods
        if answer.failure is Failure.UNSUPPORTED:
            for tally in tallies:
                tally.unsupported += pods
        else:
            self.fields[str(answer.failure)] += pods

    def _add_difference(self, found: PodDifference) -> None:
        self.fields[found.difference.field] += 1
        if found.difference.plugin:
            self.plugins[found.difference.plugin] += 1
        self.differences.append(found)

    def as_dict(self, show: int) -> dict[str, Any]:
        """The report, with the first differences in full."""
        return {
            "apiVersion": API_VERSION,
            "kind": "ConformanceReport",
            "cases": self.cases,
            **self.total.as_dict(),
            "categories": [{"category": name, **tally.as_dict()} for name, tally in self.categories.items()],
            "fields": dict(self.fields.most_common()),
            "plugins": dict(self.plugins.most_common()),
            "failures": [
                {"kind": str(kind), "reason": reason, "pods": pods}
                for (kind, reason), pods in self.failures.most_common()
            ],
            "differences": [found.as_dict() for found in self.differences[:show]],
        }
