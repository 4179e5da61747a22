"""Objects in versions that came before are read as what they mean today."""

from __future__ import annotations

import json

import msgspec
import pytest

from kschedctl.objects.kinds import BY_GVK
from kschedctl.sources.load import load
from kschedctl.sources.older_versions import OLDER

_TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
_SELECTOR = {"matchLabels": {"app": "web"}}
_WANTS = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}
_IS = {"attributes": {"kind": {"string": "full"}}, "capacity": {"memory": {"value": "4Gi"}}}


def _read(tmp_path, data, form):
    path = tmp_path / "cluster"
    items = {"apiVersion": "v1", "kind": "List", "items": [data]}
    path.write_text(json.dumps(items) if form == "json" else f"---\n{json.dumps(items)}\n# yaml\n")
    (found,) = load([str(path)]).objects
    return found


def _today(kind, spec, version, **more):
    data = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec, **more}
    return msgspec.convert(data, BY_GVK[version, kind].type)


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize(
    ("version", "kind", "spec", "means"),
    [
        pytest.param(
            "extensions/v1beta1",
            "Deployment",
            {"replicas": 2, "template": _TEMPLATE},
            {
                "replicas": 2,
                "template": _TEMPLATE,
                "selector": _SELECTOR,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
            },
            id="one by one, and the selector of the template",
        ),
        pytest.param(
            "extensions/v1beta1",
            "Deployment",
            {"template": _TEMPLATE, "strategy": {"type": "Recreate"}},
            {"template": _TEMPLATE, "selector": _SELECTOR, "strategy": {"type": "Recreate"}},
            id="recreate stays",
        ),
        pytest.param(
            "extensions/v1beta1",
            "DaemonSet",
            {"template": _TEMPLATE, "selector": _SELECTOR},
            {"template": _TEMPLATE, "selector": _SELECTOR, "updateStrategy": {"type": "OnDelete"}},
            id="daemons were updated on deletion",
        ),
        pytest.param(
            "apps/v1beta1",
            "StatefulSet",
            {"template": _TEMPLATE, "updateStrategy": {"type": "RollingUpdate"}},
            {"template": _TEMPLATE, "selector": _SELECTOR, "updateStrategy": {"type": "RollingUpdate"}},
            id="what is said counts",
        ),
        pytest.param(
            "policy/v1beta1",
            "PodDisruptionBudget",
            {"minAvailable": 1, "selector": {}},
            {"minAvailable": 1},
            id="an empty selector meant no pod",
        ),
        pytest.param(
            "policy/v1beta1",
            "PodDisruptionBudget",
            {"minAvailable": 1, "selector": _SELECTOR},
            {"minAvailable": 1, "selector": _SELECTOR},
            id="a budget",
        ),
        pytest.param(
            "resource.k8s.io/v1beta1",
            "ResourceClaim",
            {"devices": {"requests": [{"name": "r", **_WANTS}]}},
            {"devices": {"requests": [{"name": "r", "exactly": _WANTS}]}},
            id="a claim",
        ),
        pytest.param(
            "resource.k8s.io/v1beta1",
            "ResourceClaimTemplate",
            {"spec": {"devices": {"requests": [{"name": "r", "firstAvailable": [{"name": "a", **_WANTS}]}]}}},
            {"spec": {"devices": {"requests": [{"name": "r", "firstAvailable": [{"name": "a", **_WANTS}]}]}}},
            id="a template with alternatives",
        ),
        pytest.param(
            "resource.k8s.io/v1beta1",
            "ResourceSlice",
            {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "g0", "basic": _IS}]},
            {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "g0", **_IS}]},
            id="a slice",
        ),
    ],
)
def test_what_a_version_took_for_granted(tmp_path, form, version, kind, spec, means):
    old = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}
    assert _read(tmp_path, old, form) == _today(kind, means, OLDER[version, kind].today)


@pytest.mark.parametrize(("version", "kind"), OLDER, ids=" ".join)
def test_every_older_version_is_read(tmp_path, version, kind):
    found = _read(tmp_path, {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}}, "json")
    assert (found.api_version, found.name) == (OLDER[version, kind].today, "x")


@pytest.mark.parametrize("spec", [None, [], "text", {"template": []}, {"devices": [1]}, {"selector": 3}])
@pytest.mark.parametrize(("version", "kind"), OLDER, ids=" ".join)
def test_whatever_is_in_it(version, kind, spec):
    assert OLDER[version, kind].read({"apiVersion": version, "kind": kind, "spec": spec})["kind"] == kind
