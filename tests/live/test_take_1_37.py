"""Snapshots of recorded clusters of 1.37: a default installation, and one with groups of pods."""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from kschedctl.live import Connection, read_cluster, take_snapshot
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain_pending
from kschedctl.sources.reduction import reduced

from .server import DATA

NOW = datetime(2026, 11, 28, 16, 0, tzinfo=UTC)
DEFAULT, GROUPS = "responses-1.37", "responses-1.37-workload"
SERVED_WITH_GROUPS = {"podgroups.scheduling.k8s.io", "workloads.scheduling.k8s.io"}


def recorded(name: str) -> Counter[str]:
    """How many objects of each kind the recorded lists hold."""
    seen = set()
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        for body in (json.loads(line)["response"]["body"] for line in lines):
            for item in body.get("items") or ():
                if uid := item["metadata"].get("uid"):  # what is discovered of the API has none
                    seen.add((body["kind"].removesuffix("List"), uid))
    return Counter(kind for kind, _ in seen)


@pytest.mark.parametrize("server", [DEFAULT, GROUPS], indirect=True)
def test_it_holds_every_object(admin: Connection, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["server"]
    snapshot = take_snapshot(admin, NOW)
    assert Counter(obj.kind for obj in snapshot.objects) == recorded(name)
    assert snapshot.header.kubernetes_version == "v1.37.2"
    assert [reduced(obj) for obj in snapshot.objects] == list(snapshot.objects)


@pytest.mark.parametrize(
    ("server", "missing"),
    [
        (DEFAULT, {*SERVED_WITH_GROUPS, "compositepodgroups.scheduling.k8s.io", "resourcequotas"}),
        (GROUPS, {"compositepodgroups.scheduling.k8s.io", "resourcequotas"}),
    ],
    indirect=["server"],
)
def test_what_is_not_served_weakens_nothing(admin: Connection, missing: set[str]) -> None:
    entries = take_snapshot(admin, NOW).header.missing
    assert {entry.resource for entry in entries} == missing
    assert {(entry.reason, entry.weakens) for entry in entries} == {("NotServed", "")}


@pytest.mark.parametrize("server", [GROUPS], indirect=True)
def test_pods_of_groups_show_that_groups_are_on(admin: Connection) -> None:
    cluster = Cluster.of(read_cluster(admin, NOW), ())
    assert cluster.scheduler.gates.changed == {"GenericWorkload": True}
    assert [c.code for c in cluster.summary.caveats] == ["gate-shown"]


@pytest.mark.parametrize("server", [DEFAULT], indirect=True)
def test_pods_without_groups_show_nothing(admin: Connection) -> None:
    cluster = Cluster.of(read_cluster(admin, NOW), ())
    assert cluster.scheduler.gates.changed == {}
    assert cluster.summary.caveats == []


@pytest.mark.parametrize("server", [DEFAULT, GROUPS], indirect=True)
def test_pending_pods_are_told_what_the_real_scheduler_wrote(admin: Connection) -> None:
    cluster = Cluster.of(read_cluster(admin, NOW), ())
    answers = list(explain_pending(cluster))
    assert answers
    told = {answer.pod.full_name: answer.written.ours for answer in answers if answer.written is not None}
    wrote = {answer.pod.full_name: answer.written.written for answer in answers if answer.written is not None}
    assert told == wrote
