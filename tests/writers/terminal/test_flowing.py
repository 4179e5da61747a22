"""Whatever the width, names are broken at their separators alone."""

from __future__ import annotations

import pytest

from kschedctl.reports.document import FactList, Headline, Reasons, ReportDocument, Section, TextLines
from kschedctl.reports.explain.model import ReasonGroup
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.document import table_pieces
from kschedctl.writers.terminal.wrapping import pieces

_TAINT = "taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule is not tolerated"
_NODE = "ip-10-0-0-1.eu-central-1.compute.internal"


def _why(nodes):
    return ReasonGroup(plugin="", text=_TAINT, nodes=nodes)


@pytest.mark.parametrize("width", [60, 64, 72, 77, 80, 84, 100])
@pytest.mark.parametrize(
    "block",
    [
        pytest.param(FactList.of([("closest", f"{_NODE}, {_TAINT}")]), id="facts"),
        pytest.param(TextLines([_TAINT], head=f"{_NODE}:"), id="lines"),
        pytest.param(Section(_TAINT, [TextLines([_TAINT])]), id="a section"),
        pytest.param(
            Reasons.plain("why not", [_why([_NODE, f"{_NODE}2"])], 3), id="reasons above long names"
        ),
        pytest.param(Reasons.plain("why not", [_why(["n1"])], 3), id="reasons beside short names"),
    ],
)
def test_no_word_is_cut_inside_a_name(block, width):
    document = ReportDocument(Headline(Tone.NO, "no"), head=f"{_TAINT}; {_NODE}", blocks=[block])
    look = Look(width=width)
    lines = "".join(table_pieces([document], look)).splitlines()
    ends = {piece for word in _TAINT.split() for piece in pieces(word)}
    words = [
        word for line in lines for word in line.split() if any(word in end and word != end for end in ends)
    ]
    assert [word for word in words if word not in ("no", "node", "is", "not")] == []
    assert max(map(len, lines)) <= width
