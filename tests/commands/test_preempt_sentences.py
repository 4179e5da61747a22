"""The sentences about a preemption: ages, budgets, fates, and what becomes of all victims."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.preempt import preempt
from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.model import Aftermath, BudgetCharge, Displaced
from kschedctl.scheduling.options import SchedulingOptions

FIXTURE = Path(__file__).parents[2] / "fixtures" / "preempt-cascade"


@pytest.fixture(scope="module")
def answer():
    cluster = Cluster.load(str(FIXTURE / "cluster.yaml"), options=SchedulingOptions())
    return preempt(cluster, str(FIXTURE / "pod.yaml"))[0]


def displaced(name="v", fate="Gone", node=None, victims=()):
    return Displaced(
        namespace="ns",
        name=name,
        priority=0,
        owner=None,
        evicted_from="n1",
        breaks_budget=False,
        fate=fate,
        node=node,
        message="no room.",
        keeps_claims=False,
        victims=list(victims),
    )


@pytest.mark.parametrize(
    ("start", "seconds", "exact", "told"),
    [
        pytest.param("2026-01-01T08:00:00Z", 86_400, True, "1 d", id="the snapshot's time is known"),
        pytest.param("2026-01-01T08:00:00Z", 86_400, False, "over 1 d", id="it is not"),
        pytest.param("2026-01-01T08:00:00Z", 0, False, "since 2026-01-01", id="the newest start itself"),
        pytest.param(None, None, True, "not started", id="no start"),
    ],
)
def test_ages(answer, start, seconds, exact, told):
    victim = replace(answer.victims[0], start_time=start, age_seconds=seconds)
    cluster = replace(answer.cluster, taken_at=answer.age_reference if exact else None)
    assert sentences.age(victim, replace(answer, cluster=cluster)) == told


@pytest.mark.parametrize(
    ("allowed", "number", "violated", "told"),
    [
        pytest.param(0, 1, True, "violates pdb/b (0 allowed)", id="violated"),
        pytest.param(2, 1, False, "pdb/b (1 of 2 allowed)", id="kept"),
        pytest.param(0, 0, False, "pdb/b has it down as disrupted", id="disrupted already"),
    ],
)
def test_budgets(allowed, number, violated, told):
    charge = BudgetCharge(namespace="ns", name="b", allowed=allowed, number=number, violated=violated)
    assert sentences.budget(charge) == told


@pytest.mark.parametrize(
    ("fate", "node", "one", "two"),
    [
        ("Moves", "n2", "ns/a finds room on n2", "ns/a and ns/b find room on n2"),
        ("Moves", "n1", "ns/a finds room on n1 again", "ns/a and ns/b find room on n1 again"),
        ("Pending", None, "ns/a stays pending: no room.", "ns/a and ns/b stay pending: no room."),
        (
            "Gone",
            None,
            "ns/a is gone for good: nothing controls it",
            "ns/a and ns/b are gone for good: nothing controls them",
        ),
        ("Leaving", None, "ns/a was leaving already", "ns/a and ns/b were leaving already"),
        ("Unknown", None, "ns/a: not followed any further", "ns/a and ns/b: not followed any further"),
    ],
)
def test_victims_that_fare_alike_share_a_line(fate, node, one, two):
    first, second = (displaced(name, fate, node) for name in "ab")
    assert sentences.tree([first]) == [(0, one)]
    assert sentences.tree([first, second]) == [(0, two)]


def test_those_that_evict_have_lines_of_their_own():
    chain = [displaced(name, "Preempts", "n2", [displaced(f"{name}-low")]) for name in "ab"]
    assert sentences.tree(chain) == [
        (0, "ns/a gets n2 by evicting 1 pod"),
        (1, "ns/a-low is gone for good: nothing controls it"),
        (0, "ns/b gets n2 by evicting 1 pod"),
        (1, "ns/b-low is gone for good: nothing controls it"),
    ]


def test_an_eviction_in_vain():
    assert sentences.fate([displaced(fate="Preempts", victims=[displaced("low")])]) == (
        "ns/v evicts others and is refused all the same: no room."
    )


def test_summary_counts_the_whole_tree():
    victims = [displaced("a", "Preempts", "n2", [displaced("low")]), displaced("b", "Moves", "n3")]
    after = Aftermath(
        placed_on="n1", message="", victims=victims, dropped_nominations=[], decided=2, cut=False
    )
    assert sentences.summary(after) == (
        "of 2 victims and 1 pod that they evict: 1 finds room, 1 evicts others, 1 is gone for good"
    )


def test_notes(answer):
    after = replace(
        answer.aftermath,
        placed_on=None,
        message="a claim is taken",
        dropped_nominations=["ns/waits"],
        victims=[replace(displaced("v", "Moves", "n2"), keeps_claims=True)],
    )
    rows = sentences.notes(replace(answer, aftermath=after))
    assert rows[:2] == [
        ("but", "kube-scheduler refuses default/trainer even then: a claim is taken"),
        ("also", "ns/waits loses the nomination to this node"),
    ]
    assert rows[2][1].startswith("ns/v is judged with the old volumes or devices")
