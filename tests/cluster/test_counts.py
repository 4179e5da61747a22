"""Sums over pods that are advanced move by move are those over the pods as they are now."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from builders import enter, node, pod, session

from kschedctl.cluster import counts
from kschedctl.cluster.counts import Ints
from kschedctl.cluster.state import ClusterState
from kschedctl.whatif.session import Session

APPS = ("a", "b", "c", "d")


def of_apps(cluster: ClusterState, *apps: str) -> Callable[[], Ints]:
    """2 for each pod of one of some apps."""

    def weights() -> Ints:
        classes = cluster.pods.classes.since(0)
        return np.array([2 * (k.labels.get("app") in apps) for k in classes], np.int64)

    return weights


def counted(cluster: ClusterState, *apps: str) -> list[int]:
    records, listed = cluster.pods.records, cluster.usage.pods
    return [2 * sum(records[i].pod.labels["app"] in apps for i in there) for there in listed]


def come(one: Session, rng: random.Random, name: str, size: int) -> None:
    data = pod(name, labels={"app": rng.choice(APPS)}, cpu=f"{size}m")
    one.cluster.assume(enter(one, data).id, rng.randrange(one.cluster.nodes.count))


@pytest.mark.parametrize(("few", "kept"), [(8, 128), (1, 128), (8, 0), (0, 128)])
@pytest.mark.parametrize("seed", range(3))
def test_sums_follow_pods(seed: int, few: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few classes or many, new ones among them, with undo, other nodes and sums that nobody asks for a while."""
    monkeypatch.setattr(counts, "_FEW", few)
    monkeypatch.setattr(counts, "_KEPT_OF_CLASS", kept)
    rng = random.Random(seed)
    one = session([node(f"n{i}", zone="ab"[i % 2]) for i in range(4)], [])
    cluster = one.cluster
    zones = cluster.nodes.column("topology.kubernetes.io/zone")
    for at in range(200):
        mark = cluster.mark() if rng.random() < 0.2 else None
        there = [i for i, row in enumerate(cluster.pods.node.tolist()) if row >= 0]
        if there and rng.random() < 0.3:
            cluster.remove(rng.choice(there))
        else:
            come(one, rng, f"p{at}", rng.randrange(1, 2 + at // 20))
        if mark is not None and rng.random() < 0.7:
            cluster.undo_to(mark)
        for apps in (("a",), ("b", "c"), APPS):
            if rng.random() < 0.4:
                found = cluster.counts.get(apps, of_apps(cluster, *apps))
                assert found.by_node.tolist() == counted(cluster, *apps)
                of_zone = [sum(found.by_node[row] for row in rows) for rows in ((0, 2), (1, 3))]
                assert found.by_domain(zones).tolist() == of_zone
                assert found.met(zones).tolist() == [of_zone[row % 2] > 0 for row in range(4)]
        if rng.random() < 0.02:
            cluster.set_nodes(cluster.nodes_by_addition())
            zones = cluster.nodes.column("topology.kubernetes.io/zone")
