"""Numbers that no cluster holds: an answer where they need not be counted out, else an error that names them."""

import json
import time
from pathlib import Path

import pytest
from builders import node, pod

HUGE = 1_000_000_000
TEMPLATE = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
}
ONCE = {"metadata": TEMPLATE["metadata"], "spec": TEMPLATE["spec"] | {"restartPolicy": "Never"}}
SELECTOR = {"matchLabels": {"a": "b"}}
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def made(api_version, kind, **spec):
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "w", "namespace": "d"},
        "spec": spec,
    }


WORKLOADS = [
    made("apps/v1", "Deployment", replicas=HUGE, selector=SELECTOR, template=TEMPLATE),
    made("apps/v1", "ReplicaSet", replicas=HUGE, selector=SELECTOR, template=TEMPLATE),
    made("v1", "ReplicationController", replicas=HUGE, selector={"a": "b"}, template=TEMPLATE),
    made("apps/v1", "StatefulSet", replicas=HUGE, selector=SELECTOR, template=TEMPLATE, serviceName="s"),
    made(
        "apps/v1",
        "StatefulSet",
        replicas=HUGE,
        selector=SELECTOR,
        template=TEMPLATE,
        volumeClaimTemplates=[CLAIM],
    ),
    made("batch/v1", "Job", parallelism=HUGE, template=ONCE),
    made("batch/v1", "Job", parallelism=HUGE, completions=HUGE, completionMode="Indexed", template=ONCE),
    made(
        "batch/v1",
        "CronJob",
        schedule="* * * * *",
        jobTemplate={"spec": {"parallelism": HUGE, "completions": HUGE, "template": ONCE}},
    ),
]


@pytest.fixture(autouse=True)
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cluster.json").write_text(json.dumps(node("n1")))
    Path("pod.json").write_text(json.dumps(pod("p", cpu="1")))


def asked(run, *arguments):
    start = time.process_time()
    done = run(*arguments)
    assert time.process_time() - start < 10
    assert "internal error" not in done.err
    return done


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w['kind']} {len(w['spec'])}")
def test_a_workload_is_refused_with_its_number(run, workload):
    Path("w.json").write_text(json.dumps(workload))
    done = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json")
    assert (done.code, done.out) == (2, "")
    assert f"{workload['kind']} d/w" in done.err or "Job d/w" in done.err
    assert "wants 1,000,000,000 pods; at most 200,000" in done.err


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w['kind']} {len(w['spec'])}")
@pytest.mark.parametrize("verb", ["explain", "capacity", "preempt"])
def test_a_question_about_one_of_its_pods_ends(run, verb, workload):
    Path("w.json").write_text(json.dumps(workload))
    assert asked(run, verb, "w.json", "-c", "cluster.json").code in (0, 1, 2)


def test_together_they_are_bounded_too(run):
    several = [
        WORKLOADS[0] | {"metadata": {"name": f"w{i}"}, "spec": WORKLOADS[0]["spec"] | {"replicas": 150_000}}
        for i in (1, 2)
    ]
    Path("w.json").write_text("\n".join(map(json.dumps, several)))
    done = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json")
    assert done.code == 2
    assert "want more than 200,000 pods together" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("simulate", "--add-node", f"like=n1={HUGE}"), id="nodes"),
        pytest.param(("simulate", "--add-node", "like=n1=1000000"), id="a million nodes"),
        pytest.param(("simulate", "--add-node", "like=n1=" + "9" * 5_000), id="nodes of many digits"),
        pytest.param(("simulate", "--scale", f"deployment/web={HUGE}"), id="replicas"),
        pytest.param(("capacity", "pod.json", "--proportions", str(HUGE)), id="proportions"),
        pytest.param(("capacity", "pod.json", "--proportions", "9" * 5_000), id="proportions of many digits"),
    ],
)
def test_an_option_is_refused(run, arguments):
    done = asked(run, *arguments, "-c", "cluster.json")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("target", [HUGE, 10**15])
def test_a_target_is_answered(run, target):
    done = asked(run, "capacity", "pod.json", "--target", str(target), "-c", "cluster.json")
    assert done.code == 1
    assert f"{target - 4} of {target} missing" in done.out


@pytest.mark.parametrize("replicas", [-1, -HUGE])
def test_a_negative_number_is_none(run, replicas):
    Path("w.json").write_text(
        json.dumps(WORKLOADS[0] | {"spec": WORKLOADS[0]["spec"] | {"replicas": replicas}})
    )
    assert asked(run, "simulate", "-f", "w.json", "-c", "cluster.json").code in (0, 2)
