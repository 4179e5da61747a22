"""Undo restores everything that a decision reads (design: one undo journal)."""

import random
from copy import deepcopy

import hypothesis.strategies as st
import msgspec
import pytest
from builders import made, node, pod, session
from hypothesis import given, settings

from kschedctl.cluster.group_members import GroupMembers, group_of
from kschedctl.cluster.start_times import StartTimes

GPU = "example.com/gpu"
PORTS = [{"containerPort": 80, "hostPort": 80}]


def world():
    """Three nodes; pods with requests, ports (one held twice) and nominations."""
    nodes = [node(name, more={GPU: "4"}) for name in ("n1", "n2", "n3")]
    ported = [{"name": "main", "image": "app", "ports": PORTS}]
    pods = [
        pod("a", "n1", cpu="1", memory="1Gi"),
        pod("b", "n1", more={GPU: "1"}),
        pod("c", "n1", containers=ported),
        pod("d", "n1", containers=ported),
        pod("e", "n2", cpu="500m"),
        pod("f", "n2", containers=ported),
        pod("g", cpu="2", nominated="n3"),
        pod("h", nominated="n3"),
        pod("i", containers=ported),
    ]
    return session(nodes, pods)


def columns(cluster):
    """Everything that changes, as values."""
    usage, pods = cluster.usage, cluster.pods
    return deepcopy(
        {
            "requested": usage.requested.tolist(),
            "non_zero": usage.non_zero.tolist(),
            "pod_count": usage.pod_count.tolist(),
            "pods": usage.pods,
            "ports": usage.ports.column(("0.0.0.0", "TCP", 80)).tolist(),
            "node": pods.node.tolist(),
            "place": [
                place for place, row in zip(pods.place.tolist(), pods.node.tolist(), strict=True) if row >= 0
            ],
            "nominations": {node: listed for node, listed in cluster.nominations.items() if listed},
            "next_start": cluster.next_start,
        }
    )


STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8), st.integers(0, 2)), max_size=25)


def apply(cluster, steps):
    """Assume, remove, nominate or move the search on; what makes no sense is left out."""
    for action, pod_id, row in steps:
        on_node = cluster.pods.node[pod_id] >= 0
        if action == 0 and not on_node:
            cluster.assume(pod_id, row)
        elif action == 1 and on_node:
            cluster.remove(pod_id)
        elif action == 2 and not on_node:
            cluster.nominate(pod_id, cluster.nodes.names[row])
        elif action == 3:
            cluster.advance_start(pod_id)


@settings(max_examples=150)
@given(before=STEPS, after=STEPS)
def test_undo_restores_every_column(before, after):
    cluster = world().cluster
    apply(cluster, before)
    mark, expected = cluster.mark(), columns(cluster)
    apply(cluster, after)
    cluster.undo_to(mark)
    assert columns(cluster) == expected


@settings(max_examples=75)
@given(steps=STEPS)
def test_sums_stay_those_of_a_fresh_cluster(steps):
    """The columns after any changes are those of a cluster that was built that way."""
    cluster = world().cluster
    apply(cluster, steps)
    table = cluster.pods
    for row in range(cluster.nodes.count):
        listed = cluster.usage.pods[row]
        assert sorted(listed) == [i for i in range(len(table)) if table.node[i] == row]
        assert [table.place[i] for i in listed] == list(range(len(listed)))
        classes = [table.records[i].pod_class.index for i in listed]
        assert cluster.usage.requested[row].tolist() == table.classes.requests[classes].sum(axis=0).tolist()
        assert cluster.usage.pod_count[row] == len(listed)


@settings(max_examples=75)
@given(steps=STEPS)
def test_changes_replay_to_the_present(steps):
    """Caches that follow `changes` arrive where the columns are, undone steps included."""
    cluster = world().cluster
    counts = cluster.usage.pod_count.tolist()
    seen = cluster.changes.end
    mark = cluster.mark()
    apply(cluster, steps)
    if len(steps) % 2:
        cluster.undo_to(mark)
    for change in cluster.changes.since(seen) or ():
        counts[change.row] += change.sign
    assert counts == cluster.usage.pod_count.tolist()


def test_a_state_that_comes_back_has_its_number_again():
    """Numbers of states are never given twice: what was kept of one is not taken for another."""
    cluster = world().cluster
    seen, start = {cluster.journal.revision}, cluster.journal.revision
    for row in (0, 1, 2):
        mark = cluster.mark()
        cluster.assume(6, row)
        assert cluster.journal.revision not in seen
        seen.add(cluster.journal.revision)
        cluster.undo_to(mark)
        assert cluster.journal.revision == start


def copies(cluster, pods, rounds):
    """Pods like these, round after round."""
    return [msgspec.structs.replace(cluster.pods.records[pod].pod) for _ in range(rounds) for pod in pods]


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([0], id="a pod"),
        pytest.param([4, 5, 4], id="several, one of them twice"),
        pytest.param([2, 0], id="with a port that is held"),
    ],
)
@pytest.mark.parametrize("rounds", [0, 1, 100])
def test_copies_at_once_are_what_they_are_one_by_one(pods, rounds):
    at_once, one_by_one = world().cluster, world().cluster
    before = columns(at_once)
    mark, seen = at_once.mark(), at_once.changes.follow()
    at_once.assume_copies(pods, copies(at_once, pods, rounds))
    for copy in copies(one_by_one, pods, rounds):
        one_by_one.assume(one_by_one.add_pod(copy).id, int(one_by_one.pods.node[pods[0]]))
    assert columns(at_once) == columns(one_by_one)
    assert at_once.pods.pod_class.tolist() == one_by_one.pods.pod_class.tolist()
    moves = seen.news()
    assert moves is None or [(move.pod.id, move.row, move.sign) for move in moves] == [
        (record.id, at_once.pods.node[record.id], 1) for record in at_once.pods.records[9:]
    ]
    at_once.undo_to(mark)
    assert columns(at_once) == before


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_pods_that_were_entered_go_with_the_fork(seed):
    """Who keeps something of each row knows the pods that stand in rows that were others' before."""
    choose = random.Random(seed)
    asked = world()
    cluster = asked.cluster
    times, members = StartTimes(cluster), GroupMembers.of(cluster)
    before, marks = columns(cluster), [cluster.mark()]
    for step in range(40):
        match choose.choice(["enter", "enter", "mark", "undo", "restate", "place", "copies"]):
            case "enter":
                cluster.add_pod(arriving(asked, choose, f"x{step}"))
            case "mark":
                marks.append(cluster.mark())
            case "undo" if len(marks) > 1:
                cluster.undo_to(marks.pop())
            case "restate":
                record = choose.choice(cluster.pods.records)
                status = msgspec.structs.replace(record.pod.status, start_time=choose.choice(TIMES))
                cluster.restate(record.id, msgspec.structs.replace(record.pod, status=status))
            case "place" if cluster.pods.node[-1] < 0:
                cluster.assume(len(cluster.pods) - 1, choose.randrange(3))
            case "copies":
                liked = choose.choices(choose.choice([on for on in cluster.usage.pods if on]), k=2)
                cluster.assume_copies(liked, copies(cluster, liked, 2))
        if choose.random() < 0.5:
            assert times.column.tolist() == StartTimes(cluster).column.tolist()
            assert members.scheduled(GROUP) == [
                r.id for r in cluster.pods.records if group_of(r) == GROUP and cluster.pods.node[r.id] >= 0
            ]
    cluster.undo_to(marks[0])
    assert columns(cluster) == before
    assert times.column.tolist() == StartTimes(cluster).column.tolist()


TIMES = [f"2026-01-0{day}T00:00:00Z" for day in range(1, 6)]
GROUP = ("default", "team")


def arriving(asked, choose, name):
    """A pod that comes, of a group or of none."""
    data = pod(name)
    data["status"] = {"startTime": choose.choice(TIMES)}
    if choose.random() < 0.5:
        data["spec"]["schedulingGroup"] = {"podGroupName": GROUP[1]}
    return asked.admission.admit_existing(made(data))
