from storage_builders import claim, cluster, local_class, node, pod, storage_class, volume

from kschedctl.volumes.assumed import AssumedBindings, BindingPlan, ClaimReference
from kschedctl.volumes.binding import BindingAnswer
from kschedctl.volumes.claims import ClaimKey
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import PodVolumes, sort_claims

A, B = (ClaimReference(ClaimKey("default", name), name) for name in "ab")


def test_undo_restores_what_was_there_before():
    assumed = AssumedBindings()
    first = assumed.commit(BindingPlan("n1", (("pv", A),), (A.key,)))
    second = assumed.commit(BindingPlan("n2", (("pv", B),), (A.key, B.key)))
    assert (assumed.claim_of_volume, assumed.node_of_claim) == ({"pv": B}, {A.key: "n2", B.key: "n2"})
    second()
    assert (assumed.claim_of_volume, assumed.node_of_claim) == ({"pv": A}, {A.key: "n1"})
    first()
    assert (assumed.claim_of_volume, assumed.node_of_claim) == ({}, {})


def answer(state, *claims):
    storage = ClusterStorage.of(state)
    volumes = sort_claims(pod("p", *claims), storage.catalog)
    assert isinstance(volumes, PodVolumes)
    return storage.binder.find(volumes)


def plan_on(state, row, *claims) -> BindingPlan:
    found = answer(state, *claims)
    assert isinstance(found, BindingAnswer)
    return found.plan(row, state.nodes.names[row])


def test_a_plan_binds_what_is_there_and_provisions_the_rest():
    state = cluster(
        node("n1"),
        node("n2"),
        storage_class("fast"),
        local_class(),
        volume("pv-n1", "local", on="n1"),
        volume("pv-n2", "local", on="n2"),
        claim("data", "local"),
        claim("log", "fast"),
    )
    assert plan_on(state, 1, "log", "data") == BindingPlan(
        "n2",
        (("pv-n2", ClaimReference(ClaimKey("default", "data"), "default/data")),),
        (ClaimKey("default", "log"),),
    )


def test_a_reserved_plan_is_undone_with_the_journal():
    state = cluster(node("n1"), storage_class("fast"), claim("log", "fast"))
    storage = ClusterStorage.of(state)
    mark = state.mark()
    storage.reserve(plan_on(state, 0, "log"))
    assert storage.assumed.node_of_claim == {ClaimKey("default", "log"): "n1"}
    state.undo_to(mark)
    assert (storage.assumed.claim_of_volume, storage.assumed.node_of_claim) == ({}, {})
