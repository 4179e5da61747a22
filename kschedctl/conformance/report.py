"""How far our decisions agree with golden ones, counted in pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import TypedDict

from msgspec import Struct, field

from kschedctl.conformance.answer import CaseAnswer, NoResult
from kschedctl.conformance.compare import Difference, compare
from kschedctl.conformance.model import CaseFailure, CategoryCounts, ConformanceReport, PodDifference


class Counts(TypedDict):
    """The counts of a tally, by their names in the report."""

    pods: int
    agreeing: int
    percent: float
    preemption_only: int
    unsupported: int
    otherwise: int


class Tally(Struct):
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

    def counts(self) -> Counts:
        """The counts for a report."""
        return {
            "pods": self.pods,
            "agreeing": self.agreeing,
            "percent": round(self.percent, 3),
            "preemption_only": self.preemption_only,
            "unsupported": self.unsupported,
            "otherwise": self.otherwise,
        }


class Agreement(Struct):
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
    failures: Counter[tuple[NoResult, str]] = field(default_factory=Counter)
    differences: list[PodDifference] = field(default_factory=list)
    cases: int = 0

    def add(self, category: str, answer: CaseAnswer) -> None:
        """Count one case; one without golden results counts nothing."""
        expected = answer.case.expected
        if expected is None:
            return
        self.cases += 1
        tallies = (self.total, self.categories.setdefault(category, Tally()))
        others = answer.others
        unasked = others.keys() - answer.case.others.keys() if answer.failure is None else set()
        counted = len(expected) + len(answer.case.others) + len(unasked)
        for tally in tallies:
            tally.pods += counted
        if answer.failure is not None:
            self._add_failure(answer, counted, tallies)
            return
        for want, got in zip_longest(expected, answer.results[: len(expected)]):
            found = compare(want, got)
            if found is None:
                for tally in tallies:
                    tally.agreeing += 1
                continue
            self._add_difference(category, answer.case.name, want["pod"], found)
            for tally in tallies:
                tally.preemption_only += found.preemption_only
        for key in [*answer.case.others, *sorted(unasked)]:
            want, got = answer.case.others.get(key), others.get(key)
            if key not in unasked and want == got:
                for tally in tallies:
                    tally.agreeing += 1
                continue
            kind, name = key
            self._add_difference(category, answer.case.name, name, Difference(kind, want, got))

    def _add_failure(self, answer: CaseAnswer, pods: int, tallies: Sequence[Tally]) -> None:
        assert answer.failure is not None
        self.failures[answer.failure, answer.reason] += pods
        if answer.failure is NoResult.UNSUPPORTED:
            for tally in tallies:
                tally.unsupported += pods
        else:
            self.fields[str(answer.failure)] += pods

    def _add_difference(self, category: str, case: str, pod: str, found: Difference) -> None:
        self.fields[found.field] += 1
        if found.plugin:
            self.plugins[found.plugin] += 1
        self.differences.append(
            PodDifference(
                category=category,
                case=case,
                pod=pod,
                field=found.field,
                plugin=found.plugin,
                want=found.want,
                got=found.got,
            )
        )

    def report(self, show: int) -> ConformanceReport:
        """The report, with the first `show` differences in full."""
        return ConformanceReport(
            cases=self.cases,
            **self.total.counts(),
            categories=[
                CategoryCounts(category=name, **tally.counts()) for name, tally in self.categories.items()
            ],
            fields=dict(self.fields.most_common()),
            plugins=dict(self.plugins.most_common()),
            failures=[
                CaseFailure(kind=str(kind), reason=reason, pods=pods)
                for (kind, reason), pods in self.failures.most_common()
            ],
            differences=self.differences[:show],
        )
