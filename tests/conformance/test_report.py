"""Counting agreement."""

import pytest

from kschedctl.conformance.answer import CaseAnswer, NoResult, answers
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.report import Agreement
from kschedctl.conformance.scenario import GoldenCase
from kschedctl.conformance.table import table_pieces
from kschedctl.writers.formats import Look

from .golden_lines import case, write

RIGHT = {"pod": "default/p0", "outcome": "Gated", "gated": "waiting"}
WRONG = RIGHT | {"gated": "going"}


@pytest.fixture
def scenario(tmp_path):
    [answer] = answers(golden_files([str(write(tmp_path / "x.jsonl", case(results=[RIGHT])))])[0])
    return answer.case.scenario


def count(scenario, *pairs, **failure):
    """Agreement over one case with pairs of golden and our results."""
    expected = tuple(want for want, _ in pairs)
    results = tuple(got for _, got in pairs if got is not None)
    agreement = Agreement()
    agreement.add("node", CaseAnswer(GoldenCase("c1", scenario, expected, {}), results, **failure))
    return agreement


def test_counts(scenario):
    agreement = count(scenario, (RIGHT, RIGHT), (RIGHT, WRONG), (RIGHT, None))
    assert agreement.total.counts() == agreement.categories["node"].counts()
    assert (agreement.total.pods, agreement.total.agreeing, agreement.total.otherwise) == (3, 1, 2)
    assert agreement.fields == {"gated": 1, "missing": 1}


def test_results_beyond_the_golden_ones_count_nothing(scenario):
    agreement = Agreement()
    agreement.add("node", CaseAnswer(GoldenCase("c1", scenario, (RIGHT,), {}), (RIGHT, WRONG)))
    assert (agreement.total.pods, agreement.total.agreeing) == (1, 1)


def test_a_case_without_golden_results_counts_nothing(scenario):
    agreement = Agreement()
    agreement.add("node", CaseAnswer(GoldenCase("c1", scenario, None, {}), (RIGHT,)))
    assert agreement.cases == agreement.total.pods == 0
    assert agreement.total.percent == 0.0


def test_unsupported_cases_are_named(scenario):
    agreement = count(scenario, (RIGHT, None), failure=NoResult.UNSUPPORTED, reason="needs X")
    assert agreement.total.unsupported == 1
    assert agreement.failures == {(NoResult.UNSUPPORTED, "needs X"): 1}
    assert agreement.fields == {}


def test_crashes_are_differences(scenario):
    agreement = count(scenario, (RIGHT, None), failure=NoResult.CRASHED, reason="KeyError: 'x'")
    assert (agreement.total.unsupported, agreement.total.otherwise) == (0, 1)
    assert agreement.fields == {"crashed": 1}


def test_table_of_agreement(scenario):
    text = "".join(table_pieces([count(scenario, (RIGHT, RIGHT)).report(3)], Look()))
    assert text.splitlines() == [
        "✓ all of 1 pods in 1 cases decided as kube-scheduler does",
        "",
        "category  pods  agree  percent  preemption only  unsupported  otherwise",
        "node         1      1   100.00                0            0          0",
    ]


def test_table_of_differences(scenario):
    text = "".join(
        table_pieces([count(scenario, (RIGHT, RIGHT), (RIGHT, WRONG)).report(1)], Look(unicode=False))
    )
    assert text.splitlines()[0] == "no: 1 of 2 pods in 1 cases decided as kube-scheduler does (50.00 %)"
    assert text.splitlines()[4:] == [
        "",
        "first difference in",
        "       1  gated",
        "",
        "node: c1 default/p0: gated",
        '  want  "waiting"',
        '  got   "going"',
    ]


def test_quiet_table_is_the_verdict(scenario):
    assert (
        "".join(table_pieces([count(scenario, (RIGHT, WRONG)).report(1)], Look(quiet=True))).count("\n") == 1
    )
