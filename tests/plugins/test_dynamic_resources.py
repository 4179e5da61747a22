"""DynamicResources in a cluster: rows, statuses, undo and what people are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import pytest
from builders import profile
from dra_builders import (
    allocated,
    claim,
    device,
    device_class,
    devices,
    exactly,
    first_available,
    node,
    resource_slice,
)
from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.dra.search import DeviceSearch
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import Version, feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.plugins.dynamic_resources import DynamicResources
from kschedctl.plugins.registry import IN_TREE
from kschedctl.questions.cluster import Cluster
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import after_refusal, carry_out_post_filter, place
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.snapshot import Header
from kschedctl.whatif.session import Session

ROOM = {"cpu": "8", "memory": "8Gi", "pods": "10"}


def pod(name: str, *claims: str, extended: dict[str, str] | None = None, cpu: str = "") -> Pod:
    container: dict[str, Any] = {"name": "c", "image": "i"}
    requests = {**(extended or {}), **({"cpu": cpu} if cpu else {})}
    if requests:
        container["resources"] = {"requests": requests, "limits": requests}
    entries = [{"name": c.lower(), "resourceClaimName": c} for c in claims]
    spec = {"containers": [container], "resourceClaims": entries}
    return msgspec.convert({"metadata": {"name": name, "namespace": "d"}, "spec": spec}, Pod)


def session(
    *objects: TopLevel,
    nodes: Sequence[str] = ("n1", "n2", "n3"),
    every_failure: bool = False,
    off: Sequence[str] = (),
    version: Version = V1_36,
    gates: Mapping[str, bool] = MappingProxyType({}),
) -> Session:
    settings = feature_gates(version, gates)
    hosts = [node(name, allocatable=ROOM) for name in nodes]
    return Session(
        [*hosts, device_class(), *objects],
        load_configuration(without(*off), version, settings, IN_TREE),
        SchedulingOptions(every_failure=every_failure),
    )


def without(*points: str) -> dict[str, Any]:
    """A configuration with the plugin disabled at some extension points."""
    return profile(plugins={point: {"disabled": [{"name": "DynamicResources"}]} for point in points})


def enter(questions: Session, who: Pod) -> PodRecord:
    record = questions.enter(who)
    assert isinstance(record, PodRecord), record
    return record


def decide(questions: Session, who: Pod) -> Decision:
    return questions.scheduler.decide(enter(questions, who), questions.cluster)


def plugin(decision: Decision) -> DynamicResources:
    assert decision.framework is not None
    found = decision.framework.plugin("DynamicResources")
    assert isinstance(found, DynamicResources)
    return found


def state(decision: Decision) -> Any:
    assert decision.phase is not None
    return decision.phase.states["DynamicResources"]


def gpus(on: str, *names: str, **fields: Any) -> TopLevel:
    offered = [device(name, attributes={"serial": f"{on}-{name}"}, **fields) for name in names]
    return resource_slice(f"s-{on}", offered, pool=on, on=on)


def test_pods_fill_the_nodes_one_after_another() -> None:
    questions = session(
        gpus("n1", "a"), gpus("n2", "a"), *(claim(f"c{i}", exactly()) for i in range(3)), nodes=("n1", "n2")
    )
    placed = []
    for i in range(3):
        decision = decide(questions, pod(f"p{i}", f"c{i}"))
        placed.append(decision.outcome)
        if decision.outcome is Outcome.SCHEDULED:
            assert place(decision) is None
    assert placed == [Outcome.SCHEDULED, Outcome.SCHEDULED, Outcome.UNSCHEDULABLE]
    assert decision.event.startswith("0/2 nodes are available: 2 cannot allocate all claims. still not")


def test_undo_gives_the_devices_back() -> None:
    questions = session(gpus("n1", "a"), claim("x", exactly()), claim("y", exactly()), nodes=("n1",))
    start = questions.cluster.mark()
    place(decide(questions, pod("p", "x")))
    assert decide(questions, pod("q", "y")).outcome is Outcome.UNSCHEDULABLE
    questions.cluster.undo_to(start)
    assert decide(questions, pod("r", "y")).outcome is Outcome.SCHEDULED


def test_scores_prefer_earlier_alternatives() -> None:
    fast = first_available(
        "r", exactly("best", 1, 'device.attributes["drv"].serial == "n2-a"'), exactly("any")
    )
    questions = session(gpus("n1", "a"), gpus("n2", "a"), claim("c", fast), nodes=("n1", "n2"))
    decision = decide(questions, pod("p", "c"))
    assert decision.scores is not None
    column = next(c for c in decision.scores.columns if c.plugin == "DynamicResources")
    names = [questions.cluster.nodes.names[row] for row in decision.scores.feasible]
    assert dict(zip(names, column.weighted.tolist(), strict=True)) == {"n1": 174, "n2": 200}


def test_an_error_fails_the_pod_and_names_what_it_met() -> None:
    broken = resource_slice("s-n2", devices("a"), pool="n2", on="n2", count=2)
    everything = {"name": "r", "exactly": {"deviceClassName": "any", "allocationMode": "All"}}
    questions = session(gpus("n1", "a"), broken, claim("c", everything))
    decision = decide(questions, pod("p", "c"))
    assert decision.outcome is Outcome.ERROR
    assert decision.message == (
        'running "DynamicResources" filter plugin: claim d/c, request r: '
        "asks for all devices, but resource pool drv/n2 is currently being updated"
    )


@pytest.mark.parametrize(("reserved_for", "freed"), [((), True), (("someone",), False)])
def test_a_claim_that_is_elsewhere_can_be_freed(reserved_for: tuple[str, ...], freed: bool) -> None:
    questions = session(
        gpus("n1", "a"), allocated("c", ("n9", "x"), on="n9", reserved_for=reserved_for), nodes=("n1",)
    )
    decision = decide(questions, pod("p", "c"))
    assert ("deallocation of ResourceClaim completed" in decision.event) is freed
    start = questions.cluster.mark()
    assert carry_out_post_filter(decision) is freed
    again = questions.scheduler.decide(decision.pod, questions.cluster)
    assert (again.outcome is Outcome.SCHEDULED) is freed
    questions.cluster.undo_to(start)
    assert questions.scheduler.decide(decision.pod, questions.cluster).event == decision.event


@pytest.mark.parametrize("every_failure", [False, True])
def test_nodes_that_others_refuse_free_no_claim(every_failure: bool) -> None:
    """n1 is refused for its taint before anyone asks for devices there; n2 has the claim but no room."""
    tainted = node("n1", allocatable=ROOM, taints=[{"key": "k", "effect": "NoSchedule"}])
    full = node("n2", allocatable={**ROOM, "cpu": "0"})
    held = allocated("c", ("n2", "x"), on="n2")
    questions = session(tainted, full, held, nodes=(), every_failure=every_failure)
    decision = decide(questions, pod("p", "c", cpu="1"))
    assert decision.event.startswith(
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
        "still not schedulable, preemption: "
    )


def running(name: str, claim_name: str) -> Pod:
    """A pod on n1 that has used a claim since before the cluster was loaded."""
    who = pod(name, claim_name)
    return replace(who, spec=replace(who.spec, node_name="n1"))


@pytest.mark.parametrize("asked_before", [False, True], ids=["first question", "after others"])
@pytest.mark.parametrize(
    ("users", "freed"),
    [(("d/old",), True), (("d/old", "d/other"), False)],
    ids=["last user", "another user"],
)
def test_the_last_pod_that_goes_frees_the_devices(
    users: tuple[str, ...], freed: bool, asked_before: bool
) -> None:
    held = allocated("x", ("n1", "a"), on="n1", reserved_for=users)
    questions = session(gpus("n1", "a"), held, claim("y", exactly()), running("old", "x"), nodes=("n1",))
    if asked_before:
        assert decide(questions, pod("before", "y")).outcome is Outcome.UNSCHEDULABLE
    start = questions.cluster.mark()
    old = questions.find("d", "old")
    assert old is not None
    questions.cluster.remove(old.id)
    assert (decide(questions, pod("p", "y")).outcome is Outcome.SCHEDULED) is freed
    questions.cluster.undo_to(start)
    assert decide(questions, pod("q", "y")).outcome is Outcome.UNSCHEDULABLE


def test_a_running_pod_is_judged_without_the_devices_that_it_has() -> None:
    held = allocated("x", ("n1", "a"), on="n1", reserved_for=("d/old",))
    questions = session(gpus("n1", "a"), gpus("n2", "a"), held, running("old", "x"), nodes=("n1", "n2", "n3"))
    old = questions.find("d", "old")
    assert old is not None
    with questions.deciding(old) as decision:
        assert decision.feasible is not None
        assert sorted(questions.cluster.nodes.names[row] for row in decision.feasible) == ["n1", "n2"]


def test_the_claim_for_extended_resources_goes_with_its_pod() -> None:
    resource = "deviceclass.resource.kubernetes.io/any"
    questions = session(gpus("n1", "a"), nodes=("n1",))
    first = decide(questions, pod("p", extended={resource: "1"}))
    assert place(first) is None
    start = questions.cluster.mark()
    questions.cluster.remove(first.pod.id)
    assert questions.scheduler.decide(first.pod, questions.cluster).outcome is Outcome.SCHEDULED
    questions.cluster.undo_to(start)
    assert decide(questions, pod("q", extended={resource: "1"})).outcome is Outcome.UNSCHEDULABLE


def test_claims_that_come_while_nobody_asks_are_there_for_the_first_question() -> None:
    questions = session(gpus("n1", "a"), claim("c", exactly("r", 2)), nodes=("n1",))
    start = questions.cluster.mark()
    ClusterDevices.of(questions.cluster).add_claim(claim("c", exactly()))
    assert decide(questions, pod("p", "c")).outcome is Outcome.SCHEDULED
    questions.cluster.undo_to(start)
    assert decide(questions, pod("q", "c")).outcome is Outcome.UNSCHEDULABLE


def test_a_claim_made_for_a_pod_is_seen_until_it_is_undone() -> None:
    questions = session(gpus("n1", "a"), nodes=("n1",))
    start = questions.cluster.mark()
    ClusterDevices.of(questions.cluster).add_claim(claim("c", exactly()))
    assert decide(questions, pod("p", "c")).outcome is Outcome.SCHEDULED
    questions.cluster.undo_to(start)
    gated = decide(questions, pod("q", "c"))
    assert (gated.outcome, gated.message) == (Outcome.GATED, 'could not find ResourceClaim "d/c"')


def test_pods_that_differ_in_their_claims_alone_are_no_equals() -> None:
    """By its status the first needs no claim after all; the second has one, and there are no devices."""
    metadata = {"namespace": "d", "labels": {"app": "train"}}
    entries = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    spec = {"containers": [{"name": "c", "image": "i"}], "resourceClaims": entries}

    def train(name: str, **status: str) -> Pod:
        claims = {"resourceClaimStatuses": [{"name": "gpu", **status}]}
        return msgspec.convert({"metadata": {"name": name, **metadata}, "spec": spec, "status": claims}, Pod)

    owner = {"kind": "Pod", "name": "b", "uid": "d/b", "controller": True}
    questions = session(claim("made", exactly(), meta={"ownerReferences": [owner]}))
    outcomes = [decide(questions, who).outcome for who in (train("a"), train("b", resourceClaimName="made"))]
    assert outcomes == [Outcome.SCHEDULED, Outcome.UNSCHEDULABLE]


def test_extended_resources_are_served_by_devices_or_by_the_node() -> None:
    resource = "deviceclass.resource.kubernetes.io/any"
    plain = node("n3", allocatable={**ROOM, resource: "2"})
    questions = session(gpus("n1", "a"), plain, nodes=("n1", "n2"))
    decision = decide(questions, pod("p", extended={resource: "1"}))
    assert decision.feasible is not None
    assert sorted(questions.cluster.nodes.names[row] for row in decision.feasible) == ["n1", "n3"]


def test_details_are_about_the_row() -> None:
    questions = session(
        gpus("n1", "a"),
        gpus("n2", "a", taints=[{"key": "k", "effect": "NoSchedule"}]),
        claim("c", exactly("r", 2)),
    )
    decision = decide(questions, pod("p", "c"))
    rows, names = Rows(questions.cluster), questions.cluster.nodes.names
    texts = {
        name: [d.text for d in plugin(decision).details(state(decision), rows, row)]
        for row, name in enumerate(names)
    }
    assert texts == {
        "n1": ["claim d/c, request r: wants 2 devices of class any; could take n1/a"],
        "n2": ["claim d/c, request r: wants 2 devices of class any; n2/a: untolerated taint k:NoSchedule"],
        "n3": ["cannot allocate all claims: no device is within reach of the node"],
    }


def test_nodes_that_are_alike_share_a_subject() -> None:
    """n1 and n2 lack a device each; n3 has one that is in use."""
    held = allocated("x", ("n3", "b"), on="n3")
    slices = (gpus("n1", "a"), gpus("n2", "a"), gpus("n3", "a", "b"))
    decision = decide(session(*slices, held, claim("c", exactly("r", 2))), pod("p", "c"))
    subjects = [detail.subject for row in range(3) for detail in decision.details_of(row)]
    wants = "claim d/c, request r: wants 2 devices of class any; could take 1 device"
    assert subjects == [wants, wants, f"{wants}; 1 device: in use by another claim"]


@pytest.mark.parametrize("cpu", ["1", "9"], ids=["feasible", "nowhere feasible"])
def test_the_devices_that_would_be_taken_are_told(cpu: str) -> None:
    had = allocated("mine", ("net", "nic"))
    questions = session(gpus("n1", "a"), gpus("n2", "a", "b"), had, claim("c", exactly("r", 2)))
    decision = decide(questions, pod("p", "mine", "c", cpu=cpu))
    (found,) = [b for b in decision.background() if b.plugin == "DynamicResources"]
    assert found.rows == (
        ("n2", "claim d/mine, request r", "net/nic"),
        ("n2", "claim d/c, request r", "n2/a, n2/b"),
    )


def test_a_pod_without_claims_has_no_devices_to_tell() -> None:
    decision = decide(session(gpus("n1", "a")), pod("p"))
    assert [b for b in decision.background() if b.plugin == "DynamicResources"] == []


def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The nodes that are searched from now on."""
    seen: list[str] = []
    run = DeviceSearch.run

    def counted(search: DeviceSearch) -> Any:
        seen.append(search._node.name)
        return run(search)

    monkeypatch.setattr(DeviceSearch, "run", counted)
    return seen


def test_equal_nodes_are_searched_once_for_people_and_told_their_own_devices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """n1 and n2 are equal, but for names: of the pool that is not whole, of the serials that a selector reads."""
    slices = [resource_slice(f"b-{on}", devices("x"), pool=f"b-{on}", on=on, count=2) for on in ("n1", "n2")]
    selector = 'device.attributes["drv"].serial == "none"'
    held = [allocated(f"x-{on}", (on, "b"), on=on) for on in ("n1", "n2")]
    questions = session(
        *(gpus(on, "a", "b") for on in ("n1", "n2")),
        *slices,
        *held,
        claim("c", exactly("r", 1, selector)),
        nodes=("n1", "n2"),
    )
    decision = decide(questions, pod("p", "c"))
    searched = searches(monkeypatch)
    texts = [detail.text for row in range(2) for detail in decision.details_of(row)]
    assert texts == [
        "claim d/c, request r: wants 1 device of class any; "
        f"b-{on}/x: pool drv/b-{on}: 1 of 2 slices of generation 1; "
        f"{on}/a: selector #0 of claim d/c is false for serial={on}-a ({selector}); "
        f"{on}/b: in use by claim d/x-{on}"
        for on in ("n1", "n2")
    ]
    assert searched == ["n1"]


def test_equal_nodes_are_searched_once_for_the_devices_that_would_be_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slices = (gpus("n1", "a"), gpus("n2", "b"), gpus("n3", "c"))
    searched = searches(monkeypatch)
    decision = decide(session(*slices, claim("c", exactly())), pod("p", "c"))
    (found,) = [b for b in decision.background() if b.plugin == "DynamicResources"]
    assert [row[2] for row in found.rows] == ["n1/a", "n2/b", "n3/c"]
    assert searched == ["n1"]


def test_a_node_is_told_only_of_the_requests_that_are_for_devices_there() -> None:
    """n1 has `b` by itself, n2 nothing: what is missing for `b` on n2 does not concern n1."""
    a, b = (device_class(name, extendedResourceName=f"example.com/{name}") for name in "ab")
    has_b = node("n1", allocatable={**ROOM, "example.com/b": "1"})
    held = [allocated(f"x-{on}", (on, "d"), on=on) for on in ("n1", "n2")]
    questions = session(has_b, gpus("n1", "d"), gpus("n2", "d", "e"), *held, a, b, nodes=("n2",))
    decision = decide(questions, pod("p", extended={"example.com/a": "1", "example.com/b": "1"}))
    classes = [
        [detail.text.partition(" of class ")[2][0] for detail in decision.details_of(row)] for row in range(2)
    ]
    assert classes == [["a"], ["a", "b"]]


def test_pods_with_claims_of_all_kinds_see_equal_nodes_as_equal() -> None:
    """Nodes are equal where devices, what the node offers by itself, and what can be reached are."""
    resource = "deviceclass.resource.kubernetes.io/any"
    offers = [{}, {resource: "1"}]
    nodes = [
        node(f"n{i}", {"zone": f"z{i % 2}"}, allocatable={**ROOM, **offers[i // 2 % 2]}) for i in range(16)
    ]
    slices = [gpus(f"n{i}", *("ab" if i // 4 % 2 else "a")) for i in range(16)]
    near = {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z0"]}]}]
    }
    results = [{"request": "r", "driver": "drv", "pool": "net", "device": "x"}]
    held = claim(
        "h", exactly(), status={"allocation": {"devices": {"results": results}, "nodeSelector": near}}
    )
    questions = session(*nodes, *slices, held, claim("c", exactly()), nodes=())
    decision = decide(questions, pod("p", "h", "c", extended={resource: "1"}))
    assert decision.feasible is not None
    fits = sorted(int(questions.cluster.nodes.names[row][1:]) for row in decision.feasible)
    assert fits == [i for i in range(16) if i % 2 == 0 and (i // 4 % 2 or i // 2 % 2)]
    groups = state(decision)._groups(Rows(questions.cluster), np.arange(16))
    assert sorted(map(len, groups)) == [2] * 8


def test_what_preemption_finds_out_of_reach_frees_no_claim() -> None:
    """Without the pod of lower priority n1 would have room, but not the claim: PostFilter had its say by then."""
    nodes = [node(name, allocatable={**ROOM, "cpu": cpu}) for name, cpu in (("n1", "1"), ("n2", "0"))]
    low, high = pod("low", cpu="1"), pod("high", "c", cpu="1")
    low = replace(low, spec=replace(low.spec, node_name="n1", priority=0))
    high = replace(high, spec=replace(high.spec, priority=100))
    questions = session(*nodes, allocated("c", ("n2", "x"), on="n2"), low, nodes=())
    decision = decide(questions, high)
    assert decision.event == (
        "0/2 nodes are available: 2 Insufficient cpu. still not schedulable, preemption: 0/2 nodes are available: "
        "1 Preemption is not helpful for scheduling, 1 resourceclaim not available on the node."
    )
    assert not carry_out_post_filter(decision)


def test_nodes_that_differ_in_what_is_not_asked_for_share_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two nodes have the same memory, and labels differ; only what devices could serve counts."""
    names = [f"n{i}" for i in range(5)]
    nodes = [
        node(name, {"serial": name}, allocatable={**ROOM, "memory": f"{8000 + i}Mi"})
        for i, name in enumerate(names)
    ]
    questions = session(*nodes, *(gpus(name, "a") for name in names), nodes=())
    searched = searches(monkeypatch)
    decision = decide(questions, pod("p", extended={"deviceclass.resource.kubernetes.io/any": "1"}, cpu="1"))
    assert decision.feasible is not None
    assert (len(decision.feasible), searched) == (5, ["n0"])


@pytest.mark.parametrize("zones", [("a",), ("a", "b"), ()])
def test_claims_shared_by_many_pods_are_reachable_from_where_their_selectors_say(
    zones: tuple[str, ...],
) -> None:
    nodes = [node(f"n{i}", {"zone": "abc"[i % 3]}, allocatable=ROOM) for i in range(6)]
    near = {"matchExpressions": [{"key": "zone", "operator": "In", "values": [*zones]}]}
    shared = allocated("s", ("net", "x"), node_selector={"nodeSelectorTerms": [near] if zones else []})
    questions = session(*nodes, shared, allocated("t", ("net", "y")), nodes=())
    for i in range(2):
        decision = decide(questions, pod(f"p{i}", "s", "t"))
        rows = [] if decision.feasible is None else decision.feasible
        fits = sorted(int(questions.cluster.nodes.names[row][1:]) for row in rows)
        assert fits == [n for n in range(6) if "abc"[n % 3] in zones]


@pytest.mark.parametrize(
    ("off", "text"),
    [
        pytest.param(
            ["filter"],
            'running Reserve plugin "DynamicResources": claim allocation not found for node',
            id="Reserve takes what Filter found",
        ),
        pytest.param(
            ["preFilter", "filter", "score"],
            'running Reserve plugin "DynamicResources": not found',
            id="Reserve reads what PreFilter left",
        ),
        pytest.param(
            ["preFilter", "filter", "score", "reserve"],
            'running PreBind plugin "DynamicResources": not found',
            id="so does PreBind",
        ),
    ],
)
def test_half_a_plugin_fails_when_the_pod_has_got_its_node(off: list[str], text: str) -> None:
    questions = session(gpus("n1", "a"), claim("c", exactly()), off=off)
    decision = decide(questions, pod("p", "c"))
    refused = place(decision)
    assert refused is not None
    assert refused.message == text
    after = after_refusal(decision, refused)
    assert (after.outcome, after.message) == (Outcome.ERROR, text)
    assert questions.cluster.pods.node[decision.pod.id] < 0


def test_score_without_pre_filter_fails_every_pod() -> None:
    decision = decide(session(off=["preFilter", "filter"]), pod("p"))
    text = 'running Score plugins: plugin "DynamicResources" failed with: not found'
    assert (decision.outcome, decision.message) == (Outcome.ERROR, text)


def test_without_filter_allocated_claims_are_taken_as_they_are_and_nothing_is_scored() -> None:
    wants = first_available("r", exactly("best"), exactly("any"))
    questions = session(
        gpus("n1", "a"), gpus("n2", "a"), claim("c", wants), allocated("h", ("n3", "x")), off=["filter"]
    )
    scored = decide(questions, pod("p", "c")).scores
    assert scored is not None
    assert next(c for c in scored.columns if c.plugin == "DynamicResources").raw.tolist() == [0, 0, 0]
    assert place(decide(questions, pod("q", "h"))) is None
    held = next(c for c in ClusterDevices.of(questions.cluster).claims() if c.name == "h")
    assert [user.name for user in held.status.reserved_for] == ["q"]


def test_a_claim_is_freed_only_where_post_filter_was_asked() -> None:
    """DefaultPreemption comes first here and makes room, so that DynamicResources is not asked."""
    names = ("DefaultPreemption", "DynamicResources")
    order = {"disabled": [{"name": "*"}], "enabled": [{"name": name} for name in names]}
    nodes = [node("n1", allocatable={**ROOM, "cpu": "1"}), node("n2", allocatable=ROOM)]
    low = pod("low", cpu="1")
    low = replace(low, spec=replace(low.spec, node_name="n1", priority=0))
    high = pod("high", "h", cpu="1")
    high = replace(high, spec=replace(high.spec, priority=10))
    held = allocated("h", ("n1", "x"), on="n1")
    questions = Session(
        [*nodes, device_class(), held, low],
        load_configuration(profile(plugins={"postFilter": order}), V1_36, feature_gates(V1_36), IN_TREE),
        SchedulingOptions(),
    )
    decision = decide(questions, high)
    assert decision.preemption is not None
    assert decision.preemption.nominated == 0
    assert not carry_out_post_filter(decision)


def test_a_pod_with_old_and_new_claims_fails_until_1_36_1() -> None:
    """Scores pair its two claims with one result: the old claim has none."""
    found = {}
    for patch in (1, 2):
        questions = session(
            gpus("n1", "a", "b"),
            gpus("n2", "a", "b"),
            allocated("old", ("n9", "x")),
            claim("new", exactly()),
            nodes=("n1", "n2"),
            version=V1_36.at_patch(patch),
        )
        decision = decide(questions, pod("p", "old", "new"))
        found[patch] = decision.outcome, decision.message, decision.fault and decision.fault.issue
    text = 'plugin "DynamicResources" failed with: number of allocations 1 is smaller than number of claims'
    assert found == {
        1: (Outcome.ERROR, f"running Score plugins: {text}", "kubernetes/kubernetes#139016"),
        2: (Outcome.SCHEDULED, "", None),
    }


@pytest.mark.parametrize(
    ("claims", "event"),
    [
        pytest.param(
            (), "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes", id="no claims"
        ),
        pytest.param(
            ("new",),
            "0/1 nodes are available: 1 cannot allocate all claims. preemption: 0/1 nodes",
            id="claims",
        ),
    ],
)
def test_1_37_does_not_tell_that_nothing_was_freed(claims: tuple[str, ...], event: str) -> None:
    questions = session(claim("new", exactly()), nodes=("n1",), version=V1_37)
    decision = decide(questions, pod("p", *claims, cpu="" if claims else "99"))
    assert decision.event.startswith(event)


WAITING: dict[str, Any] = {
    "request": "r",
    "driver": "drv",
    "pool": "n1",
    "device": "d",
    "bindingConditions": ["attached"],
}


@pytest.mark.parametrize(
    ("at", "args", "fits"),
    [
        pytest.param("", {}, True, id="time-not-known"),
        pytest.param("2026-01-01T00:10:00Z", {}, True, id="default-not-over"),
        pytest.param("2026-01-01T00:10:01Z", {}, False, id="default-over"),
        pytest.param("2026-01-01T00:10:01Z", {"bindingTimeout": "20m"}, True, id="longer"),
        pytest.param("2026-01-01T00:00:31Z", {"bindingTimeout": "30s"}, False, id="shorter"),
    ],
)
def test_devices_that_do_not_get_ready_in_time_are_given_up(
    at: str, args: dict[str, Any], fits: bool
) -> None:
    allocation = {"devices": {"results": [WAITING]}, "allocationTimestamp": "2026-01-01T00:00:00Z"}
    header = Header(taken_at=at)
    objects = [node("n1", allocatable=ROOM), allocated("c", status={"allocation": allocation})]
    configured = profile(pluginConfig=[{"name": "DynamicResources", "args": args}])
    scheduler = load_configuration(configured, V1_36, feature_gates(V1_36), IN_TREE)
    questions = Cluster(objects, scheduler, headers=(header,)).session
    for asked in (questions, questions.with_objects(objects, SchedulingOptions())):
        decision = decide(asked, pod("p", "c"))
        assert (decision.outcome is Outcome.SCHEDULED) is fits
