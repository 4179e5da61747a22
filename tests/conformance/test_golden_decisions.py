"""Our decisions against those of kube-scheduler: the shipped ones always, all others where they are at hand."""

from pathlib import Path

import pytest

from kschedctl.conformance.answer import answers
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.report import Agreement
from kschedctl.conformance.table import table_text
from kschedctl.reports.formats import Look

CORPUS = Path(__file__).parents[3] / "shared" / "conformance"
"""The full corpus beside the repository."""


def agreement_on(file):
    agreement = Agreement()
    for answer in answers(file):
        agreement.add(file.category, answer)
    assert agreement.total.pods > 0
    return agreement


def assert_agreement(file):
    found = agreement_on(file)
    assert found.total.agreeing == found.total.pods, table_text([found.report(3)], Look())


@pytest.mark.parametrize("file", golden_files([]), ids=lambda file: file.category)
def test_shipped_decisions(file):
    assert_agreement(file)


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the full corpus is not at hand")
@pytest.mark.parametrize(
    "file",
    golden_files([str(CORPUS)]) if CORPUS.is_dir() else [None],
    ids=lambda file: file and file.category,
)
def test_all_decisions(file):
    assert_agreement(file)
