"""Numbers that are written as texts, of more digits than any number has; JSON within texts, without end."""

import json
from pathlib import Path

import pytest
from builders import HOST, node, pod

DIGITS = "9" * 5_000
DEEP = "[" * 100_000
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
GATE = ("--feature-gates", "TaintTolerationComparisonOperators=true")
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def workload(kind, **spec):
    fields = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE} | spec
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "w", "namespace": "default"},
        "spec": fields,
    }


def owned(name, kind, **annotations):
    data = pod(name, "n1", owner={"apiVersion": "apps/v1", "kind": kind, "name": "w"}, labels={"a": "b"})
    data["metadata"]["annotations"] = annotations
    return data


def tainted(value):
    data = node("n1")
    data["spec"]["taints"] = [{"key": "k", "value": value, "effect": "NoSchedule"}]
    return data


def annotated(name, key, value):
    data = pod(name)
    data["metadata"]["annotations"] = {key: value}
    return data


def tolerating(value):
    return pod("new", tolerations=[{"key": "k", "operator": "Gt", "value": value, "effect": "NoSchedule"}])


def near(value):
    expressions = [{"key": HOST, "operator": "Gt", "values": [value]}]
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": expressions}]
            }
        }
    }


def pending(message):
    """A pod that waits, of which the scheduler has said why."""
    data = pod("waiting")
    data["status"] = {
        "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
        ]
    }
    return data


SCALED = ("simulate", "--scale", "rs/w=1")
RESIZED = ("simulate", "--scale", "sts/w=3")
ASK = ("explain", "new.json")
EVENT = ("explain", "pod/waiting")


@pytest.mark.parametrize(
    ("cluster", "new", "command", "code"),
    [
        pytest.param(
            [owned("a", "ReplicaSet", **{DELETION_COST: DIGITS}), owned("b", "ReplicaSet"), workload("ReplicaSet")],
            pod("new"), SCALED, 0, id="cost of a deletion",
        ),
        pytest.param(
            [owned(f"w-{DIGITS}", "StatefulSet"), workload("StatefulSet")], pod("new"), RESIZED, 0,
            id="number of a member",
        ),
        pytest.param([], annotated("new", DELETION_COST, DIGITS), ASK, 2, id="cost of a new pod"),
        pytest.param([tainted("1")], tolerating(DIGITS), (*ASK, *GATE), 2, id="tolerated value"),
        pytest.param([tainted(DIGITS)], tolerating("1"), (*ASK, *GATE), 1, id="value of a taint"),
        pytest.param([], pod("new", affinity=near(DIGITS)), ASK, 2, id="value of a label"),
        pytest.param([], annotated("new", TOLERATIONS, DEEP), ASK, 2, id="tolerations in an annotation"),
        pytest.param([node(f"n{DIGITS}"), node("n2")], pod("new", cpu="99"), ASK, 1, id="number of a node"),
        pytest.param([pending(f"0/{DIGITS} nodes are available: {DIGITS} x.")], pod("new"), EVENT, 0, id="event"),
        pytest.param([], pod("new"), (*ASK, "--kubernetes-version", f"1.{DIGITS}"), 2, id="minor version"),
        pytest.param([], pod("new"), (*ASK, "--kubernetes-version", f"1.36.{DIGITS}"), 0, id="patch of a version"),
        pytest.param([], pod("new"), ("capacity", "new.json", "--headroom", f"cpu={DIGITS}%"), 2, id="headroom"),
    ],
)  # fmt: skip
def test_an_answer_whatever_the_digits(run, tmp_path, monkeypatch, cluster, new, command, code):
    monkeypatch.chdir(tmp_path)
    nodes = [] if any(one["kind"] == "Node" for one in cluster) else [node("n1"), node("n2")]
    Path("cluster.json").write_text("\n".join(map(json.dumps, [*nodes, *cluster])))
    Path("new.json").write_text(json.dumps(new))
    done = run(*command, "-c", "cluster.json")
    assert "internal error" not in done.err
    assert done.code == code


@pytest.mark.parametrize("text", [DEEP, '{"scenario": ' + DEEP], ids=["a line", "a scenario"])
def test_golden_cases_without_end_are_refused(run, tmp_path, text):
    path = tmp_path / "golden.jsonl"
    path.write_text(text)
    done = run("conformance", str(path))
    assert done.code == 2
    assert "is no golden case: it is nested too deeply" in done.err
