"""What would make a pod fit on a cordoned node with taints: all of them go, whatever their places in the list."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from builders import node, pod

TAINTS = ("node.kubernetes.io/unschedulable:NoSchedule", "a=b:NoSchedule", "c:NoExecute")


@pytest.mark.parametrize("taints", list(permutations(TAINTS)), ids=" ".join)
def test_taints_in_any_order(run, tmp_path, monkeypatch, taints):
    monkeypatch.chdir(tmp_path)
    Path("cluster.json").write_text(json.dumps(node("n1", cordoned=True, taints=taints)))
    Path("pod.json").write_text(json.dumps(pod("p")))
    done = run("explain", "pod.json", "-c", "cluster.json")
    assert (done.code, done.err) == (1, "")
    words = " ".join(done.out.split())
    assert "n1 uncordoned and taint" in words
    assert "taint c:NoExecute removed from n1" in words
    assert "taint a=b:NoSchedule removed from n1" in words


def test_a_pod_that_no_profile_handles_has_no_place_to_buy(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shapes = [{"name": "a", "like": "n1", "pricePerHour": 1}]
    catalogue = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Catalogue", "shapes": shapes}
    Path("cluster.json").write_text(json.dumps(node("n1")))
    Path("pod.json").write_text(json.dumps(pod("p", schedulerName="other")))
    Path("catalogue.json").write_text(json.dumps(catalogue))
    done = run("plan", "pod.json", "--catalogue", "catalogue.json", "-c", "cluster.json")
    assert (done.code, done.err) == (1, "")
    assert "no profile handles schedulerName other" in done.out


@pytest.mark.parametrize(
    ("taint", "opened"),
    [
        pytest.param("a=b:PreferNoSchedule", True, id="a taint that keeps no pod away"),
        pytest.param("a=b:NoSchedule", False, id="a taint by which somebody closes the node"),
    ],
)
def test_a_node_that_somebody_closes_is_not_opened(run, tmp_path, monkeypatch, taint, opened):
    monkeypatch.chdir(tmp_path)
    Path("cluster.json").write_text(json.dumps(node("n1", cordoned=True)))
    Path("pod.json").write_text(json.dumps(pod("p")))
    done = run("explain", "pod.json", "-c", "cluster.json", "--taint", f"n1 {taint}")
    assert (done.code, done.err) == (1, "")
    assert ("n1 uncordoned" in done.out) is opened
