"""Workflow commands of GitHub Actions: annotations for findings, at the line of the manifest, and for caveats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kschedctl.reports.document import CAVEAT
from kschedctl.reports.gate.model import Gate
from kschedctl.reports.gate.sentences import verdict
from kschedctl.reports.model import SourcePlace
from kschedctl.safe_text import with_safe_text
from kschedctl.writers.annotation import annotated
from kschedctl.writers.formats import Look
from kschedctl.writers.paths import relative_path


def github_pieces(reports: Iterable[Gate], look: Look) -> Iterator[str]:
    """The commands, one a line; a notice where everything is as expected."""
    root = Path.cwd()
    for report in map(with_safe_text, reports):
        yield from (f"{line}\n" for line in _lines(report, root))


def _lines(report: Gate, root: Path) -> Iterator[str]:
    for scenario in report.scenarios:
        if scenario.error is not None:
            yield _command(
                "error", scenario.source, f"{scenario.name} could not be run", scenario.error, root
            )
        for expectation in scenario.expectations:
            title = f"{scenario.name}: {expectation.title}"
            for finding in expectation.findings:
                source, message = annotated(finding, expectation)
                yield _command("error", source, title, message, root)
        for caveat in scenario.caveats:
            level = "warning" if caveat.may_change_answer else "notice"
            yield _command(level, scenario.source, f"{scenario.name}: {CAVEAT}", caveat.message, root)
    if report.passed:
        yield f"::notice title=kschedctl gate::{_data(verdict(report))}"


def _command(level: str, source: SourcePlace, title: str, message: str, root: Path) -> str:
    path = source.file or ""
    file = relative_path(path, root) or path
    return (
        f"::{level} file={_property(file)},line={source.line or 1},title={_property(title)}::{_data(message)}"
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
