"""Manifests that leave the name to the API server, as kubectl create takes them."""

import json

import pytest
import yaml

CONTAINER = {"name": "c", "image": "app", "resources": {"requests": {"cpu": "1"}}}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}},
}


def manifest(kind, **metadata):
    """A workload, or a pod, of one pod."""
    spec = {"containers": [CONTAINER]}
    if kind != "Pod":
        spec["restartPolicy"] = "Never" if kind == "Job" else "Always"
        labels = {} if kind == "Job" else {"selector": {"matchLabels": {"app": "web"}}}
        spec = {"template": {"metadata": {"labels": {"app": "web"}}, "spec": spec}} | labels
    version = {"Job": "batch/v1", "Pod": "v1"}.get(kind, "apps/v1")
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


@pytest.fixture
def files(tmp_path):
    """Writes a cluster and manifests."""

    def write(*manifests):
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(NODE))
        (tmp_path / "release.yaml").write_text(yaml.safe_dump_all(manifests))
        return str(tmp_path / "release.yaml"), "-c", str(tmp_path / "cluster.yaml")

    return write


@pytest.mark.parametrize("kind", ["Job", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod"])
def test_two_of_a_kind_get_different_names(run, files, kind):
    two = [manifest(kind, generateName="report-")] * 2
    report = json.loads(run("simulate", *files(*two), "-o", "json").out)

    names = [workload["name"] for workload in report["workloads"]]
    assert len(set(names)) == 2
    assert all(name.startswith("report-") for name in names)
    assert report["placed"] == 2


def test_a_name_that_is_taken_is_not_made_up(run, files):
    first = json.loads(run("simulate", *files(manifest("Job", generateName="a-")), "-o", "json").out)
    (one,) = [workload["name"] for workload in first["workloads"]]
    release = [manifest("Job", name=one), manifest("Job", generateName="a-")]
    second = json.loads(run("simulate", *files(*release), "-o", "json").out)

    assert len({workload["name"] for workload in second["workloads"]}) == 2


@pytest.mark.parametrize(("verb", "kind"), [("explain", "Job"), ("capacity", "Job"), ("capacity", "Pod")])
def test_who_is_asked_about(run, files, verb, kind):
    done = run(verb, *files(manifest(kind, generateName="report-")))

    assert done.code == 0
    assert "report-" in done.out


def test_what_has_neither_is_refused(run, files):
    done = run("simulate", *files(manifest("Job", labels={"a": "b"})))

    assert done.code == 2
    assert "line 1: Job: metadata.name: Required value: name or generateName is required" in done.err
