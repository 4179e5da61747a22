"""`explain` of a pending pod beside what kube-scheduler wrote about it."""

from __future__ import annotations

import json

import pytest

NODE = """
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "1", memory: 1Gi, pods: "9"}}}
"""
OURS = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling."
)


@pytest.fixture
def cluster(tmp_path):
    def written(message: str) -> str:
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default"},
            "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "2"}}}]},
            "status": {
                "phase": "Pending",
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
                ],
            },
        }
        path = tmp_path / "cluster.yaml"
        path.write_text(f"apiVersion: v1\nkind: List\nitems:{NODE}- {json.dumps(pod)}\n")
        return str(path)

    return written


def test_the_same_words(run, cluster):
    done = run("explain", "pod/p", "-c", cluster(OURS), "--kubernetes-version", "1.36")

    assert done.code == 1
    assert "kube-scheduler itself wrote the same" in " ".join(done.out.split())


def test_other_words_are_told_apart(run, cluster):
    other = "0/2 nodes are available: 2 Insufficient memory."
    done = run("explain", "pod/p", "-c", cluster(other), "-o", "json")

    written = json.loads(done.out)["written"]
    assert not written["same"]
    assert written["nodes"] == {"reason": written["nodes"]["reason"], "written": 2, "ours": 1}
    assert {r["reason"]: (r["written"], r["ours"]) for r in written["reasons"]} == {
        "Insufficient memory": (2, 0),
        "Insufficient cpu": (0, 1),
    }
    told = " ".join(run("explain", "pod/p", "-c", cluster(other)).out.split())
    assert "It saw 2 nodes, here are 1." in told
