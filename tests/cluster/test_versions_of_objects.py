"""Other versions of pods and objects: where they stand, who hears of it, and that undo leaves no trace."""

import pytest
from builders import enter, feasible, made, node, pod, session

from kschedctl.cluster.start_times import NO_START, start_times
from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.storage import StorageClass


def cluster_of(*objects):
    return session(*objects)


def listed(cluster, row=0):
    """Names of the pods of a node in list order."""
    return [cluster.pods.records[found].name for found in cluster.usage.pods[row]]


def version(asked, **fields):
    return asked.admission.admit_existing(made(pod("p", "n", **fields)))


def test_a_replaced_pod_goes_to_the_end_and_counts_anew():
    asked = cluster_of(node("n"), [pod(name, "n", cpu="1") for name in ("p", "q", "r")])
    cluster = asked.cluster
    new = cluster.replace(0, version(asked, cpu="2", terminating=True))
    assert listed(cluster) == ["r", "q", "p"]
    assert cluster.usage.requested[0, 0] == 4000
    assert cluster.pods.terminating[new.id]


def test_replacing_is_no_deletion():
    asked = cluster_of(node("n"), pod("p", "n"))
    heard = []
    asked.cluster.on_removal(heard.append)
    asked.cluster.replace(0, version(asked))
    assert heard == []


def test_a_waiting_pod_is_replaced_where_it_is():
    asked = cluster_of(node("n"), pod("p"))
    new = asked.cluster.replace(0, version(asked))
    assert (listed(asked.cluster), int(asked.cluster.pods.node[new.id])) == ([], -1)


def test_replacing_can_be_undone():
    asked = cluster_of(node("n"), [pod(name, "n", cpu="1") for name in ("p", "q")])
    start = asked.cluster.mark()
    asked.cluster.replace(0, version(asked, cpu="2"))
    asked.cluster.undo_to(start)
    assert (listed(asked.cluster), int(asked.cluster.usage.requested[0, 0])) == (["p", "q"], 2000)


def test_a_restated_pod_stays_where_it_is_with_another_start():
    asked = cluster_of(node("n"), [pod(name, "n") for name in ("p", "q")])
    cluster = asked.cluster
    before = start_times(cluster, [0]).tolist()
    mark = cluster.mark()
    cluster.restate(0, version(asked, start="2026-01-01T00:00:00Z"))
    assert listed(cluster) == ["p", "q"]
    assert start_times(cluster, [0]).tolist() == [1767225600 * 10**9]
    cluster.undo_to(mark)
    assert start_times(cluster, [0]).tolist() == before == [NO_START]


class Kept:
    """Something that a package keeps of a cluster."""

    def __init__(self, cluster):
        self.classes = len(cluster.objects.all(StorageClass))


def test_exchanged_objects_make_what_is_kept_anew():
    cluster = cluster_of(node("n")).cluster
    first = cluster.extension(Kept, Kept)
    mark = cluster.mark()
    cluster.set_objects(
        ObjectStore(
            [made({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"}})]
        )
    )
    assert (first.classes, cluster.extension(Kept, Kept).classes) == (0, 1)
    cluster.undo_to(mark)
    assert cluster.extension(Kept, Kept) is first


def test_what_knows_of_the_change_is_kept():
    cluster = cluster_of(node("n")).cluster
    first = cluster.extension(Kept, Kept)
    cluster.set_objects(ObjectStore(), keep_derived=True)
    assert cluster.extension(Kept, Kept) is first


def test_decisions_see_exchanged_objects():
    """Equal pods are decided once, as long as nothing moves: a new service changes how its pods spread."""
    asked = cluster_of([node("a", "z1"), node("b", "z2")], pod("e", "a", labels={"app": "x"}))
    first = asked.scheduler.decide(enter(asked, pod("w1", labels={"app": "x"})), asked.cluster)
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s", "namespace": "default"},
        "spec": {"selector": {"app": "x"}},
    }
    asked.cluster.set_objects(ObjectStore([made(service)]))
    second = asked.scheduler.decide(enter(asked, pod("w2", labels={"app": "x"})), asked.cluster)
    scored = [[c.plugin for c in d.scores.columns] for d in (first, second)]
    assert ["PodTopologySpread" in plugins for plugins in scored] == [False, True]


def _namespace(**labels):
    return made({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": labels}})


def _near(direction):
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {},
        "namespaceSelector": {"matchLabels": {"team": "a"}},
    }
    return {"affinity": {direction: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


@pytest.mark.parametrize(
    ("running", "candidate", "with_label", "without"),
    [
        pytest.param({}, _near("podAffinity"), ["a"], [], id="who the candidate means"),
        pytest.param(_near("podAntiAffinity"), {}, ["b"], ["a", "b"], id="whom running pods mean"),
    ],
)
def test_sums_over_pods_see_namespaces_change(running, candidate, with_label, without):
    asked = cluster_of([node("a", "z1"), node("b", "z2")], pod("e", "a", **running))
    found = []
    for i, labels in enumerate(({"team": "a"}, {}, {"team": "a"})):
        asked.cluster.set_objects(ObjectStore([_namespace(**labels)]))
        decision = asked.scheduler.decide(enter(asked, pod(f"w{i}", **candidate)), asked.cluster)
        found.append(feasible(decision))
    assert found == [with_label, without, with_label]


def test_stores_with_and_without_an_object():
    store = ObjectStore()
    item = made({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"}})
    assert store.with_object(item).find(StorageClass, "s") is item
    assert store.with_object(item).without(item).find(StorageClass, "s") is None
    assert store.find(StorageClass, "s") is None
