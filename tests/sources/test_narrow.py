"""Pods of one namespace alone, as kubectl prints them without -A."""

import json

import pytest

from kschedctl.questions.cluster import Cluster
from kschedctl.sources.conversion import snapshot_of
from kschedctl.sources.load import load

from .builders import json_bytes, list_of, node, pod


def printed(namespace, name):
    """A pod as the API server returns it."""
    made = pod(name, nodeName="n1", containers=[{"name": "c"}])
    made["metadata"] |= {"namespace": namespace, "resourceVersion": "7"}
    return made


def told(path):
    """What the cluster's caveats and the snapshot of it say."""
    caveats = [c for c in Cluster.load(path).summary.caveats if c.code == "namespace-only"]
    notes = [note.text for note in snapshot_of(load([path]), [path]).header.notes]
    assert [caveat.message for caveat in caveats] == notes
    assert all(caveat.may_change_answer for caveat in caveats)
    return notes


def test_pods_of_one_namespace_are_told(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(json_bytes(list_of(node("n1"), printed("shop", "a"), printed("shop", "b"))))
    assert told(str(path)) == [
        "all pods are of namespace shop: kubectl leaves those of others out without -A, and what they have on the "
        "nodes is not seen"
    ]


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([], id="none"),
        pytest.param([printed("shop", "a"), printed("kube-system", "b")], id="two namespaces"),
        pytest.param([printed("kube-system", "a")], id="a cluster that runs nothing else"),
        pytest.param([pod("a", nodeName="n1")], id="written by somebody"),
    ],
)
def test_whole_clusters_are_not(tmp_path, pods):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(list_of(node("n1"), *pods)))
    assert told(str(path)) == []
