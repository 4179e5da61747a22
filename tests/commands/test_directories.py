"""Directories of manifests: what is read of them, and what is left out."""

import json

import pytest
import yaml

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}},
}


def pod(name):
    """A pod, as text."""
    spec = {"containers": [{"name": "c", "image": "app"}]}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A directory with a file, one with nothing of interest, and one with a file two levels down."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(NODE))
    for path, text in {
        "release/web.yaml": pod("web"),
        "release/docs/README.md": "# nothing",
        "release/addons/cache/cache.yaml": pod("cache"),
        "release/addons/proxy.yml": pod("proxy"),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return "release"


def asked(run, verb, *arguments):
    """The report, or reports, as data."""
    return json.loads(run(verb, *arguments, "-c", "cluster.yaml", "-o", "json").out)


def caveats(report):
    return {caveat["code"]: caveat["message"] for caveat in report["cluster"]["caveats"]}


@pytest.mark.parametrize("verb", ["explain", "simulate", "capacity"])
def test_directories_below_are_left_out_as_kubectl_does_and_told(run, release, verb):
    found = caveats(asked(run, verb, "-f", release))

    assert (
        found["directories-left-out"] == "release/addons is not read: -R searches it, as it does for kubectl"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("-R", "-f", "release"), id="option"),
        pytest.param(("--recursive", "release/"), id="argument"),
        pytest.param(("release/**",), id="path"),
    ],
)
def test_everything_below_is_read_where_that_is_asked_for(run, release, arguments):
    report = asked(run, "simulate", *arguments)

    assert [workload["name"] for workload in report["workloads"]] == ["cache", "proxy", "web"]
    assert "directories-left-out" not in caveats(report)


def test_a_file_stays_a_file(run, release):
    report = asked(run, "simulate", "-R", "-f", "release/web.yaml")

    assert [workload["name"] for workload in report["workloads"]] == ["web"]


def test_a_directory_with_directories_alone(run, release, tmp_path):
    (tmp_path / "release/web.yaml").unlink()
    done = run("simulate", "-f", release, "-c", "cluster.yaml")

    assert done.code == 2
    assert "release: the directory holds no *.yaml, *.yml or *.json file" in done.err
    assert "directories below it are not searched: write release/**, or -R" in done.err


def test_links_are_not_followed(run, release, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/other.yaml").write_text(pod("other"))
    (tmp_path / "release/linked").symlink_to(tmp_path / "elsewhere")
    report = asked(run, "simulate", "-R", "-f", release)

    assert report["placed"] == 3


def test_a_cluster_in_a_directory(run, release, tmp_path):
    (tmp_path / "cluster/more").mkdir(parents=True)
    (tmp_path / "cluster.yaml").rename(tmp_path / "cluster/nodes.yaml")
    (tmp_path / "cluster/more/pods.yaml").write_text(pod("there"))
    report = json.loads(run("simulate", "-R", "-f", release, "-c", "cluster", "-o", "json").out)
    whole = json.loads(run("simulate", "-R", "-f", release, "-c", "cluster/**", "-o", "json").out)

    text = "cluster/more is not read: name it, or write DIR/**"
    assert caveats(report)["directories-left-out"] == text
    assert (report["wanted"], whole["wanted"]) == (3, 4)


def test_a_gate(run, release, tmp_path):
    data = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "one"}}
    data |= {"cluster": "cluster.yaml", "expectations": {"maxPending": 0}}
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(data))
    done = run("gate", "one.yaml", "-R", "-f", release, "-q")

    assert done.code == 0
    assert (
        json.loads(run("gate", "one.yaml", "-R", "-f", release, "-o", "json").out)["scenarios"][0][
            "simulation"
        ]["placed"]
        == 3
    )
