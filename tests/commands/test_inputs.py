"""What every verb asks of its inputs: stdin once, and no other namespace than that of the command line."""

import json
from pathlib import Path

import pytest
import yaml
from builders import node, pod

SHOP = Path(__file__).parents[2] / "fixtures/snapshots/shop.json"

STDIN_TWICE = [
    ("explain", "-", "-c", "-"),
    ("explain", "-f", "-", "-f", "-", "-c", "cluster.yaml"),
    ("preempt", "-", "-c", "-"),
    ("simulate", "-f", "-", "-c", "-"),
    ("simulate", "--scenario", "-", "-f", "-", "-c", "cluster.yaml"),
    ("capacity", "-", "-c", "-"),
    ("drain", "n1", "-c", "-", "--scheduler-config", "-"),
    ("gate", "-", "-c", "-"),
]


@pytest.fixture(autouse=True)
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cluster.yaml").write_text(yaml.safe_dump(node("n1")))
    Path("pod.yaml").write_text(yaml.safe_dump(pod("p", namespace="shop")))


@pytest.mark.parametrize("arguments", STDIN_TWICE, ids=" ".join)
def test_stdin_is_read_once(run, arguments):
    scenario = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "a"},
        "expectations": {"maxPending": 0},
    }
    done = run(*arguments, stdin=yaml.safe_dump(scenario).encode())
    assert (done.code, done.out) == (2, "")
    assert "stdin can be read once only, and - is given twice" in done.err


@pytest.mark.parametrize("verb", ["explain", "preempt", "simulate", "capacity"])
def test_a_pod_of_another_namespace_is_refused_as_by_kubectl(run, verb):
    done = run(verb, "-f", "pod.yaml", "-c", "cluster.yaml", "-n", "other")
    assert (done.code, done.out) == (2, "")
    assert "pod.yaml, line 1: Pod shop/p states a namespace other than that of -n other" in done.err
    assert run(verb, "-f", "pod.yaml", "-c", "cluster.yaml", "-n", "shop").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "pod.yaml"),
        ("preempt", "pod.yaml"),
        ("simulate",),
        ("drain", "w1"),
        ("capacity", "deployment/web", "-n", "shop"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_report_says_when_its_snapshot_was_taken(run, arguments):
    read = json.loads(run(*arguments, "-c", str(SHOP), "-o", "json").out)
    first = read["items"][0] if read["kind"] == "List" else read
    assert first["cluster"]["takenAt"] == "2026-03-01T10:00:00Z"


@pytest.mark.parametrize(
    ("words", "files"), [(("explain", "pod.yaml"), True), (("snapshot", "take", "-o", "x.json"), False)]
)
def test_without_a_cluster_only_verbs_that_read_files_name_the_option_for_files(run, tmp_path, words, files):
    done = run(*words, "--kubeconfig", str(tmp_path / "absent"))

    assert done.code == 2
    assert "hint: name a cluster with --kubeconfig FILE or --context NAME" in done.err
    assert ("--cluster" in done.err) == files
