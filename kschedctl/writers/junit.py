"""JUnit XML of a gate: a suite for each scenario, a case for each expectation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as Xml

from kschedctl.reports.document import CAVEAT
from kschedctl.reports.gate.model import Expectation, Gate, ScenarioResult
from kschedctl.reports.gate.sentences import where
from kschedctl.safe_text import with_safe_text
from kschedctl.writers.formats import Look

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_pieces(reports: Iterable[Gate], look: Look) -> Iterator[str]:
    """The reports as one document.

    An expectation that does not hold is a failure; a scenario that could not be run is a case with an error; what an
    answer did not look at is the output of its suite.
    """
    root = Xml.Element("testsuites", name="kschedctl gate")
    for report in map(with_safe_text, reports):
        for scenario in report.scenarios:
            root.append(_suite(scenario))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    Xml.indent(root)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(scenario: ScenarioResult) -> Xml.Element:
    suite = Xml.Element("testsuite", name=_clean(scenario.name))
    if scenario.source.file:
        suite.set("file", scenario.source.file)
    for expectation in scenario.expectations:
        suite.append(_case(scenario, expectation))
    if scenario.error is not None:
        case = Xml.SubElement(suite, "testcase", name="runs", classname=_clean(scenario.name))
        error = Xml.SubElement(case, "error", message=_clean(scenario.error), type="error")
        error.text = _clean(scenario.error)
    suite.set("tests", str(len(suite)))
    if scenario.caveats:
        told = [_clean(f"{CAVEAT}: {caveat.message}") for caveat in scenario.caveats]
        Xml.SubElement(suite, "system-out").text = "\n".join(told)
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", "0")
    return suite


def _case(scenario: ScenarioResult, expectation: Expectation) -> Xml.Element:
    case = Xml.Element("testcase", name=_clean(expectation.title), classname=_clean(scenario.name))
    if expectation.source.file:
        case.set("file", expectation.source.file)
    if expectation.source.line:
        case.set("line", str(expectation.source.line))
    if not expectation.passed:
        first = expectation.findings[0]
        more = len(expectation.findings) - 1
        message = first.message + (f" (and {more} more)" if more else "")
        failure = Xml.SubElement(case, "failure", message=_clean(message), type=expectation.rule)
        failure.text = "\n".join(
            _clean(f"{where(finding.source)}: {finding.message}") for finding in expectation.findings
        )
    return case


def _clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NO_XML.sub("�", text)
