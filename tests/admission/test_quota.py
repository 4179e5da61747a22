"""ResourceQuotas: which pods they count, how much of what, and what they demand."""

from __future__ import annotations

import pytest
from builders import made, node, pod, session

from kschedctl.admission.quota import counts, demanded, shortage, unseen_use, use_of_all


def _quota(hard=None, used=None, **spec):
    data = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": hard or {"pods": "1"}, **spec},
        "status": {"used": used or {}},
    }
    return made(data)


def _admitted(data):
    return session(node("n1")).enter(made(data)).pod


def _scoped(name, operator, *values):
    return {"matchExpressions": [{"scopeName": name, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("spec", "plain", "busy"),
    [
        pytest.param({}, True, True, id="all"),
        pytest.param({"scopes": ["BestEffort"]}, True, False, id="pods without requests"),
        pytest.param({"scopes": ["NotBestEffort"]}, False, True, id="pods with some"),
        pytest.param({"scopeSelector": _scoped("PriorityClass", "In", "urgent")}, False, True, id="a class"),
        pytest.param(
            {"scopeSelector": _scoped("PriorityClass", "NotIn", "urgent")}, True, False, id="not a class"
        ),
        pytest.param({"scopeSelector": _scoped("PriorityClass", "DoesNotExist")}, True, False, id="no class"),
        pytest.param({"scopes": ["CrossNamespacePodAffinity"]}, False, False, id="terms that look across"),
        pytest.param({"scopes": ["Terminating"]}, False, True, id="pods with a deadline"),
        pytest.param({"scopes": ["NotTerminating"]}, True, False, id="pods without one"),
        pytest.param({"scopes": ["Unheard"]}, False, False, id="unknown"),
    ],
)
def test_scopes(spec, plain, busy):
    quota = _quota(**spec)
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 9,
    }
    there = session(node("n1"), urgent)
    demanding = pod("b", cpu="1", priorityClassName="urgent", activeDeadlineSeconds=60)
    busy_pod = there.enter(made(demanding)).pod
    assert (counts(quota, _admitted(pod("a"))), counts(quota, busy_pod)) == (plain, busy)


@pytest.mark.parametrize(
    ("hard", "lacking"),
    [
        pytest.param({"limits.cpu": "4"}, [("limits.cpu", "main")], id="limits"),
        pytest.param({"requests.cpu": "4"}, [], id="requests that are stated"),
        pytest.param({"cpu": "4", "memory": "4Gi"}, [("memory", "main")], id="the short names"),
        pytest.param(
            {"pods": "4", "requests.ephemeral-storage": "1Gi"}, [], id="nothing is demanded of others"
        ),
    ],
)
def test_what_every_container_has_to_state(hard, lacking):
    assert list(demanded(_quota(hard), _admitted(pod("a", cpu="1")).spec)) == lacking


def test_room():
    quota = _quota({"requests.cpu": "4", "pods": "9"}, {"requests.cpu": "2"})
    pods = [_admitted(pod(name, cpu="1500m")) for name in ("a", "b")]
    unseen, used = unseen_use(quota, pods[:1]), use_of_all(quota, pods)
    total = {name: unseen[name] + used[name] for name in used}
    found = shortage(quota, total, use_of_all(quota, pods[:1]))
    assert (found.name, found.texts) == ("requests.cpu", ("4", "3.5", "1.5"))
    assert shortage(quota, used, use_of_all(quota, [_admitted(pod("c", cpu="1"))])) is None
