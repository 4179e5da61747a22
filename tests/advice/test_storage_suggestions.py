"""What is suggested for pods that claims, volumes and attach limits keep from their nodes."""

from __future__ import annotations

import pytest
from advice_scratch import holds
from builders import ZONE, made, node, pod, session

from kschedctl.advice.commands import PodHome, commands_of
from kschedctl.advice.limits import FULL
from kschedctl.advice.measure import Reference
from kschedctl.advice.search import suggestions
from kschedctl.whatif.judgement.explain import judging

_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def _class(name="fast", provisioner="csi.example.com", mode="WaitForFirstConsumer"):
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
    }


def _claim(name="data", storage_class="fast", volume="", **more):
    metadata = {"name": name, "namespace": "default"} | ({"annotations": _BOUND} if volume else {})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata | more.pop("metadata", {}),
        "spec": spec | {"storageClassName": storage_class, "volumeName": volume},
    } | more


def _volume(name="pv", storage_class="fast", size="5Gi", phase="Available", **spec):
    full = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {}},
        "spec": full | spec,
        "status": {"phase": phase},
    }


def _csi_node(name, **limits):
    drivers = [{"name": d, "nodeID": name, "allocatable": {"count": limit}} for d, limit in limits.items()]
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": drivers},
    }


def _mounting(*claims, **more):
    volumes = [{"name": f"v-{name}", "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return pod("new", volumes=[*volumes, *more.pop("volumes", ())], **more)


def _ephemeral(storage_class="fast"):
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}


def _in_zone(*zones):
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": list(zones)}]}
    return {"required": {"nodeSelectorTerms": [term]}}


def _suggested(objects, candidate):
    loaded = session(objects, every_failure=True)
    with judging(loaded, made(candidate)) as decision:
        found = suggestions(loaded, made(candidate), decision, limits=FULL)
    assert all(holds(objects, candidate, one, loaded) for one in found)
    return found


@pytest.mark.parametrize(
    ("objects", "candidate", "expected"),
    [
        pytest.param([_class()], _mounting("data"), "claim data made, of class fast", id="missing"),
        pytest.param(
            [_class()], pod("new", volumes=[_ephemeral()]), "claim new-scratch is made", id="ephemeral"
        ),
        pytest.param(
            [_class()],
            pod("new", volumes=[_ephemeral("gone")]),
            "volume scratch of class fast",
            id="ephemeral, of a class that is not there",
        ),
        pytest.param(
            [
                _class(),
                _claim(
                    "new-scratch",
                    metadata={
                        "ownerReferences": [{"kind": "Pod", "name": "old", "uid": "x", "controller": True}]
                    },
                ),
            ],
            pod("new", volumes=[_ephemeral()]),
            "claim new-scratch deleted, and made for this pod",
            id="a claim of another pod",
        ),
        pytest.param(
            [_class(), _claim(volume="pv", status={"phase": "Lost"})],
            _mounting("data"),
            "claim data deleted, and made anew of class fast",
            id="lost",
        ),
        pytest.param(
            [_class(), _claim(volume="pv", status={"phase": "Bound"})],
            _mounting("data"),
            "claim data deleted, and made anew of class fast",
            id="its volume is gone",
        ),
        pytest.param(
            [_class(), _claim(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
            _mounting("data"),
            "claim data deleted, and made anew of class fast",
            id="deleted",
        ),
        pytest.param(
            [_class(), _class("slow", mode="Immediate"), _claim(storage_class="slow")],
            _mounting("data"),
            "claim data of class fast",
            id="of a class that binds at once",
        ),
        pytest.param(
            [_class("local", "kubernetes.io/no-provisioner"), _claim(storage_class="local")],
            _mounting("data"),
            "one more local volume of 5Gi on n1, of class local",
            id="no local volume",
        ),
        pytest.param(
            [
                _class("local", "kubernetes.io/no-provisioner"),
                _claim(storage_class="local"),
                _volume(
                    storage_class="local",
                    phase="Released",
                    claimRef={"namespace": "default", "name": "old", "uid": "x"},
                ),
            ],
            _mounting("data"),
            "volume pv, whose claim is gone, given free",
            id="a volume that is released",
        ),
        pytest.param(
            [
                _claim(volume="pv"),
                _volume(phase="Bound", nodeAffinity=_in_zone("far")),
                _claim("other", volume="near"),
                _volume("near", phase="Bound"),
            ],
            _mounting("data"),
            "claim other in place of data",
            id="another claim",
        ),
    ],
)
def test_claims(objects, candidate, expected):
    assert expected in [one.text for one in _suggested([node("n1", "here"), *objects], candidate)]


def test_every_claim_that_stops_the_pod_is_mended():
    objects = [node("n1"), _class(), _claim("lost", volume="gone", status={"phase": "Lost"})]
    (first, *_) = _suggested(objects, _mounting("lost", "missing", volumes=[_ephemeral()]))
    assert {change.text for change in first.changes} == {
        "claim lost deleted, and made anew of class fast",
        "claim missing made, of class fast",
        "claim new-scratch is made",
    }


def test_two_claims_whose_volumes_are_elsewhere():
    objects = [node("n1", "here"), _class()]
    for name in ("a", "b"):
        objects += [
            _claim(name, volume=f"pv-{name}"),
            _volume(f"pv-{name}", phase="Bound", nodeAffinity=_in_zone(name)),
        ]
    (first, *_) = _suggested(objects, _mounting("a", "b"))
    assert (
        first.text == "a new claim in place of a, of class fast and a new claim in place of b, of class fast"
    )


def test_a_limit_is_as_high_as_the_pod_needs_it():
    csi = {"csi": {"driver": "ebs", "volumeHandle": "h"}}
    objects = [node("n1"), _class(provisioner="ebs"), _csi_node("n1", ebs=1)]
    for name in ("a", "b", "c"):
        own = {"csi": csi["csi"] | {"volumeHandle": name}}
        objects += [_claim(name, volume=f"pv-{name}"), _volume(f"pv-{name}", phase="Bound", **own)]
    texts = [one.text for one in _suggested(objects, _mounting("a", "b", "c"))]
    assert "n1 attaches 3 volumes of ebs (limit now 1)" in texts
    assert not any("attaches 4" in text for text in texts)


def test_what_holds_the_attachment_moves():
    objects = [node("n1"), _class(provisioner="ebs"), _csi_node("n1", ebs=1)]
    for name in ("a", "b"):
        own = {"csi": {"driver": "ebs", "volumeHandle": name}}
        objects += [_claim(name, volume=f"pv-{name}"), _volume(f"pv-{name}", phase="Bound", **own)]
    holder = pod("holder", "n1", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "a"}}])
    texts = [one.text for one in _suggested([*objects, holder], _mounting("b"))]
    assert "default/holder evicted from n1" in texts


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([_class()], "kubectl apply -f -", id="made"),
        pytest.param(
            [_class(), _claim(volume="gone", status={"phase": "Lost"})],
            "kubectl replace --force -f -",
            id="made anew",
        ),
        pytest.param(
            [_class(), _class("slow", mode="Immediate"), _claim(storage_class="slow")],
            "kubectl get persistentvolumeclaim data -n default -o yaml | kubectl patch --local -f - ",
            id="of another class",
        ),
    ],
)
def test_commands(objects, expected):
    (first, *_) = _suggested([node("n1"), *objects], _mounting("data"))
    (command,) = commands_of(first, PodHome(Reference("Pod", "default", "new")))
    assert expected in command


def _member(*volumes_in: str, **more):
    """Member 1 of a StatefulSet, with a claim and its volume in each of some zones."""
    names = [f"data{i}-db-1" for i in range(len(volumes_in))]
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}
    mounted = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    objects = [_class()]
    for name, zone in zip(names, volumes_in, strict=True):
        claim = _claim(name, volume=f"pv-{name}", status={"phase": "Bound"}, metadata={"uid": name})
        objects += [claim, _volume(f"pv-{name}", phase="Bound", nodeAffinity=_in_zone(zone))]
    return pod("db-1", volumes=mounted, owner=owner, **more), objects


def _set(template):
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "default", "uid": "u"},
        "spec": {
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "main", "image": "app"}]},
            },
            "serviceName": "db",
            "volumeClaimTemplates": [template],
        },
    }


def test_a_member_whose_volume_is_elsewhere_gets_a_node_there_or_gives_up_its_data():
    member, objects = _member("far")
    first, last = _suggested([node("n1", "here"), *objects], member)

    assert first.text == f"one more node like n1 with {ZONE}=far"
    assert last.text == "claim data0-db-1 deleted with its data, and made anew by the set"
    assert last.cost > first.cost
    (loss,) = last.changes
    assert loss.note == "pv-data0-db-1 goes with its claim unless its reclaim policy is Retain"
    assert loss.command == (
        "kubectl delete pvc data0-db-1 -n default --wait=false && kubectl delete pod db-1 -n default"
    )


def test_of_equal_nodes_that_one_is_wanted_more_that_the_volume_reaches():
    member, objects = _member("far", cpu="3")
    full = [node("n1", "here"), node("n2", "far"), pod("hog", "n2", cpu="2", priority=2000001000)]
    texts = [one.text for one in _suggested([*full, *objects], member)]

    assert "one more node like n2" in texts
    assert not any("like n1" in text for text in texts)


def test_no_node_is_where_two_volumes_are():
    member, objects = _member("far", "farther")
    texts = [one.text for one in _suggested([node("n1", "here"), *objects], member)]

    assert texts == [
        "claim data0-db-1 deleted with its data, and made anew by the set and "
        "claim data1-db-1 deleted with its data, and made anew by the set"
    ]


def test_a_claim_that_another_pod_uses_stays():
    member, objects = _member("far")
    user = pod("backup", "n1", volumes=member["spec"]["volumes"])
    texts = [one.text for one in _suggested([node("n1", "here"), user, *objects], member)]

    assert not any("deleted" in text for text in texts)


@pytest.mark.parametrize(
    ("storage_class", "helps"),
    [
        pytest.param("fast", True, id="a class that waits for the pod"),
        pytest.param("local", False, id="a class without provisioner"),
    ],
)
def test_the_claim_is_made_by_the_template_of_the_set(storage_class, helps):
    member, objects = _member("far")
    template = _claim("data0", storage_class)
    local = _class("local", "kubernetes.io/no-provisioner")
    found = _suggested([node("n1", "here"), local, _set(template), *objects], member)

    assert any("made anew by the set" in one.text for one in found) is helps


@pytest.mark.parametrize(
    ("set_is_there", "expected"),
    [
        pytest.param(True, "claim data0-db-1 is made", id="of the template of the set"),
        pytest.param(False, "claim data0-db-1 made, of class fast", id="by hand, where nobody knows the set"),
    ],
)
def test_a_claim_of_a_member_that_is_missing_is_made(set_is_there, expected):
    member, _ = _member("far")
    there = [_set(_claim("data0"))] if set_is_there else []
    found = _suggested([node("n1", "here"), _class(), _claim("free"), *there], member)

    assert found[0].text == expected
    assert not any("free" in one.text or "emptyDir" in one.text for one in found)
