"""Quotas that new pods would exceed."""

from __future__ import annotations

import pytest
from builders import decide, node, pod, session

from kschedctl.reports.caveats.quotas import quota_caveats


def _quota(hard, used=None, **spec):
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": hard, **spec},
        "status": {"used": used or {}},
    }


@pytest.mark.parametrize(
    ("quota", "told"),
    [
        pytest.param(_quota({"requests.cpu": "2"}), "2 requests.cpu: 1.5 are used", id="requests"),
        pytest.param(_quota({"cpu": "2"}), "2 cpu: 1.5 are used", id="the short name"),
        pytest.param(_quota({"pods": "1"}), "1 pods: 1 are used", id="pods"),
        pytest.param(_quota({"requests.cpu": "3"}), None, id="enough"),
        pytest.param(
            _quota({"requests.cpu": "3"}, {"requests.cpu": "2500m"}),
            "2.5 are used",
            id="pods that are not in the input",
        ),
        pytest.param(_quota({"count/services": "0"}), None, id="of other objects"),
        pytest.param(_quota({"requests.cpu": "2"}, scopes=["BestEffort"]), None, id="of some pods alone"),
    ],
)
def test_quotas(quota, told):
    loaded = session([node("n1"), pod("runs", "n1", cpu="1500m"), quota])
    decision = decide(loaded, pod("new", cpu="1"))
    found = [caveat.message for caveat in quota_caveats([decision.pod], decision.cluster)]
    assert len(found) == (told is not None)
    assert told is None or told in found[0]


def test_a_quota_of_another_namespace():
    loaded = session([node("n1"), _quota({"pods": "0"})])
    decision = decide(loaded, pod("new", namespace="other"))
    assert not list(quota_caveats([decision.pod], decision.cluster))
