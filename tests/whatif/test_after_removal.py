"""Pods that wait for a drained node to be deleted, and what is said of them."""

from __future__ import annotations

import pytest
from builders import HOST, made, node, pod

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.drain import DrainQuestion, drain
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.reports.drain.sentences import notes, verdict

_OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "dns"}


def _drained(**constraint):
    spread = {
        "maxSkew": 1,
        "topologyKey": HOST,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "dns"}},
    } | constraint
    objects = [node(f"n{i}") for i in range(3)] + [
        pod(f"dns-{i}", f"n{i}", labels={"app": "dns"}, owner=_OWNER, topologySpreadConstraints=[spread])
        for i in range(3)
    ]
    return drain(Cluster([made(o) for o in objects], scheduler_of()), DrainQuestion(nodes=["n2"]))


def test_an_empty_node_is_a_domain_until_it_is_deleted():
    report = _drained()
    (waiting,) = report.waits_for_removal
    assert (waiting.pod, waiting.node, waiting.avoided_by_honor) == ("default/dns-2", "n0", True)
    assert verdict(report) == "n2 can be emptied, and 1 pod waits until the node is deleted"
    assert any(
        "nodeTaintsPolicy: Honor avoids that" in text for label, text in notes(report) if label == "waits"
    )


@pytest.mark.parametrize(
    "constraint", [{"nodeTaintsPolicy": "Honor"}, {"whenUnsatisfiable": "ScheduleAnyway"}]
)
def test_nobody_waits_where_it_is_none(constraint):
    report = _drained(**constraint)
    assert report.possible
    assert report.waits_for_removal == []
