"""SARIF 2.1.0 of a gate: a result for each finding, at the line of the manifest, as code scanning shows it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from kschedctl.reports.document import CAVEAT
from kschedctl.reports.gate.model import Expectation, Gate, GateFinding, ScenarioResult
from kschedctl.reports.model import SourcePlace
from kschedctl.safe_text import safe_json
from kschedctl.writers.annotation import annotated
from kschedctl.writers.formats import Look
from kschedctl.writers.paths import relative_path

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION: Final = "2.1.0"
_ROOT: Final = "%SRCROOT%"

RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "schedulable": "Pods find a node.",
        "max-pending": "No more pods than allowed stay pending.",
        "no-preemption": "No pod is preempted.",
        "on-nodes": "Pods are on the nodes that they belong on.",
        "spread": "Pods are spread as wanted.",
        "headroom": "Enough of each resource stays free.",
        "survives": "A failure leaves no pod without a node.",
        "drainable": "Nodes can be drained: budgets let go, and every pod finds another node.",
        "nodes-needed": "No more nodes have to be added than allowed.",
        "cost": "What has to be bought costs no more than allowed.",
        "no-unread": "Nothing in the manifests is passed over: no misspelt field, no API version that is gone.",
        "served": "The API server has every kind of the manifests in its version.",
    }
)
"""Rule -> what it demands."""

_INDEX: Final = {rule: index for index, rule in enumerate(RULES)}


def sarif_pieces(reports: Iterable[Gate], look: Look) -> Iterator[str]:
    """The reports as one log, a run each."""
    root = Path.cwd()
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [_run(report, root) for report in reports]}
    yield safe_json(json.dumps(log, indent=2, ensure_ascii=False)) + "\n"


def _run(report: Gate, root: Path) -> dict[str, Any]:
    rules = [
        {
            "id": rule,
            "shortDescription": {"text": text},
            "fullDescription": {"text": text},
            "help": {"text": f"An expectation of a kschedctl scenario: {text}"},
            "defaultConfiguration": {"level": "error"},
        }
        for rule, text in RULES.items()
    ]
    driver = {"name": "kschedctl", "semanticVersion": report.version, "rules": rules}
    return {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, root)],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(scenario, expectation, finding, root)
            for scenario in report.scenarios
            for expectation in scenario.expectations
            for finding in expectation.findings
        ],
    }


def _invocation(report: Gate, root: Path) -> dict[str, Any]:
    """Whether everything ran; what did not, and what answers did not look at, are notifications and no findings."""
    told = [
        _notification("error", scenario, f"scenario {scenario.name} could not be run: {scenario.error}", root)
        for scenario in report.errors
    ]
    told += [
        _notification(
            "warning" if caveat.may_change_answer else "note",
            scenario,
            f"{scenario.name}: {CAVEAT}: {caveat.message}",
            root,
        )
        for scenario in report.scenarios
        for caveat in scenario.caveats
    ]
    invocation: dict[str, Any] = {"executionSuccessful": not report.errors}
    return invocation | ({"toolExecutionNotifications": told} if told else {})


def _notification(level: str, scenario: ScenarioResult, text: str, root: Path) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}, "locations": [_location(scenario.source, root)]}


def _result(
    scenario: ScenarioResult, expectation: Expectation, finding: GateFinding, root: Path
) -> dict[str, Any]:
    rule = expectation.rule
    source, message = annotated(finding, expectation)
    return {
        "ruleId": rule,
        "ruleIndex": _INDEX[rule],
        "level": "error",
        "message": {"text": f"{scenario.name}: {message}"},
        "locations": [_location(source, root)],
        "partialFingerprints": {"kschedctl/v1": _fingerprint(scenario, rule, finding)},
    }


def _location(source: SourcePlace, root: Path) -> dict[str, Any]:
    path = source.file or ""
    relative = relative_path(path, root)
    if relative is None:
        artifact = {"uri": Path(path).resolve().as_uri()}
    else:
        artifact = {"uri": quote(relative), "uriBaseId": _ROOT}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": source.line or 1}}}


def _fingerprint(scenario: ScenarioResult, rule: str, finding: GateFinding) -> str:
    """The same for the same finding in another run, though lines may have moved."""
    # A workload may have several fields that nobody reads; what else is said of it changes with the cluster.
    subject = finding.message if rule in ("no-unread", "served") else finding.workload or finding.message
    return hashlib.sha256(f"{scenario.name}\n{rule}\n{subject}".encode()).hexdigest()[:32]
