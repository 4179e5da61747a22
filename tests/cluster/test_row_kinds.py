"""Numbers of rows tell rows apart that differ in what nodes offer or pods use, and no others."""

import random

import numpy as np
import pytest
from builders import enter, made, node, pod, session
from msgspec.structs import replace

from kschedctl.cluster import row_kinds
from kschedctl.cluster.row_kinds import RowKinds
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.whatif.session import Session


def content(cluster: ClusterState, rows: Rows, at: int) -> tuple[object, ...]:
    """What a number stands for."""
    return (
        rows.allocatable[at].tolist(),
        int(rows.allowed_pods[at]),
        rows.requested[at].tolist(),
        rows.non_zero[at].tolist(),
        int(rows.pod_count[at]),
    )


def loaded(nodes: int) -> Session:
    return session([node(f"n{i}", cpu=("4", "8")[i % 2]) for i in range(nodes)], [])


def change(rng: random.Random, one: Session, at: int) -> None:
    """Let a pod come or go, or let a node grow."""
    cluster = one.cluster
    there = [i for i, row in enumerate(cluster.pods.node.tolist()) if row >= 0]
    row = rng.randrange(cluster.nodes.count)
    match rng.randrange(6):
        case 0 if there:
            cluster.remove(rng.choice(there))
        case 1:
            grown = cluster.nodes.objects[row]
            labels = {**grown.metadata.labels, "seen": str(at)}
            cluster.patch_nodes([replace(grown, metadata=replace(grown.metadata, labels=labels))])
        case 2 if rng.random() < 0.3:
            cluster.patch_nodes([made(node(cluster.nodes.names[row], cpu=rng.choice(("4", "16"))))])
        case _:
            data = pod(f"p{at}", cpu=rng.choice(("100m", "200m", "1")), memory=rng.choice(("1Gi", "2Gi")))
            cluster.assume(enter(one, data).id, row)


@pytest.mark.parametrize(("seed", "least", "foreseen"), [(0, 4096, 32), (1, 4096, 0), (2, 6, 2), (3, 0, 32)])
def test_equal_numbers_mean_equal_contents(
    seed: int, least: int, foreseen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_kinds, "_LEAST", least)
    monkeypatch.setattr(row_kinds, "_FORESEEN", foreseen)
    rng, one = random.Random(seed), loaded(8)
    cluster = one.cluster
    for at in range(150):
        mark = cluster.mark() if rng.random() < 0.1 else None
        change(rng, one, at)
        kinds = RowKinds.of(cluster)
        rows = np.array(rng.sample(range(8), rng.randrange(1, 9)))
        numbers = kinds.numbers(rows)
        every = kinds.rows(0)
        assert len(every) == kinds.count
        assert len({repr(content(cluster, every, i)) for i in range(kinds.count)}) == kinds.count
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            assert content(cluster, every, number) == content(cluster, Rows(cluster), row)
        if mark is not None:
            cluster.undo_to(mark)


def test_a_pod_may_ask_for_what_no_node_and_no_other_pod_has() -> None:
    """Nobody has looked at what it asks for when the first rows are numbered."""
    one = loaded(2)
    for at in range(3):
        enter(one, pod(f"p{at}", more={f"example.com/new-{at}": "1"}))
        assert RowKinds.of(one.cluster).numbers(np.arange(2)).tolist() == [0, 1]


def test_what_comes_next_is_foreseen() -> None:
    """Two demands have come, the second one to a larger node: what the first makes of such a node has a number."""
    one = loaded(4)
    cluster = one.cluster
    rows = np.arange(4)
    small, large = (enter(one, pod(f"p{i}", cpu=cpu)) for i, cpu in enumerate(("100m", "200m")))
    RowKinds.of(cluster).numbers(rows)
    cluster.assume(small.id, 0)
    RowKinds.of(cluster).numbers(rows)
    cluster.assume(large.id, 1)
    RowKinds.of(cluster).numbers(rows)
    known = RowKinds.of(cluster).count

    cluster.assume(enter(one, pod("p2", cpu="100m")).id, 3)

    kinds = RowKinds.of(cluster)
    kinds.numbers(rows)
    assert kinds.count == known


def test_many_demands_are_not_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_kinds, "_FORESEEN", 1)
    one = loaded(1)
    numbers = []
    for i in range(4):
        one.cluster.assume(enter(one, pod(f"p{i}", cpu=f"{i + 1}00m")).id, 0)
        kinds = RowKinds.of(one.cluster)
        kinds.numbers(np.arange(1))
        numbers.append(kinds.count)

    assert numbers == [1, 2, 3, 4]
