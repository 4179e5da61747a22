"""What becomes of the victims: who moves where, who evicts whom, and that nothing of it stays."""

from collections import Counter

import numpy as np
import pytest
from builders import decide, node, pod, session
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.judgement.cascade import Fate, cascade
from kschedctl.workloads.controllers import MIRROR_ANNOTATION

VIP = pod("vip", cpu="4", priority=1000)


def owned(kind="ReplicaSet"):
    return {"apiVersion": "apps/v1", "kind": kind, "name": "owner"}


def follow(asked, vip=VIP, **more):
    decision = decide(asked, vip)
    return cascade(asked.scheduler, decision, **more)


def drawn(victims):
    """The tree as nested lists of `name fate node`."""
    return [
        " ".join(filter(None, (v.pod.name, v.fate.value, v.node)))
        if not v.victims
        else (f"{v.pod.name} {v.fate.value} {v.node}", drawn(v.victims))
        for v in victims
    ]


@pytest.mark.parametrize(
    ("victim", "told"),
    [
        pytest.param(pod("v", "n1", cpu="1", owner=owned()), "v Moves n2", id="made anew by its controller"),
        pytest.param(pod("v", "n1", cpu="1"), "v Gone", id="by nobody"),
        pytest.param(
            pod("v", "n1", cpu="1", owner=owned("DaemonSet")), "v Pending", id="daemons have one node"
        ),
        pytest.param(pod("v", "n1", cpu="1", owner=owned("Node")), "v Static", id="of a node itself"),
        pytest.param(
            pod("v", "n1", cpu="1", owner=owned(), terminating=True), "v Leaving", id="leaving already"
        ),
        pytest.param(pod("v", "n1", cpu="3", owner=owned()), "v Pending", id="no room anywhere"),
        pytest.param(
            pod("v", "n1", cpu="1", owner=owned(), preemptionPolicy="Never", nominated="n9"),
            "v Moves n2",
            id="an old nomination is forgotten",
        ),
    ],
)
def test_fates(victim, told):
    asked = session(node("n1"), node("n2", cpu="2"), victim)
    assert drawn(follow(asked).victims) == [told]


def test_static_by_annotation():
    victim = pod("v", "n1", cpu="1")
    victim["metadata"]["annotations"] = {MIRROR_ANNOTATION: "x"}
    assert drawn(follow(session(node("n1"), victim)).victims) == ["v Static"]


def test_a_pending_victim_says_why_without_what_preemption_says():
    asked = session(node("n1"), pod("v", "n1", cpu="1", owner=owned()))
    assert follow(asked).victims[0].message == "0/1 nodes are available: 1 Insufficient cpu."


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        pytest.param({}, False, id="no claims"),
        pytest.param(
            {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "v-gpu"}]}, True, id="one"
        ),
    ],
)
def test_claims_that_were_made_for_a_victim_stay_its_own(status, kept):
    victim = pod("v", "n1", cpu="1", owner=owned())
    victim["status"] |= status
    assert follow(session(node("n1"), victim)).victims[0].keeps_claims is kept


CHAIN = [
    node("a", labels={"disk": "ssd"}),
    node("b", labels={"disk": "ssd"}),
    node("c", cpu="3"),
    pod("web", "a", cpu="3", priority=100, owner=owned(), nodeSelector={"disk": "ssd"}),
    pod("db", "b", cpu="1", priority=500, owner=owned("StatefulSet")),
    pod("api", "b", cpu="3", priority=50, owner=owned()),
    pod("batch", "c", cpu="3", priority=10),
]


def test_victims_evict_in_turn():
    found = follow(session(CHAIN))
    assert found.placed_on == "a"
    assert drawn(found.victims) == [("web Preempts b", [("api Preempts c", ["batch Gone"])])]
    assert (found.decided, found.cut) == (2, False)


def test_a_cascade_can_be_cut():
    found = follow(session(CHAIN), most=1)
    assert drawn(found.victims) == [("web Preempts b", ["api Unknown"])]
    assert found.cut


def test_victims_queue_by_priority():
    """Of two victims and one place, the more important one gets it, whoever is evicted first."""
    objects = [
        node("n1"),
        node("n2", cpu="2"),
        pod("low", "n1", cpu="2", priority=1, owner=owned()),
        pod("high", "n1", cpu="2", priority=2, owner=owned()),
    ]
    assert drawn(follow(session(objects)).victims) == ["high Moves n2", "low Pending"]


def test_nominations_of_lower_pods_are_dropped():
    waiting = [
        pod("w-low", nominated="n1", cpu="1", priority=5),
        pod("w-high", nominated="n1", cpu="0", priority=2000),
    ]
    found = follow(session(node("n1"), pod("v", "n1", cpu="1"), waiting))
    assert [record.name for record in found.dropped] == ["w-low"]


def columns(decision: Decision):
    """All that a decision reads of pods and nodes, for those that were there before."""
    cluster = decision.cluster
    count = decision.pod.id + 1
    usage = cluster.usage
    return (
        cluster.pods.node[:count].tolist(),
        cluster.pods.place[np.flatnonzero(cluster.pods.node[:count] >= 0)].tolist(),
        usage.requested[:, :4].tolist(),
        usage.non_zero.tolist(),
        usage.pod_count.tolist(),
        [list(pods) for pods in usage.pods],
        np.flatnonzero(usage.ports.column(("0.0.0.0", "TCP", 80))).tolist(),
        {name: list(pods) for name, pods in cluster.nominations.items() if pods},
        cluster.next_start,
        cluster.mark(),
    )


PORT = [{"name": "main", "image": "app", "ports": [{"containerPort": 80, "hostPort": 80}]}]


@st.composite
def full_clusters(draw):
    nodes = [f"n{i}" for i in range(draw(st.integers(1, 5)))]
    cpus = st.sampled_from(("1", "2", "3"))
    pods = [
        pod(
            f"p{i}",
            draw(st.sampled_from(nodes)),
            priority=draw(st.integers(0, 40)),
            owner=draw(st.sampled_from((None, owned(), owned(), owned("DaemonSet")))),
            start=draw(st.sampled_from((None, "2026-01-01T00:00:00Z"))),
            **draw(st.sampled_from(({"containers": PORT}, {"cpu": "1"}, {"cpu": "2"}, {"cpu": "3"}))),
        )
        for i in range(draw(st.integers(1, 12)))
    ]
    waiting = [
        pod(f"w{i}", cpu="1", nominated=draw(st.sampled_from(nodes)), priority=draw(st.integers(0, 60)))
        for i in range(draw(st.integers(0, 2)))
    ]
    return [*(node(name, cpu=draw(cpus)) for name in nodes), *pods, *waiting]


def evicted(victims):
    return [v for victim in victims for v in (victim, *evicted(victim.victims))]


@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(full_clusters(), st.sampled_from(("1", "2", "3")))
def test_every_cascade_ends_and_leaves_nothing(objects, cpu):
    asked = session(objects)
    decision = decide(asked, pod("vip", cpu=cpu, priority=50))
    assume(decision.preemption is not None and decision.preemption.nominated is not None)
    before = columns(decision)
    found = cascade(asked.scheduler, decision)
    assert columns(decision) == before
    assert max(Counter(victim.pod.id for victim in evicted(found.victims)).values()) == 1
    for victim in evicted(found.victims):
        assert victim.fate is not Fate.UNKNOWN
        assert all(after.pod.priority < victim.pod.priority for after in victim.victims)
