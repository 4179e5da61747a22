"""A finding of a gate as CI systems show it: beside a line of a file, which has to be there."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.gate.model import Expectation, GateFinding
from kschedctl.reports.gate.sentences import where
from kschedctl.reports.model import SourcePlace

_STREAM: Final = "stdin"


def annotated(finding: GateFinding, expectation: Expectation) -> tuple[SourcePlace, str]:
    """Where a finding is shown, and what it says there.

    What came by a stream has no file: it is shown at the expectation, and says where it stands.
    """
    source = finding.source
    if source.file == _STREAM:
        return expectation.source, f"{finding.message}, at {where(source)}"
    told = f" ({source.template})" if source.template else ""
    return source, finding.message + told
