"""Our decisions against those of kube-scheduler: the shipped ones always, all others where they are at hand."""

from pathlib import Path

import pytest
from ratchet import REACHED, verdict

from kschedctl.conformance.answer import answers
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.report import Agreement
from kschedctl.conformance.table import table_pieces
from kschedctl.writers.formats import Look

CORPUS = Path(__file__).parents[3] / "shared" / "conformance"
"""The full corpus beside the repository."""


def agreement_on(file):
    agreement = Agreement()
    for answer in answers(file):
        agreement.add(file.category, answer)
    assert agreement.total.pods > 0
    return agreement


@pytest.mark.parametrize("file", golden_files([]), ids=lambda file: file.category)
def test_shipped_decisions(file):
    found = agreement_on(file)
    assert found.total.agreeing == found.total.pods, "".join(table_pieces([found.report(3)], Look()))


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the full corpus is not at hand")
@pytest.mark.parametrize(
    "file",
    golden_files([str(CORPUS)]) if CORPUS.is_dir() else [None],
    ids=lambda file: file and file.category,
)
def test_all_decisions(file):
    found = agreement_on(file)
    wrong = verdict(file.category, found.total.agreeing, found.total.pods)
    assert not wrong, wrong + "\n" + "".join(table_pieces([found.report(3)], Look()))


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the full corpus is not at hand")
def test_the_ratchet_names_categories_that_exist():
    assert REACHED.keys() <= {file.category for file in golden_files([str(CORPUS)])}


@pytest.mark.parametrize(
    ("category", "agreeing", "pods", "wrong"),
    [
        pytest.param("listed", 1, 3, "", id="as listed"),
        pytest.param("listed", 0, 3, "before", id="fallen"),
        pytest.param("listed", 2, 3, "write 66.66", id="risen"),
        pytest.param("listed", 3, 3, "take its line out", id="reached"),
        pytest.param("other", 3, 3, "", id="whole"),
        pytest.param("other", 99_999, 100_000, "before", id="one pod short"),
    ],
)
def test_the_ratchet_turns_one_way(monkeypatch, category, agreeing, pods, wrong):
    monkeypatch.setitem(REACHED, "listed", (33.33, "#1"))
    found = verdict(category, agreeing, pods)
    assert bool(found) == bool(wrong)
    assert wrong in found
