"""A fork in which nodes are patched decides as a cluster built from the changed objects; undo restores all of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import dra_builders as dra
import hypothesis.strategies as st
import numpy as np
import numpy.typing as npt
import pytest
import storage_builders as storage
from builders import HOST, ZONE, Data, enter, made, node, pod, session, taint
from hypothesis import given, settings
from msgspec.structs import replace
from random_clusters import random_objects, random_pod

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import ContainerImage, Node, Taint
from kschedctl.objects.resource import ResourceClaim
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.whatif.session import Session

Ints = npt.NDArray[np.int64]

GPU = "example.com/gpu"
NODES = 6
MIB = 1024 * 1024
GATES = {"DRAExtendedResource": True, "StorageCapacityScoring": True, "NodeDeclaredFeatures": True}


RESTARTING = {
    "restartPolicy": "Never",
    "restartPolicyRules": [
        {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}
    ],
}


def objects(seed: int) -> list[TopLevel]:
    """Nodes and pods at random; volumes, claims and devices that are reached by labels and names of nodes."""
    rng = random.Random(seed)
    in_zone = {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a", "b"]}]}]
    }
    on_ssd = {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]
    }
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["a", "c"]}]}]
    return [
        *(made(data) for data in random_objects(rng, NODES)),
        storage.storage_class("fast", allowedTopologies=topologies),
        storage.local_class(),
        storage.claim("bound", volume="in-a"),
        storage.claim("local", "local"),
        storage.claim("new"),
        storage.volume("in-a", zone="a", handle="h1"),
        storage.volume("local-1", "local", on="n1"),
        storage.volume("in-b", "local", zone="b"),
        storage.csi_driver(),
        storage.capacity("fast", {"matchLabels": {ZONE: "c"}}, capacity="100Gi"),
        *(storage.csi_node(f"n{i}", **{"csi.example.com": i % 2}) for i in range(NODES - 1)),
        dra.device_class(extendedResourceName=GPU),
        dra.resource_slice("by-name", dra.devices("d0", "d1"), on="n0", pool="one"),
        dra.resource_slice("by-label", dra.devices("d2", "d3"), on=None, nodeSelector=on_ssd, pool="two"),
        of_default(dra.claim("device", dra.exactly())),
        of_default(dra.allocated("shared", ("two", "d2"), node_selector=in_zone)),
    ]


def of_default(claim: ResourceClaim) -> ResourceClaim:
    return replace(claim, metadata=replace(claim.metadata, namespace="default"))


KINDS: dict[str, Callable[[str], Data]] = {
    "large": lambda name: pod(name, cpu="900m", labels={"app": "web"}),
    "preemptor": lambda name: pod(name, cpu="3", priority=50, labels={"app": "web"}),
    "remembers": lambda name: pod(name, memory="7Gi"),
    "tolerant": lambda name: pod(name, tolerations=[{"key": "dedicated", "operator": "Exists"}]),
    "selector": lambda name: pod(name, nodeSelector={"disk": "ssd"}),
    "affinity": lambda name: pod(
        name, affinity={"nodeAffinity": {**wanted("disk", "ssd", "tape"), **prefers(ZONE, "a")}}
    ),
    "image": lambda name: pod(name, containers=[{"name": "main", "image": "registry.example/big:1"}]),
    "feature": lambda name: pod(name, containers=[{"name": "main", "image": "app"} | RESTARTING]),
    "gpu": lambda name: pod(name, more={GPU: "1"}),
    "spread": lambda name: pod(name, labels={"app": "web"}, topologySpreadConstraints=[spread("disk")]),
    "bound volume": lambda name: pod(name, volumes=[storage.mount("bound")]),
    "local volume": lambda name: pod(name, volumes=[storage.mount("local")]),
    "new volume": lambda name: pod(name, volumes=[storage.mount("new")]),
    "device": lambda name: pod(name, resourceClaims=[{"name": "d", "resourceClaimName": "device"}]),
    "shared device": lambda name: pod(name, resourceClaims=[{"name": "d", "resourceClaimName": "shared"}]),
    **{
        f"random {seed}": lambda name, seed=seed: random_pod(random.Random(seed), name)  # type: ignore[misc]
        for seed in range(12)
    },
}
"""Pods whose answers read one or another column of nodes."""


def wanted(key: str, *values: str) -> Data:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def prefers(key: str, value: str) -> Data:
    preference = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "preference": preference}]}


def spread(key: str) -> Data:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "nodeTaintsPolicy": "Honor",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }


def labelled(node: Node, key: str, value: str | None) -> Node:
    labels = {k: v for k, v in node.metadata.labels.items() if k != key}
    return replace(
        node, metadata=replace(node.metadata, labels=labels | ({} if value is None else {key: value}))
    )


def allocating(node: Node, **amounts: str) -> Node:
    named = {name.replace("gpu", GPU): amount for name, amount in amounts.items()}
    return replace(node, status=replace(node.status, allocatable={**node.status.allocatable, **named}))


def tainted(node: Node, *texts: str) -> Node:
    taints = tuple(Taint(**taint(text)) for text in texts)
    return replace(node, spec=replace(node.spec, taints=taints))


def without(node: Node, resource: str) -> Node:
    left = {name: amount for name, amount in node.status.allocatable.items() if name != resource}
    return replace(node, status=replace(node.status, allocatable=left))


PATCHES: dict[str, Callable[[Node], Node]] = {
    "cordon": lambda n: replace(n, spec=replace(n.spec, unschedulable=True)),
    "uncordon": lambda n: replace(n, spec=replace(n.spec, unschedulable=False)),
    "known taint": lambda n: tainted(n, "dedicated=db:NoSchedule"),
    "new taint": lambda n: tainted(n, "fresh:NoSchedule", "odd=1:PreferNoSchedule"),
    "soft taint": lambda n: tainted(n, "odd=1:PreferNoSchedule"),
    "no taint": lambda n: tainted(n),
    "zone a": lambda n: labelled(n, ZONE, "a"),
    "a zone of its own": lambda n: labelled(n, ZONE, "z"),
    "no zone": lambda n: labelled(n, ZONE, None),
    "other disk": lambda n: labelled(n, "disk", "ssd"),
    "new disk": lambda n: labelled(n, "disk", "tape"),
    "no disk": lambda n: labelled(n, "disk", None),
    "more room": lambda n: allocating(n, cpu="8", pods="3"),
    "less room": lambda n: allocating(n, cpu="300m"),
    "devices of its own": lambda n: allocating(n, gpu="2"),
    "image": lambda n: replace(
        n,
        status=replace(
            n.status, images=(ContainerImage(names=("registry.example/big:1",), size_bytes=900 * MIB),)
        ),
    ),
    "nothing for devices": lambda n: without(n, GPU),
    "no memory": lambda n: without(n, "memory"),
    "feature": lambda n: replace(
        n, status=replace(n.status, declared_features=("RestartAllContainersOnContainerExits",))
    ),
}

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("patch"), st.integers(0, NODES - 1), st.sampled_from(sorted(PATCHES))),
        st.tuples(st.just("decide"), st.just(0), st.sampled_from(sorted(KINDS))),
        st.tuples(st.just("mark"), st.just(0), st.just("")),
        st.tuples(st.just("undo"), st.just(0), st.just("")),
    ),
    min_size=4,
    max_size=16,
)


class Twin:
    """A cluster whose nodes are patched in forks, beside the objects of which it could be built anew."""

    def __init__(self, seed: int, how: str) -> None:
        self.how = how
        self.objects = objects(seed)
        self.placed: list[tuple[Data, str]] = []
        self.asked = self.build()
        self.marks: list[tuple[Any, list[TopLevel], int, dict[str, Any]]] = []

    def build(self) -> Session:
        built = session(self.objects, gates=GATES, **HOW[self.how])
        for data, on in self.placed:
            built.cluster.assume(enter(built, data).id, built.cluster.nodes.row_of[on])
        return built

    def patch(self, name: str, change: Callable[[Node], Node]) -> None:
        cluster = self.asked.cluster
        now = change(cluster.nodes.objects[cluster.nodes.row_of[name]])
        cluster.patch_nodes([now])
        self.objects = [now if isinstance(one, Node) and one.name == name else one for one in self.objects]

    def decide(self, kind: str, *, keep: bool = True) -> None:
        data = KINDS[kind](f"p{len(self.placed):02}")
        anew = self.build()
        anew.cluster.next_start = self.asked.cluster.next_start
        mark = self.asked.cluster.mark()
        decision = self.asked.scheduler.decide(enter(self.asked, data), self.asked.cluster)
        expected = anew.scheduler.decide(enter(anew, data), anew.cluster)
        assert choice(decision) == choice(expected)
        if self.how != "reused":
            assert told(decision) == told(expected)
        plain = (
            not data["spec"].get("volumes")
            and not data["spec"].get("resourceClaims")
            and GPU not in str(data)
        )
        if keep and plain and decision.outcome is Outcome.SCHEDULED and place(decision) is None:
            assert decision.selected_node is not None
            self.placed.append((data, decision.selected_node))
        else:
            self.asked.cluster.undo_to(mark)

    def mark(self) -> None:
        self.marks.append((self.asked.cluster.mark(), self.objects, len(self.placed), columns(self.asked)))

    def undo(self) -> None:
        mark, self.objects, placed, before = self.marks.pop()
        del self.placed[placed:]
        self.asked.cluster.undo_to(mark)
        assert columns(self.asked) == before


def choice(decision: Decision) -> dict[str, Any]:
    """What follows from a decision, rows as names."""
    cluster, preemption = decision.cluster, decision.preemption
    names, records = cluster.nodes.names, cluster.pods.records
    return {
        "outcome": decision.outcome,
        "selected": decision.selected_node,
        "event": decision.event or decision.message,
        "ties": [names[row] for row in decision.ties],
        "feasible": None if decision.feasible is None else [names[row] for row in decision.feasible.tolist()],
        "victims": None
        if preemption is None
        else {
            names[row]: [records[victim].name for victim in found.victims]
            for row, found in sorted(preemption.candidates.items(), key=lambda item: names[item[0]])
        },
        "nominated": preemption and preemption.nominated is not None and names[preemption.nominated],
        "next": cluster.next_start,
    }


def told(decision: Decision) -> dict[str, Any]:
    """What else a decision says of nodes."""
    names = decision.cluster.nodes.names
    rows = sorted(decision.cluster.present.order.tolist(), key=names.__getitem__)
    return {
        "scores": None
        if decision.scores is None
        else [(c.plugin, c.raw.tolist(), c.weighted.tolist()) for c in decision.scores.columns],
        "why": decision.filters
        and [(names[row], decision.failures_of(row), decision.details_of(row)) for row in rows],
    }


def columns(asked: Session) -> dict[str, Any]:
    """Everything that is kept of nodes and what is on them, as values."""
    cluster, nodes = asked.cluster, asked.cluster.nodes
    return {
        "objects": nodes.objects,
        "cordoned": nodes.unschedulable.tolist(),
        "pods allowed": nodes.allowed_pods.tolist(),
        "allocatable": by_resource(cluster, nodes.allocatable),
        "taints": {t: nodes.taint_counts[:, i].tolist() for i, t in enumerate(nodes.taints)},
        "labels": {
            key: [column.values[code] if code >= 0 else None for code in column.codes.tolist()]
            for key in (HOST, ZONE, "disk")
            for column in [nodes.column(key)]
        },
        "images": {name: (s.rows.tolist(), s.sizes.tolist()) for name, s in nodes.images.items()},
        "order": cluster.present.order.tolist(),
        "requested": by_resource(cluster, cluster.usage.requested),
        "on node": [list(listed) for listed in cluster.usage.pods],
        "start": cluster.next_start,
        "revision": cluster.journal.revision,
    }


def by_resource(cluster: ClusterState, table: Ints) -> dict[str, list[int]]:
    """Amounts by resource: names that came up since have a column, which stays and is empty."""
    columns = zip(cluster.resources.names, table.T.tolist(), strict=True)
    return {name: column for name, column in columns if any(column)}


def play(twin: Twin, steps: Sequence[tuple[str, int, str]]) -> None:
    for action, number, name in steps:
        match action:
            case "patch":
                twin.patch(f"n{number}", PATCHES[name])
            case "decide":
                twin.decide(name)
            case "mark":
                twin.mark()
            case "undo" if twin.marks:
                twin.undo()
    while twin.marks:
        twin.undo()


HOW: dict[str, dict[str, Any]] = {
    "reused": {"score_single": False},
    "in full": {"score_single": True},
    "every failure": {"every_failure": True},
}


@pytest.mark.parametrize("how", HOW)
@settings(max_examples=20)
@given(seed=st.integers(0, 30), steps=STEPS)
def test_a_patched_row_is_a_cluster_built_anew(
    how: str, seed: int, steps: list[tuple[str, int, str]]
) -> None:
    play(Twin(seed, how), steps)


@pytest.mark.parametrize("patch", sorted(PATCHES))
@pytest.mark.parametrize("how", ["reused", "in full"])
def test_each_kind_of_patch(how: str, patch: str) -> None:
    """What is known of every kind of pod under a patch is not taken for true without it, nor the other way round.

    No pod is placed: only the patch tells which row is another one.
    """
    twin = Twin(22, how)
    for patched in (True, False, True):
        twin.mark()
        if patched:
            twin.patch("n1", PATCHES[patch])
        for kind in KINDS:
            twin.decide(kind, keep=False)
        twin.undo()


def test_what_a_patch_leaves_as_it_was_is_shared() -> None:
    """Columns that a patch does not change are the same objects, so that what is kept of them holds."""
    asked = session([node("n1", "a"), node("n2", "b")])
    table, log = asked.cluster.nodes, asked.cluster.changes
    zone = table.column(ZONE)

    asked.cluster.patch_nodes([PATCHES["cordon"](table.objects[0])])
    cordoned = asked.cluster.nodes
    assert cordoned.unschedulable.tolist() == [True, False]
    assert table.unschedulable.tolist() == [False, False]
    assert cordoned.label_columns is table.label_columns
    assert cordoned.taint_counts is table.taint_counts
    assert asked.cluster.changes is log

    asked.cluster.patch_nodes([PATCHES["other disk"](cordoned.objects[1])])
    assert asked.cluster.nodes.column(ZONE) is zone
    assert asked.cluster.nodes.rows_unlike(table).tolist() == [0, 1]
    assert asked.cluster.nodes.rows_unlike(cordoned).tolist() == [1]


def test_sums_over_pods_are_not_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patching a label makes its column anew, and no sum over the pods of the cluster."""
    anti = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "disk", "labelSelector": {"matchLabels": {"app": "web"}}}
            ]
        }
    }
    asked = session(
        [node(f"n{i}", labels={"disk": "ssd"}) for i in range(3)], [pod("old", "n1", labels={"app": "web"})]
    )
    wanted = pod("new", labels={"app": "web"}, affinity=anti)
    assert asked.scheduler.decide(enter(asked, wanted), asked.cluster).outcome is Outcome.UNSCHEDULABLE

    summed: list[object] = []
    monkeypatch.setattr(
        type(asked.cluster.pods), "sum_by_node", lambda *_, **__: summed.append(1) or np.zeros(3, np.int64)
    )
    asked.cluster.patch_nodes([PATCHES["new disk"](asked.cluster.nodes.objects[2])])
    assert asked.scheduler.decide(enter(asked, wanted), asked.cluster).selected_node == "n2"
    assert not summed
