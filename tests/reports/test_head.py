"""The line below every verdict: the scheduler, the cluster, and how old it is."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kschedctl import CapacityQuestion, DrainQuestion, SimulationQuestion, capacity, drain, simulate
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.questions.preempt import preempt
from kschedctl.reports.head import head
from kschedctl.reports.sentences import duration

FIXTURES = Path(__file__).parents[2] / "fixtures"
POD = str(FIXTURES / "explain-nowhere/pod.yaml")
TAKEN = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def cluster():
    return Cluster.load(str(FIXTURES / "snapshots/shop.json"))


REPORTS = {
    "explain": lambda cluster: explain(cluster, POD)[0],
    "preempt": lambda cluster: preempt(cluster, POD)[0],
    "simulate": lambda cluster: simulate(cluster, SimulationQuestion(manifests=[POD])),
    "drain": lambda cluster: drain(cluster, DrainQuestion(nodes=["w1"])),
    "capacity": lambda cluster: capacity(cluster, CapacityQuestion(manifests=[POD])),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_every_report_says_when_its_snapshot_was_taken(cluster, report):
    made = report(cluster)

    assert head(made, TAKEN.replace(minute=4)).endswith("shop.json, taken 4 min ago")
    assert head(made, TAKEN).endswith("shop.json, taken 0 s ago")
    assert head(made).endswith("shop.json, taken 2026-03-01T10:00:00Z")


def test_an_unknown_time_is_not_told():
    cluster = Cluster.load(str(FIXTURES / "release-shop/cluster.yaml"))

    assert head(drain(cluster, DrainQuestion(nodes=["w1"])), TAKEN).endswith("cluster.yaml")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (86_399, "23 h"), (900_000, "10 d")],
)
def test_durations(seconds, told):
    assert duration(seconds) == told
