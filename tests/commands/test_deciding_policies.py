"""Policies of spread constraints but for which the pod would find no node."""

from __future__ import annotations

import json

import pytest
from builders import ZONE, node, pod

_WEB = {"app": "web"}
_CLUSTER = [
    node("a", "za"),
    node("b", "zb"),
    node("c", "zc", taints=["closed=yes:NoSchedule"]),
    pod("web-a", "a", labels=_WEB),
    pod("web-b", "b", labels=_WEB),
]


@pytest.mark.parametrize(
    ("policies", "pods", "told"),
    [
        pytest.param(
            {"nodeTaintsPolicy": "Honor"},
            2,
            "nodeTaintsPolicy: Honor decides: with Ignore, the default, the spread over topology.kubernetes.io/zone "
            "counts otherwise, and the pod fits on no node",
            id="a tainted domain is left out",
        ),
        pytest.param({"nodeTaintsPolicy": "Honor"}, 0, None, id="it fits anyway"),
        pytest.param(
            {"nodeTaintsPolicy": "Honor", "whenUnsatisfiable": "ScheduleAnyway"}, 2, None, id="a wish"
        ),
        pytest.param({}, 0, None, id="by default"),
    ],
)
def test_policies_that_decide(run, tmp_path, policies, pods, told):
    cluster, manifest = tmp_path / "cluster.json", tmp_path / "pod.json"
    objects = _CLUSTER[: 3 + pods]
    cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    constraint |= {"labelSelector": {"matchLabels": _WEB}} | policies
    candidate = pod("new", labels=_WEB, topologySpreadConstraints=[constraint])
    manifest.write_text(json.dumps(candidate))
    done = run("explain", str(manifest), "-c", str(cluster), "-o", "json")
    assert done.code == 0
    found = [text for text in json.loads(done.out)["surprises"] if "Policy" in text]
    assert found == ([] if told is None else [told])
