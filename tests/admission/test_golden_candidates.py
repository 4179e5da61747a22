"""The real API server's verdict on every golden candidate at hand: never refuse what it took."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ratchet import REFUSED_AS_INVALID, verdict

from kschedctl.admission import Admission, AdmissionContext, Invalid
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.pod import Pod

CORPUS = Path(__file__).parents[3] / "shared" / "conformance"
FILES = sorted(CORPUS.glob("**/*.jsonl.gz"))


def category(file: Path) -> str:
    return str(file.relative_to(CORPUS)).removesuffix(".jsonl.gz")


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
@pytest.mark.parametrize("file", FILES, ids=category)
def test_exactly_the_invalid_candidates_are_refused(file: Path) -> None:
    agreeing, wrong = [], []
    with gzip.open(file, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            # A timeline has no results; an error means that kube-scheduler could not use the scenario.
            results = case["expected"].get("results")
            if not results or case["expected"].get("error"):
                continue
            expected = [result["outcome"] == "Invalid" for result in results]
            found = verdicts(case["scenario"])
            same = [want == got for want, got in zip(expected, found, strict=True)]
            agreeing += same
            wrong += [] if all(same) else [case["scenario"]["name"]]
    if agreeing:
        failure = verdict(category(file), sum(agreeing), len(agreeing), REFUSED_AS_INVALID)
        assert not failure, f"{failure}: {wrong[:10]}"
