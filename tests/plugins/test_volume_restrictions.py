"""VolumeRestrictions by its worked examples (spec 04 §1)."""

import pytest
from msgspec.structs import replace
from storage_builders import (
    claim,
    cluster,
    codes,
    decide,
    inline,
    node,
    place_pod,
    pod,
    pod_named,
    reasons,
    scheduler,
    told,
    victims,
    volume,
)

from kschedctl.plugins.volume_restrictions import REASON_DISK, REASON_ONE_POD
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.options import SchedulingOptions

EBS = inline(awsElasticBlockStore={"volumeID": "vol-1"})
NODES = (node("n1"), node("n2"))


def one_pod(name, namespace="default"):
    """A bound claim with the access mode ReadWriteOncePod, and its volume."""
    modes = ["ReadWriteOncePod"]
    return (
        claim(name, volume=f"pv-{namespace}-{name}", namespace=namespace, accessModes=modes),
        volume(f"pv-{namespace}-{name}"),
    )


def test_a_missing_claim_is_told_here_first():
    state = cluster(*NODES, claim("lost", volume="pv", status={"phase": "Lost"}))
    decision = decide(state, pod("p", "lost", "absent"))
    assert decision.pre_filter is not None
    assert (decision.pre_filter.plugin, decision.pre_filter.message) == (
        "VolumeRestrictions",
        'persistentvolumeclaim "absent" not found',
    )
    assert decision.event == ('0/2 nodes are available: persistentvolumeclaim "absent" not found. not found')


def test_a_legacy_disk_in_use_keeps_others_off_the_node():
    decision = decide(cluster(*NODES, pod("q", EBS, on="n1")), pod("p", EBS))
    assert reasons(decision) == {"n1": (REASON_DISK,)}
    assert codes(decision) == {"Unschedulable"}
    assert told(decision, "n1") == ["a disk of the pod is in use here by pod default/q"]


def test_a_claim_for_one_pod_is_refused_on_every_node():
    decision = decide(cluster(*NODES, *one_pod("c"), pod("q", "c", on="n1")), pod("p", "c"))
    assert reasons(decision) == {"n1": (REASON_ONE_POD,), "n2": (REASON_ONE_POD,)}
    assert told(decision, "n2") == [
        "claim c is for one pod only (ReadWriteOncePod) and used by default/q on n1"
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pod("q", "c"), id="a pending user"),
        pytest.param(pod("q", "c", on="gone"), id="a user on an unknown node"),
        pytest.param(pod("q", "c", on="n1", namespace="else"), id="a claim of that name elsewhere"),
    ],
)
def test_what_is_no_use(other):
    assert reasons(decide(cluster(*NODES, *one_pod("c"), other), pod("p", "c"))) == {}


def test_an_ephemeral_volume_is_no_use_of_its_claim():
    scratch = {"name": "scratch", "ephemeral": {}}
    state = cluster(*NODES, *one_pod("q-scratch"), pod("q", scratch, on="n1"))
    assert reasons(decide(state, pod("p", "q-scratch"))) == {}


def test_one_mode_among_others_is_enough():
    modes = ["ReadWriteOnce", "ReadWriteOncePod"]
    state = cluster(
        *NODES, claim("c", volume="pv", accessModes=modes), volume("pv"), pod("q", "c", on="n1", priority=-1)
    )
    assert reasons(decide(state, pod("p", "c"))) == {"n1": (REASON_ONE_POD,), "n2": (REASON_ONE_POD,)}


def test_a_disk_in_use_is_told_before_a_claim_in_use():
    state = cluster(*NODES, *one_pod("c"), pod("q", "c", EBS, on="n1"))
    assert reasons(decide(state, pod("p", EBS, "c"))) == {"n1": (REASON_DISK,), "n2": (REASON_ONE_POD,)}


@pytest.mark.parametrize(
    ("mine", "members", "expected"),
    [
        pytest.param([EBS, EBS | {"name": "again"}], [], {}, id="volumes of one pod are not compared"),
        pytest.param(
            [EBS],
            [pod("q", EBS, on="n1", namespace="else")],
            {"n1": (REASON_DISK,)},
            id="namespaces do not matter",
        ),
        pytest.param(
            ["c"],
            [claim("c", volume="pv"), volume("pv", awsElasticBlockStore={"volumeID": "vol-1"})],
            {},
            id="volumes behind claims are no disks",
        ),
    ],
)
def test_which_disks_are_compared(mine, members, expected):
    assert reasons(decide(cluster(*NODES, *members), pod("p", *mine))) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param([pod("q", "c", on="n1")], ["n1", "n2"], id="in use anyway: the count is above zero"),
        pytest.param([], [], id="nobody else uses it: the nominated pod is not seen"),
    ],
)
def test_a_nominated_user(members, expected):
    state = cluster(*NODES, *one_pod("c"), pod("x", "c", priority=20), *members)
    state.nominate(pod_named(state, "x").id, "n2")
    decision = decide(state, strong("c"))
    assert list(reasons(decision)) == expected
    # The nominated pod holds the claim on its own node only, so the user can be evicted from the other.
    assert decision.preemption is None or victims(decision) == {"n1": ["q"]}


def test_a_nominated_user_holds_the_claim_against_eviction():
    state = cluster(node("n1"), *one_pod("c"), pod("x", "c", priority=20), pod("q", "c", on="n1"))
    state.nominate(pod_named(state, "x").id, "n1")
    assert victims(decide(state, strong("c"))) == {}


def test_a_user_that_mounts_the_claim_twice_counts_twice_when_it_goes():
    """The claim counts once, its two volumes take two away: the other user need not go."""
    twice = [{"name": name, "persistentVolumeClaim": {"claimName": "c"}} for name in ("one", "two")]
    state = cluster(node("n1"), *one_pod("c"), pod("v", *twice, on="n1"), pod("w", "c", on="n1", priority=5))
    assert victims(decide(state, strong("c"))) == {"n1": ["v"]}


def test_the_second_pod_of_a_sequence_is_refused():
    state = cluster(*NODES, *one_pod("c"))
    assert place_pod(state, pod("p", "c")) == "n1"
    assert place_pod(state, pod("q", "c")) is None


def strong(*claims):
    return pod("p", *claims, priority=10)


def test_preempting_the_user():
    state = cluster(*NODES, *one_pod("c"), pod("v", "c", on="n1"), pod("w", on="n2"))
    assert victims(decide(state, strong("c"))) == {"n1": ["v"]}


def test_two_claims_in_use_on_two_nodes_cannot_be_freed():
    state = cluster(*NODES, *one_pod("c"), *one_pod("d"), pod("v", "c", on="n1"), pod("w", "d", on="n2"))
    assert victims(decide(state, strong("c", "d"))) == {}


def test_two_claims_in_use_on_one_node_can():
    state = cluster(
        *NODES, *one_pod("c"), *one_pod("d"), pod("v", "c", on="n1", priority=5), pod("w", "d", on="n1")
    )
    assert victims(decide(state, strong("c", "d"))) == {"n1": ["v", "w"]}


def test_two_users_on_two_nodes_count_as_one():
    state = cluster(*NODES, *one_pod("c"), pod("v", "c", on="n1"), pod("w", "c", on="n2"))
    assert victims(decide(state, strong("c"))) == {"n1": ["v"], "n2": ["w"]}


def test_one_of_two_users_on_a_node_survives():
    state = cluster(node("n1"), *one_pod("c"), pod("v", "c", on="n1", priority=5), pod("w", "c", on="n1"))
    assert victims(decide(state, strong("c"))) == {"n1": ["w"]}


def test_an_equal_name_in_another_namespace_frees_the_claim():
    state = cluster(
        *NODES,
        *one_pod("c"),
        *one_pod("c", "else"),
        pod("v", "c", on="n1"),
        pod("w", "c", on="n2", namespace="else"),
    )
    assert victims(decide(state, strong("c"))) == {"n1": ["v"], "n2": ["w"]}


def test_preempting_the_user_of_a_disk():
    state = cluster(*NODES[:1], pod("v", EBS, on="n1"), pod("w", on="n1"))
    assert victims(decide(state, strong(EBS))) == {"n1": ["v"]}


def test_the_filter_fails_where_its_pre_filter_is_disabled():
    profile = {"plugins": {"preFilter": {"disabled": [{"name": "VolumeRestrictions"}]}}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }
    assert decide(cluster(*NODES), pod("p"), scheduler(config)).outcome == "Error"


WITHOUT_OTHERS = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {"plugins": {"multiPoint": {"disabled": [{"name": "VolumeBinding"}, {"name": "NodeVolumeLimits"}]}}}
    ],
}


def test_equal_pods_part_once_the_claim_is_in_use():
    options = SchedulingOptions(reuse=True, preemption=False)
    by = Scheduler(scheduler(WITHOUT_OTHERS).configuration, options)
    first = pod("p", "c")
    second = replace(first, metadata=pod("q").metadata)
    state = cluster(*NODES, *one_pod("c"))
    assert place_pod(state, first, by) is not None
    assert place_pod(state, second, by) is None
