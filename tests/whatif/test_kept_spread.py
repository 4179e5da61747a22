"""Spread constraints that the result of a rolling update does not keep."""

from __future__ import annotations

import pytest
from builders import HOST, enter, node, pod, session

from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.kept_spread import broken_spreads, spreads_at_end
from kschedctl.whatif.updates.rolling_update import RollingUpdate
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey

_KEY = WorkloadKey("Deployment", "default", "web")
_SPREAD = {
    "maxSkew": 1,
    "topologyKey": HOST,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "web"}},
}


@pytest.mark.parametrize(
    ("places", "stuck", "counts"),
    [
        pytest.param("00012", "", (3, 1, 1), id="uneven"),
        pytest.param("00112", "", None, id="even enough"),
        pytest.param("00012", "why", None, id="not done"),
    ],
)
def test_broken_spreads(places, stuck, counts):
    loaded = session([node(f"n{i}") for i in range(3)])
    tasks = []
    for i, at in enumerate(places):
        data = pod(f"web-{i}", labels={"app": "web"}, topologySpreadConstraints=[_SPREAD])
        record = enter(loaded, data)
        loaded.cluster.assume(record.id, int(at))
        task = Task(record.pod.source, record, _KEY, PodOrigin.NEW)
        task.node = f"n{at}"
        tasks.append(task)
    rollouts = [RollingUpdate(_KEY, 1, 5, 0, stuck)]
    found = broken_spreads(loaded, tasks, rollouts)
    assert [one.counts for one in found] == ([] if counts is None else [counts])
    ends = [(one.broken, one.own_revision) for one in spreads_at_end(loaded, tasks, rollouts)]
    assert ends == ([] if stuck else [(counts is not None, False)])
