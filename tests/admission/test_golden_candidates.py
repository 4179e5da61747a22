"""The real API server's verdict on every golden candidate at hand: never refuse what it took."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kschedctl.admission import Admission, AdmissionContext, Invalid
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.pod import Pod

CORPUS = Path(__file__).parents[3] / "shared" / "conformance"
FILES = sorted(CORPUS.glob("**/*.jsonl.gz"))


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    return [without_nulls(entry) for entry in value] if isinstance(value, list) else value


def verdicts(scenario: dict[str, Any]) -> list[bool]:
    """Whether each candidate is refused."""
    objects = without_nulls(scenario["objects"])
    classes = [msgspec.convert(o, PriorityClass) for o in objects if o["kind"] == "PriorityClass"]
    admission = Admission(AdmissionContext.of(priority_classes=classes))
    candidates = [msgspec.convert(pod, Pod) for pod in without_nulls(scenario["pods"])]
    return [isinstance(admission.admit_candidate(candidate), Invalid) for candidate in candidates]


@pytest.mark.corpus
@pytest.mark.skipif(not FILES, reason="the golden decisions are not at hand")
@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(CORPUS)))
def test_exactly_the_invalid_candidates_are_refused(file: Path) -> None:
    with gzip.open(file, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            expected = [result["outcome"] == "Invalid" for result in case["expected"]["results"]]
            assert verdicts(case["scenario"]) == expected, case["scenario"]["name"]
