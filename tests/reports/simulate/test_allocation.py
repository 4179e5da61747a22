"""How the room fills as pods arrive."""

import pytest
from builders import node, pod, session

from kschedctl.reports.simulate.allocation import (
    AllocationSample,
    allocation_figures,
    allocation_samples,
    allocation_table,
)
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey


def arrived(count, placed):
    """Tasks of 1 cpu each onto a node of 40 on which 2 are in use, of which the first find room."""
    objects = [
        node("a", cpu="40"),
        pod("old", "a", cpu="2"),
        *(pod(f"p{at}", cpu="1") for at in range(count)),
    ]
    asked = session(*objects)
    tasks = []
    for at in range(count):
        record = asked.find("default", f"p{at}")
        if at < placed:
            asked.cluster.assume(record.id, asked.cluster.nodes.row_of["a"])
        tasks.append(
            Task(record.pod.source, record, WorkloadKey("Pod", "default", f"p{at}"), PodOrigin.PENDING,
                 node="a" if at < placed else None)
        )  # fmt: skip
    return tasks, Utilization.of(asked.cluster)


def test_the_curve_ends_with_what_is_in_use():
    tasks, after = arrived(30, 20)
    samples = allocation_samples(tasks, after)
    assert [sample.pods for sample in samples] == list(range(31))
    assert (samples[0].asked["cpu"], samples[0].allocated["cpu"]) == (2000, 2000)
    assert (samples[20].asked["cpu"], samples[20].allocated["cpu"]) == (22000, 22000)
    assert (samples[30].asked["cpu"], samples[30].allocated["cpu"]) == (32000, 22000)
    assert samples[30].allocated["cpu"] == after.total()["cpu"].requested


def test_of_many_pods_not_every_one_is_told():
    tasks, after = arrived(450, 0)
    samples = allocation_samples(tasks, after)
    assert len(samples) == 151
    assert samples[-1].pods == 450


def test_amounts_stop_at_64_bits():
    tasks, after = arrived(30, 0)
    for task in tasks:
        task.record.pod_class.requests["cpu"] = 2**62
    samples = allocation_samples(tasks, after)
    assert samples[-1].asked["cpu"] == 2**63 - 1


def test_of_few_pods_there_is_no_curve():
    assert allocation_samples(*arrived(19, 0)) == []
    assert allocation_figures([], {"cpu": 1}) == []


@pytest.mark.parametrize(
    ("room", "titles"),
    [
        pytest.param({"cpu": 8000, "pods": 110}, ["cpu"], id="what is asked for"),
        pytest.param({"memory": 8}, [], id="nothing of it"),
    ],
)
def test_a_curve_is_of_all_that_there_is(room, titles):
    samples = [
        AllocationSample(0, {"cpu": 2000, "pods": 1}, {"cpu": 2000, "pods": 1}),
        AllocationSample(40, {"cpu": 10000, "pods": 9}, {"cpu": 6000, "pods": 5}),
    ]
    found = allocation_figures(samples, room)
    assert [one.title.partition(" ")[0] for one in found] == titles
    for one in found:
        assert {curve.label: curve.points for curve in one.curves} == {
            "asked for": [(0, 0.25), (40, 1.25)],
            "allocated": [(0, 0.25), (40, 0.75)],
        }


def test_the_table_has_ten_steps():
    tasks, after = arrived(30, 20)
    table = allocation_table(allocation_samples(tasks, after), {"cpu": 40_000})

    assert [row.cells[0] for row in table.rows] == list(range(3, 31, 3))
    assert [table.rows[at].cells[1] for at in (0, -1)] == ["12.5 % of 12.5 %", "55.0 % of 80.0 %"]
    assert allocation_table([], {"cpu": 40_000}) is None
