"""Our answer to a golden case, failures included: one bad case must not end a run over thousands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, BinaryIO

from msgspec import Struct, field

from kschedctl.conformance.compare import OtherKey, other_expectations
from kschedctl.conformance.emit import Result
from kschedctl.conformance.golden_files import GoldenFile
from kschedctl.conformance.run import replay
from kschedctl.conformance.scenario import GoldenCase
from kschedctl.errors import KschedError, UnsupportedError
from kschedctl.sources.content import paused_gc


class NoResult(StrEnum):
    """Why a case has no results."""

    UNSUPPORTED = "unsupported"
    """It needs something that is not evaluated."""
    REFUSED = "refused"
    """The scenario cannot be used, such as one with an invalid configuration."""
    CRASHED = "crashed"
    """A bug of ours."""


class CaseAnswer(Struct, frozen=True):
    """What we say to a case.

    Attributes:
        case: the case.
        results: one a candidate, none where it failed.
        beside: what there is beside the results, by its name in the golden shape.
        failure: why there are no results.
        reason: the text of the failure.
    """

    case: GoldenCase
    results: tuple[Result, ...]
    failure: NoResult | None = None
    reason: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)

    @property
    def output(self) -> dict[str, Any]:
        """The answer in the golden shape."""
        return {"name": self.case.name, "results": self.results, **self.beside}

    @property
    def others(self) -> dict[OtherKey, Any]:
        """What counts beside the results, each like a pod."""
        return other_expectations(self.beside)


def answers(file: GoldenFile, stdin: BinaryIO | None = None) -> Iterator[CaseAnswer]:
    """Replay the cases of a file, one after another.

    Raises:
        InputError: the file cannot be read, or a line is no golden case.
    """
    cases = file.cases(stdin)
    # Nothing that a replay leaves behind is worth looking for in between.
    with paused_gc():
        for case in cases:
            yield answer(case)


def answer(case: GoldenCase) -> CaseAnswer:
    """Replay one case."""
    if case.scenario is None:
        return CaseAnswer(case, (), NoResult.UNSUPPORTED, case.unsupported)
    try:
        found = replay(case.scenario)
    except UnsupportedError as error:
        return CaseAnswer(case, (), NoResult.UNSUPPORTED, str(error))
    except KschedError as error:
        return CaseAnswer(case, (), NoResult.REFUSED, str(error))
    except Exception as error:
        return CaseAnswer(case, (), NoResult.CRASHED, f"{type(error).__name__}: {error}")
    results = tuple(found.pop("results"))
    return CaseAnswer(case, results, beside=found)
