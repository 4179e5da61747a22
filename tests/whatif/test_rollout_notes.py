"""What is said of rolling updates that wait for themselves."""

from __future__ import annotations

import pytest
import yaml
from builders import node, pod

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.simulate import SimulationQuestion, simulate
from kschedctl.whatif.world.change_forms import RolloutMode


def _deployment(cpu, **strategy):
    container = {"name": "main", "image": "app:2", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "uid": "d"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"rollingUpdate": strategy} if strategy else {},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }


@pytest.mark.parametrize(
    ("cpu", "strategy", "told"),
    [
        pytest.param("2", {}, True, id="the old pod holds the room of the new one"),
        pytest.param("4", {}, False, id="there is no room without the old pod either"),
        pytest.param("2", {"maxSurge": 0, "maxUnavailable": 1}, False, id="so written"),
    ],
)
def test_updates_that_wait_for_themselves(tmp_path, cpu, strategy, told):
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-old"}
    old_set = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "web-old",
            "namespace": "default",
            "uid": "u",
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
            ],
        },
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    running = pod("web-old-1", "n1", cpu="2", labels={"app": "web"}, owner=owner)
    running["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    objects = [node("n1", cpu="3"), _deployment("1"), old_set, running]
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(_deployment(cpu, **strategy)))
    question = SimulationQuestion(manifests=[str(tmp_path / "release.yaml")], rollout=RolloutMode.ROLLING)
    answer = simulate(Cluster.load(str(tmp_path / "cluster.yaml")), question)
    assert any("maxSurge: 0" in note for note in answer.notes) == told
