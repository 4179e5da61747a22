"""VolumeBinding by its worked examples (spec 04 §3)."""

import msgspec
import pytest
from builders import profile
from storage_builders import (
    ZONE,
    bare_node,
    capacity,
    claim,
    cluster,
    codes,
    csi_driver,
    csi_node,
    decide,
    local_class,
    node,
    place_pod,
    pod,
    reasons,
    scheduler,
    storage_class,
    told,
    victims,
    volume,
)

from kschedctl.framework.status import Code, Status
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.volume_binding import NO_ROOM, UNBINDABLE, UNREACHABLE, VOLUME_MISSING
from kschedctl.reports.explain.nodes import node_reports

NODES = (node("n1", "a"), node("n2", "b"))
FAST, LOCAL = storage_class("fast"), local_class()
SCRATCH = {"name": "scratch", "ephemeral": {}}
OWNED = {"ownerReferences": [{"controller": True, "uid": "u"}]}


@pytest.mark.parametrize(
    ("claims", "volumes", "text"),
    [
        pytest.param(
            [],
            [SCRATCH],
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"',
            id="ephemeral claim missing",
        ),
        pytest.param(
            [claim("c", volume="pv", status={"phase": "Lost"})],
            ["c"],
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "pv"',
            id="lost",
        ),
        pytest.param(
            [claim("c", volume="pv", meta={"deletionTimestamp": "2026-01-01"})],
            ["c"],
            'persistentvolumeclaim "c" is being deleted',
            id="being deleted",
        ),
        pytest.param(
            [claim("p-scratch", volume="pv")],
            [SCRATCH],
            "PVC default/p-scratch was not created for pod default/p (pod is not owner)",
            id="not the owner",
        ),
        pytest.param(
            [claim("c", None)], ["c"], "pod has unbound immediate PersistentVolumeClaims", id="unbound"
        ),
    ],
)
def test_claims_that_stop_the_pod(claims, volumes, text):
    decision = decide(cluster(*NODES, *claims), pod("p", *volumes, uid="u"))
    assert decision.pre_filter is not None
    assert (decision.pre_filter.plugin, decision.pre_filter.message) == ("VolumeBinding", text)
    assert decision.event == f"0/2 nodes are available: {text}. not found"


def refusals(*objects, volumes=("c",)):
    return reasons(decide(cluster(*NODES, *objects), pod("p", *volumes, uid="u")))


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([claim("c", volume="pv"), volume("pv", zone="a")], {"n2": (UNREACHABLE,)}, id="zonal"),
        pytest.param([claim("c", volume="pv"), volume("pv", phase="Failed")], {}, id="bound: phase unread"),
        pytest.param(
            [claim("c", volume="pv"), volume("pv", meta={"deletionTimestamp": "2026-01-01"})],
            {},
            id="bound: deletion of the volume unread",
        ),
        pytest.param(
            [LOCAL, claim("c", "local"), volume("pv", "local", on="n1")], {"n2": (UNBINDABLE,)}, id="local"
        ),
        pytest.param(
            [LOCAL, claim("c", "local")], {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)}, id="no local volume"
        ),
        pytest.param([FAST, claim("c"), volume("pv", on="n1")], {}, id="provisioned where none fits"),
        pytest.param(
            [
                storage_class(
                    "fast", allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]
                ),
                claim("c"),
            ],
            {"n2": (UNBINDABLE,)},
            id="outside the allowed topologies",
        ),
        pytest.param(
            [
                FAST,
                claim("c"),
                csi_driver(storageCapacity=True),
                capacity("fast", {"matchLabels": {ZONE: "a"}}, capacity="10Gi"),
            ],
            {"n2": (NO_ROOM,)},
            id="no room",
        ),
        pytest.param(
            [FAST, claim("c", meta={"annotations": {"volume.kubernetes.io/selected-node": "n1"}})],
            {"n2": (UNBINDABLE,)},
            id="a node was selected",
        ),
        pytest.param(
            [FAST, claim("c", meta={"annotations": {"volume.kubernetes.io/selected-node": ""}})],
            {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)},
            id="the empty node was selected",
        ),
    ],
)
def test_refusals(objects, expected):
    assert refusals(*objects) == expected


def test_a_bound_ephemeral_claim_without_volume_is_refused_on_every_node():
    bound = claim("p-scratch", volume="pv", meta=OWNED)
    assert refusals(bound, volumes=[SCRATCH]) == {"n1": (VOLUME_MISSING,), "n2": (VOLUME_MISSING,)}


def test_a_node_can_have_one_reason_for_bound_and_one_for_other_claims():
    objects = (claim("c", volume="pv"), volume("pv", zone="a"), LOCAL, claim("d", "local"))
    assert refusals(*objects, volumes=["d", "c"]) == {
        "n1": (UNBINDABLE,),
        "n2": (UNREACHABLE, UNBINDABLE),
    }


def test_the_first_unfit_claim_in_order_of_size_decides():
    objects = (
        FAST,
        LOCAL,
        csi_driver(storageCapacity=True),
        claim("small", "local", "1Gi"),
        claim("big", "fast", "2Gi"),
    )
    assert refusals(*objects, volumes=["big", "small"])["n1"] == (UNBINDABLE,)
    swapped = (*objects[:3], claim("small", "fast", "1Gi"), claim("big", "local", "2Gi"))
    assert refusals(*swapped, volumes=["big", "small"])["n1"] == (NO_ROOM,)


def test_smaller_claims_choose_first():
    objects = (
        LOCAL,
        claim("c1", "local", "20Gi"),
        claim("c2", "local", "5Gi"),
        *(volume(f"pv{size}", "local", f"{size}Gi") for size in (10, 30)),
    )
    assert refusals(*objects, volumes=["c1", "c2"]) == {}


@pytest.mark.parametrize(
    ("number", "unmatched"),
    [
        pytest.param(12, 10, id="up to 12 keep the order of the pod"),
        pytest.param(14, 2, id="more come out as Go's sort leaves them"),
    ],
)
def test_which_of_many_equal_claims_goes_without_a_volume(number, unmatched):
    claims = [claim(f"c{i}", "local", "1Gi" if i % 2 else "2Gi") for i in range(number)]
    volumes = [volume(f"pv{i:02}", "local", "2Gi") for i in range(number - 1)]
    state = cluster(node("n1"), LOCAL, *claims, *volumes)
    decision = decide(state, pod("p", *(made.name for made in claims)))
    assert reasons(decision) == {"n1": (UNBINDABLE,)}
    assert [text.split(":")[0] for text in told(decision, "n1")] == [f"claim c{unmatched}"]


def test_one_claim_in_two_volumes_needs_two_volumes():
    two = (LOCAL, claim("c", "local"), volume("pv", "local", on="n1"))
    mounted_twice = [{"name": name, "persistentVolumeClaim": {"claimName": "c"}} for name in ("one", "two")]
    assert refusals(*two, volumes=mounted_twice)["n1"] == (UNBINDABLE,)


def test_the_second_of_two_bound_claims_is_not_looked_at_after_a_missing_volume():
    bound = claim("p-scratch", volume="gone", meta=OWNED)
    objects = (bound, claim("c", volume="pv"), volume("pv", zone="a"))
    assert refusals(*objects, volumes=[SCRATCH, "c"])["n2"] == (VOLUME_MISSING,)
    assert refusals(*objects, volumes=["c", SCRATCH]) == {"n1": (VOLUME_MISSING,), "n2": (UNREACHABLE,)}


def test_refusals_cannot_be_helped_by_eviction():
    state = cluster(*NODES, LOCAL, claim("c", "local"), pod("v", on="n1"))
    decision = decide(state, pod("p", "c", priority=10))
    assert codes(decision) == {"UnschedulableAndUnresolvable"}
    assert victims(decision) == {}


EBS = "kubernetes.io/aws-ebs"
EBS_ZONE = "topology.ebs.csi.aws.com/zone"
ONE_POD = ("ReadWriteOncePod",)
UNTRANSLATABLE = (
    'running "VolumeBinding" filter plugin: could not translate pv: failed to translate Kubernetes ID '
    "to EBS Volume ID Invalid format for AWS volume (aws://x/y)"
)


def migrated(**more):
    disk = volume("pv", labels={ZONE: "a"}, awsElasticBlockStore={"volumeID": "vol-1"} | more)
    return (claim("c", volume="pv"), disk)


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        pytest.param(EBS, {"n1": (UNREACHABLE,)}, id="migrated: the driver's own label counts"),
        pytest.param(f"x,{EBS}", {"n1": (UNREACHABLE,)}, id="among others"),
        pytest.param(f"x, {EBS}", {}, id="names are not trimmed"),
        pytest.param("", {}, id="not migrated: labels alone restrict nothing here"),
    ],
)
def test_migrated_volume(plugins, expected):
    nodes = (node("n1", "a"), bare_node("n2", {ZONE: "a", EBS_ZONE: "a"}))
    state = cluster(*nodes, csi_node("n1", plugins), csi_node("n2", plugins), *migrated())
    assert reasons(decide(state, pod("p", "c"))) == expected


def test_an_untranslatable_volume_fails_the_cycle():
    state = cluster(node("n1", "a"), csi_node("n1", EBS), *migrated(volumeID="aws://x/y"))
    decision = decide(state, pod("p", "c"))
    assert (decision.outcome, decision.message) == ("Error", UNTRANSLATABLE)


def test_an_invalid_selector_fails_the_cycle():
    wanted = claim("c", selector={"matchExpressions": [{"key": "k", "operator": "Near"}]})
    decision = decide(cluster(*NODES, FAST, wanted), pod("p", "c"))
    assert (decision.outcome, decision.message) == (
        "Error",
        'running "VolumeBinding" filter plugin: error creating internal label selector for claim: '
        'default/c: "Near" is not a valid label selector operator',
    )


@pytest.mark.parametrize(
    ("version", "gate", "claim_class", "volume_class", "expected"),
    [
        pytest.param(V1_36, True, "gold", "gold", "Scheduled", id="1.36"),
        pytest.param(V1_34, True, "gold", "gold", "Scheduled", id="1.34"),
        pytest.param(V1_34, False, "gold", "gold", "Error", id="off: the claim has a class"),
        pytest.param(V1_34, False, "gold", None, "Error", id="off: whatever the volume has"),
        pytest.param(V1_34, False, None, "gold", "Unschedulable", id="off: the volume is skipped"),
        pytest.param(V1_34, False, "", "", "Scheduled", id="off: the empty class is none"),
    ],
)
def test_volume_attributes_class(version, gate, claim_class, volume_class, expected):
    wanted = claim("c", "local", volumeAttributesClassName=claim_class)
    free = volume("pv", "local", volumeAttributesClassName=volume_class)
    by = scheduler(gates={} if gate else {"VolumeAttributesClass": False}, version=version)
    decision = decide(cluster(node("n1"), LOCAL, wanted, free), pod("p", "c"), by)
    assert decision.outcome == expected
    if expected == "Error":
        assert decision.message == (
            'running "VolumeBinding" filter plugin: unsupported volumeAttributesClassName is set on claim '
            "default/c when the feature-gate VolumeAttributesClass is disabled"
        )


def test_an_error_is_what_a_node_gives_when_its_pods_are_evicted():
    """The claim is free once its user is gone, and only then the volume is looked at."""
    wanted, disk = migrated(volumeID="aws://x/y")
    state = cluster(
        node("n1", "a"),
        node("n2", "a"),
        csi_node("n2", EBS),
        msgspec.structs.replace(wanted, spec=msgspec.structs.replace(wanted.spec, access_modes=ONE_POD)),
        disk,
        pod("v", "c", on="n1"),
        pod("w", "c", on="n2"),
    )
    decision = decide(state, pod("p", "c", priority=10))
    assert victims(decision) == {"n1": ["v"]}
    assert decision.preemption is not None
    assert decision.preemption.failed == {1: Status(Code.ERROR, (UNTRANSLATABLE,), "VolumeBinding")}


def test_two_pods_compete_for_one_volume():
    state = cluster(*NODES, LOCAL, claim("a", "local"), claim("b", "local"), volume("pv", "local", on="n1"))
    assert place_pod(state, pod("p", "a")) == "n1"
    decision = decide(state, pod("q", "b"))
    assert reasons(decision) == {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)}
    assert told(decision, "n1") == [
        "claim b: no volume of class local fits here (pv taken), and the class makes none"
    ]


def test_without_filter_no_volume_is_promised():
    state = cluster(*NODES, LOCAL, claim("a", "local"), claim("b", "local"), volume("pv", "local", on="n1"))
    config = profile(plugins={"filter": {"disabled": [{"name": "VolumeBinding"}]}})
    assert place_pod(state, pod("p", "a"), scheduler(config)) == "n1"
    assert reasons(decide(state, pod("q", "b"))) == {"n2": (UNBINDABLE,)}


@pytest.mark.parametrize(
    ("of_class", "expected"),
    [
        pytest.param(LOCAL, {"n2": (UNBINDABLE,)}, id="no provisioner: only where the volume is"),
        pytest.param(storage_class("local"), {}, id="elsewhere the class would make another one"),
    ],
)
def test_a_claim_matched_by_an_earlier_pod(of_class, expected):
    state = cluster(*NODES, of_class, claim("a", "local"), volume("pv", "local", on="n1"))
    assert place_pod(state, pod("p", "a")) == "n1"
    assert reasons(decide(state, pod("q", "a"))) == expected


def test_a_claim_provisioned_for_an_earlier_pod():
    state = cluster(*NODES, FAST, claim("a"))
    assert place_pod(state, pod("p", "a")) == "n1"
    decision = decide(state, pod("q", "a"))
    assert reasons(decision) == {"n2": (UNBINDABLE,)}
    assert told(decision, "n2") == ["claim a is being provisioned on node n1"]


def test_published_capacity_is_never_used_up():
    room = (csi_driver(storageCapacity=True), capacity("fast", {}, capacity="10Gi"))
    state = cluster(node("n1"), FAST, *room, claim("a"), claim("b"))
    assert [place_pod(state, pod(name, name)) for name in "ab"] == ["n1", "n1"]


def test_room_is_told_as_an_amount_where_it_is_published():
    in_zone_a = capacity("fast", {"matchLabels": {ZONE: "a"}}, capacity="4Gi")
    decision = decide(
        cluster(*NODES, FAST, claim("c"), csi_driver(storageCapacity=True), in_zone_a), pod("p", "c")
    )
    details = {report.name: report.all_failures[0].details for report in node_reports(decision)}
    amounts = {
        name: [(d.subject, d.needs, d.free, d.total) for d in found] for name, found in details.items()
    }
    assert amounts == {
        "n1": [("storage of class fast", 10 * 2**30, 4 * 2**30, None)],
        "n2": [("no capacity of class fast is published", None, None, None)],
    }


def test_read_write_once_claims_are_shared_freely():
    state = cluster(*NODES, claim("a", volume="pv"), volume("pv"), pod("q", "a", on="n1"))
    assert reasons(decide(state, pod("p", "a"))) == {}


def scores(config, *objects):
    """Node -> score of this plugin, with its gate on."""
    by = scheduler(config, gates={"StorageCapacityScoring": True})
    decision = decide(cluster(*NODES, *objects), pod("p", "c"), by)
    assert decision.scores is not None
    assert decision.feasible is not None
    (column,) = (column for column in decision.scores.columns if column.plugin == "VolumeBinding")
    names = decision.cluster.nodes.names
    return {names[row]: int(s) for row, s in zip(decision.feasible, column.weighted, strict=True)}


def shaped(*points):
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": {"shape": shape}}]}],
    }


WAITING = (LOCAL, claim("c", "local", "10Gi"))


def local_volumes(one, other):
    return (volume("pv1", "local", one, on="n1"), volume("pv2", "local", other, on="n2"))


@pytest.mark.parametrize(
    ("config", "objects", "expected"),
    [
        pytest.param(
            None, [*WAITING, *local_volumes("100Gi", "20Gi")], {"n1": 90, "n2": 50}, id="emptier is better"
        ),
        pytest.param(
            shaped((0, 0), (100, 10)),
            [*WAITING, *local_volumes("100Gi", "10Gi")],
            {"n1": 10, "n2": 100},
            id="fuller is better",
        ),
        pytest.param(
            shaped((0, 10), (30, 0)),
            [LOCAL, claim("c", "local", "7Gi"), *local_volumes("100Gi", "10Gi")],
            {"n1": 77, "n2": 0},
            id="division truncates toward zero",
        ),
        pytest.param(None, [FAST, claim("c")], {"n1": 0, "n2": 0}, id="nothing known of the capacity"),
        pytest.param(None, [claim("c", volume="pv"), volume("pv")], {"n1": 0, "n2": 0}, id="bound claims"),
    ],
)
def test_scores(config, objects, expected):
    assert scores(config, *objects) == expected


def test_without_the_gate_there_is_no_column():
    decision = decide(cluster(*NODES, FAST, claim("c")), pod("p", "c"))
    assert decision.scores is not None
    assert "VolumeBinding" not in [column.plugin for column in decision.scores.columns]
