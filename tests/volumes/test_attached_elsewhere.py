"""Claims for one node that are in use on another: placed, and never started."""

from __future__ import annotations

import pytest
from builders import decide, node, pod, session

from kschedctl.reports.caveats.created_pods import multi_attach_caveat
from kschedctl.volumes.attached_elsewhere import ClaimUsers

_CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": "data",
        "namespace": "default",
        "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
    },
    "spec": {"resources": {"requests": {"storage": "1Gi"}}, "volumeName": "pv"},
}
_VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv"},
    "spec": {
        "capacity": {"storage": "1Gi"},
        "claimRef": {"name": "data", "namespace": "default"},
        "csi": {"driver": "d", "volumeHandle": "h"},
    },
}
_MOUNTED = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]


def _claim(*modes):
    return _CLAIM | {"spec": _CLAIM["spec"] | {"accessModes": list(modes)}}


def _volume(*modes):
    return _VOLUME | {"spec": _VOLUME["spec"] | {"accessModes": list(modes)}}


@pytest.mark.parametrize(
    ("modes", "on", "told"),
    [
        pytest.param(("ReadWriteOnce",), "n1", True, id="in use on another node"),
        pytest.param(("ReadWriteOnce",), "n2", False, id="in use on the same node"),
        pytest.param(("ReadWriteMany",), "n1", False, id="for many nodes"),
        pytest.param(("ReadWriteOnce", "ReadWriteMany"), "n1", False, id="for many nodes, too"),
    ],
)
def test_multi_attach(modes, on, told):
    objects = [
        node("n1", cpu="1"),
        node("n2", cpu="4"),
        pod("old", on, volumes=_MOUNTED),
        _claim(*modes),
        _volume(*modes),
    ]
    decision = decide(session(objects), pod("new", cpu="2", volumes=_MOUNTED))
    assert decision.selected_node == "n2"
    found = multi_attach_caveat(decision.pod, decision.selected, decision.cluster)
    assert (found is not None) == told
    if found is not None:
        assert "in use by default/old on n1" in found.message


@pytest.mark.parametrize(
    ("on", "asked", "expected"),
    [
        pytest.param(["n1", "n2", "n1"], "n1", "u1", id="the first is on the same node"),
        pytest.param(["n1", "n1", "n1", "n2"], "n1", "u3", id="many are on the same node"),
        pytest.param(["n1", "n1", "n2"], "n2", "u0", id="the last is on the same node"),
        pytest.param(["n1", "n2", "n3"], "n3", "u0", id="each on its own"),
        pytest.param(["n2", "n2"], "n2", None, id="all of them on the same node"),
        pytest.param(["", "n3"], "n1", "u1", id="one is pending"),
    ],
)
def test_the_first_user_on_another_node_is_named(on, asked, expected):
    modes = ("ReadWriteOnce",)
    users = [pod(f"u{i}", name, volumes=_MOUNTED) for i, name in enumerate(on)]
    loaded = session([node("n1"), node("n2"), node("n3"), *users, _claim(*modes), _volume(*modes)])
    decision = decide(loaded, pod("new", volumes=_MOUNTED))
    row = decision.cluster.nodes.row_of[asked]

    found = ClaimUsers(decision.cluster).attached_elsewhere(decision.pod, row)

    assert (None if found is None else found[1].name) == expected
