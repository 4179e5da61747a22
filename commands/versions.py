"""Answers of two versions of kube-scheduler: what is not the same, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.versions.model import ExplanationVersions, SimulationVersions
from kschedctl.writers.catalogue import CATALOGUE

from .errors import ExitCode
from .options import ReportOptions
from .output import emit_pieces, look_of, with_caveats, writer_for
from .pod_arguments import exit_code

WRITERS = CATALOGUE["ExplanationVersions"].writers


def tell_of_versions(
    answers: Sequence[ExplanationVersions | SimulationVersions], report: ReportOptions
) -> ExitCode:
    """Write the answers; the worse of both versions decides."""
    write = writer_for(WRITERS, report.output)
    emit_pieces(write(answers, look_of(report)), report)
    outcomes: list[str] = []
    for answer in answers:
        if isinstance(answer, ExplanationVersions):
            outcomes += answer.outcomes
        else:
            outcomes += [
                "Error" if one.failed else "Scheduled" if one.fits else "No" for one in answer.answers
            ]
    return with_caveats(exit_code(outcomes, {"Scheduled"}), [answer.cluster for answer in answers], report)
