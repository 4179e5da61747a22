"""The text of events, cut as kube-scheduler cuts it (spec 01 §6.2)."""

import pytest

from kschedctl.reports.explain.events import cut_note


@pytest.mark.parametrize(
    ("text", "note"),
    [
        pytest.param("short", "short", id="short"),
        pytest.param("x" * 1024, "x" * 1024, id="as long as may be"),
        pytest.param("x" * 1025, "x" * 1020 + " ...", id="a byte too long"),
    ],
)
def test_notes_are_cut_to_1024_bytes(text, note):
    assert cut_note(text) == note


def test_what_is_cut_counts_in_bytes_and_stays_text():
    note = cut_note("ä" * 600)
    assert note == "ä" * 510 + " ..."
