"""Replacements of names: their order, and names that are made of names."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.pod import Pod
from kschedctl.sources.redaction import redact_names
from kschedctl.sources.redaction.derived import Derived, ordered_tokens
from kschedctl.sources.snapshot import Header, MissingKind, Note, RecordedOrigin, Snapshot

NAME = st.from_regex(r"[a-c0-2]([-.a-c0-2]{0,5}[a-c0-2])?", fullmatch=True)


def redacted(*items, header=None):
    objects = [msgspec.convert(item, BY_GVK[item["apiVersion"], item["kind"]].type) for item in items]
    return redact_names(Snapshot(header or Header(), objects)).snapshot


def pod(name, namespace="shop", **spec):
    meta = {"name": name, "namespace": namespace, **spec.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def node(name, **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


@given(st.sets(NAME, min_size=1), st.sets(NAME, max_size=3), st.data())
def test_tokens_are_distinct_and_in_the_order_of_the_names(names, owners, data):
    derivations = {}
    for owner in owners:
        for ordinal in data.draw(st.sets(st.integers(0, 12), max_size=4)):
            derivations[f"{owner}-{ordinal}"] = Derived("", owner, f"-{ordinal}")
    ordered = sorted(names | owners | derivations.keys())
    tokens = ordered_tokens(ordered, derivations, 1, 4)
    assert [tokens[name] for name in ordered] == sorted(set(tokens.values()))


def test_names_of_a_stateful_set_stay_made_of_its_name():
    names = ["db", "db-0", "db-10", "db-2", "db-2-debug", "dc"]
    derivations = {f"db-{i}": Derived("", "db", f"-{i}") for i in (0, 2, 10)}
    assert ordered_tokens(names, derivations, 1, 2) == {
        "db": "p01",
        "db-0": "p01-0",
        "db-10": "p01-10",
        "db-2": "p01-2",
        "db-2-debug": "p01-2-x05",
        "dc": "p06",
    }


def test_claims_follow_their_pods():
    names = ["data-db-0", "db", "db-0"]
    derivations = {"db-0": Derived("", "db", "-0"), "data-db-0": Derived("data-", "db-0", "")}
    assert ordered_tokens(names, derivations, 1, 2)["data-db-0"] == "data-p02-0"


def test_order_wins_where_both_cannot_be_had():
    names = ["db", "db-0", "db-0--x", "db-0-0"]
    derivations = {"db-0": Derived("", "db", "-0"), "db-0-0": Derived("", "db-0", "-0")}
    tokens = ordered_tokens(names, derivations, 1, 2)
    assert list(tokens.values()) == sorted(tokens.values())


def test_a_claim_of_an_ephemeral_volume_is_still_found():
    volume = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "fast"}}}}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "job-scratch", "namespace": "shop"},
    }
    claim_after, pod_after = redacted(claim, pod("job", volumes=[volume])).objects
    assert claim_after.name == f"{pod_after.name}-scratch"
    assert pod_after.spec.volumes[0].ephemeral.volume_claim_template["spec"] == {"storageClassName": "fast"}


def test_namespaces_keep_their_order_around_those_that_every_cluster_has():
    names = [
        "apps",
        "default",
        "games",
        "kube-node-lease",
        "kube-ns",
        "kube-public",
        "kube-q",
        "kube-system",
        "z",
    ]
    items = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names]
    after = [obj.name for obj in redacted(*items).objects]
    assert after == sorted(after)
    assert set(after) & set(names) == {"default", "kube-node-lease", "kube-public", "kube-system"}


def test_numbers_that_are_compared_stay():
    term = {"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["3"]}]}
    affinity = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    one, two, after = redacted(
        node("n1", gen="4", rack="4"), node("n2", gen="old"), pod("p", affinity=affinity)
    ).objects
    assert one.metadata.labels["gen"] == "4"
    assert one.metadata.labels["rack"] != "4"
    assert two.metadata.labels["gen"] != "old"
    required = after.spec.affinity.node_affinity.required.node_selector_terms[0].match_expressions[0]
    assert required.values == ("3",)


def test_a_node_name_is_the_same_wherever_it_stands():
    attachment = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": "a"},
        "spec": {"attacher": "csi", "nodeName": "n2", "source": {}},
    }
    csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n2"}, "spec": {}}
    items = [node("n1"), node("n2", **{"kubernetes.io/hostname": "n2"}), attachment, csi_node]
    first, second, attached, csi, running = redacted(*items, pod("p", nodeName="n2")).objects
    assert first.name < second.name
    assert {attached.spec.node_name, csi.name, running.spec.node_name} == {second.name}
    assert second.metadata.labels["kubernetes.io/hostname"] == second.name


def test_zones_keep_their_parts():
    zone, region = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
    first, second = redacted(
        node("a", **{zone: "eu-west1-b", region: "eu-west1"}), node("b", **{zone: "eu-west1-c"})
    ).objects
    assert first.metadata.labels[zone].startswith(first.metadata.labels[region] + "-")
    assert second.metadata.labels[zone].count("-") == 2
    assert first.metadata.labels[zone] != second.metadata.labels[zone]


@pytest.mark.parametrize(
    ("image", "shape"),
    [
        ("nginx", "image1"),
        ("nginx:latest", "image1:latest"),
        ("nginx:1.27", "image1:t1"),
        ("registry.example:5000/team/app", "image1"),
        ("registry.example:5000/team/app:v2", "image1:t1"),
        ("registry.example/app@sha256:0123", "image1@t1"),
        ("@sha256:0123", "@t1"),
        (":v2", ":t1"),
        (" registry.example/app:v2 ", " image1:t1 "),
        ("", ""),
        ("  ", "  "),
    ],
)
def test_images_keep_their_shape(image, shape):
    (after,) = redacted(pod("p", containers=[{"name": "c", "image": image}])).objects
    assert isinstance(after, Pod)
    assert after.spec.containers[0].image.replace("000", "") == shape


def test_texts_of_others_do_not_get_through():
    header = Header(
        taken_at="2026-03-01T10:00:00Z",
        origin=RecordedOrigin(server="https://secret.example", context="secret"),
        missing=(MissingKind(resource="pods", reason="Forbidden", message='User "secret" cannot list'),),
        notes=(Note(code="nodes-gone", text="pods are on secret-node"),),
    )
    condition = {"type": "PodScheduled", "status": "False", "message": "no room on secret-node"}
    item = {**pod("p", hostname="secret", subdomain="secret"), "status": {"conditions": [condition]}}
    after = redacted(item, header=header)
    assert "secret" not in str(after)
    assert after.header.taken_at == "2026-03-01T10:00:00Z"
    assert after.header.redacted == ("names",)


@pytest.mark.parametrize(
    "membership",
    [
        {"schedulingGroup": {"podGroupName": "secret"}},
        {"workloadRef": {"name": "secret", "podGroup": "secret", "podGroupReplicaKey": "secret"}},
    ],
)
def test_names_of_gangs_are_replaced_and_membership_is_kept(membership):
    (after,) = redacted(pod("p", **membership)).objects
    assert isinstance(after, Pod)
    assert "secret" not in str(after)
    assert after.spec.pod_group


def test_it_can_be_done_again():
    once = redacted(node("n1"), pod("web-0", nodeName="n1"))
    again = redact_names(once).snapshot
    assert len(again.objects) == 2


def test_values_of_a_label_keep_their_order_where_some_are_zones():
    """Groups are tried on domains in the order of their names; here some racks are called like the regions."""
    racks = ["a-1", "b", "r1", "r1-b", "r2", "z9"]
    found = redacted(
        *(node(f"n{rack}", rack=rack) for rack in racks),
        node("x", **{"topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "r1-b"}),
    )
    tokens = [obj.metadata.labels["rack"] for obj in found.objects if "rack" in obj.metadata.labels]
    assert tokens == sorted(set(tokens))
    assert tokens[3] == f"{tokens[2]}-{tokens[3].rpartition('-')[2]}"
