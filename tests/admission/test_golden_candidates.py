"""The real API server's verdict on every golden candidate at hand, and its words."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ratchet import REFUSED_AS_INVALID, TOLD_AS_INVALID, verdict

from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.invalid import Invalid
from kschedctl.framework.versions import feature_gates, parse_version, version_of
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import with_written

CORPUS = Path(__file__).parents[3] / "shared" / "conformance"
FILES = sorted(CORPUS.glob("**/*.jsonl.gz"))

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason="the golden decisions are not at hand"),
    pytest.mark.parametrize("file", FILES, ids=lambda file: category(file)),
]


def category(file: Path) -> str:
    return str(file.relative_to(CORPUS)).removesuffix(".jsonl.gz")


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    return [without_nulls(entry) for entry in value] if isinstance(value, list) else value


def admission_of(scenario: dict[str, Any]) -> Admission:
    """The admission behind the golden decisions, which looks for no classes."""
    objects = without_nulls(scenario["objects"])
    classes = [msgspec.convert(o, PriorityClass) for o in objects if o["kind"] == "PriorityClass"]
    written = scenario.get("kubernetesVersion")
    version = parse_version(written) if written else version_of("1.36")
    gates = feature_gates(version, scenario.get("featureGates") or {})
    return Admission(
        AdmissionContext.of(
            AdmissionGates.of(gates.enabled, version.facts.admission),
            priority_classes=classes,
            missing_classes_refuse=False,
        )
    )


def candidates(file: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """The name of the scenario, what is expected, and what admission says, of each candidate."""
    with gzip.open(file, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            scenario, expected = case["scenario"], case["expected"]
            # A timeline has no results; an error means that kube-scheduler could not use the scenario.
            if not expected.get("results") or expected.get("error"):
                continue
            admission = admission_of(scenario)
            for pod, result in zip(without_nulls(scenario["pods"]), expected["results"], strict=True):
                candidate = with_written(msgspec.convert(pod, Pod), pod)
                yield scenario["name"], result, admission.admit_candidate(candidate)


def test_exactly_the_invalid_candidates_are_refused_in_the_same_words(file: Path) -> None:
    same: list[bool] = []
    told: list[bool] = []
    wrong: list[str] = []
    for name, expected, found in candidates(file):
        same.append((expected["outcome"] == "Invalid") == isinstance(found, Invalid))
        wrong += [] if same[-1] else [name]
        if "fieldErrors" in expected:
            # The API server walks through maps in no order.
            words = sorted(map(str, found.errors)) if isinstance(found, Invalid) else []
            told.append(words == sorted(expected["fieldErrors"]))
            wrong += [] if told[-1] else [name]
    for agreeing, table in ((same, REFUSED_AS_INVALID), (told, TOLD_AS_INVALID)):
        if agreeing:
            failure = verdict(category(file), sum(agreeing), len(agreeing), table)
            assert not failure, f"{failure}: {wrong[:10]}"
