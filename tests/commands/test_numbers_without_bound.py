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
@pytest.mark.parametrize("change", [(), ("--effects", "immediate"), ("--rollout", "rolling")], ids=str)
def test_a_workload_is_placed_as_far_as_it_goes(run, workload, change):
    """Members of a stateful set that its controller does not create are no pending pods."""
    Path("w.json").write_text(json.dumps(workload))
    done = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json", *change, "-o", "json")
    assert done.code == 1
    report = json.loads(done.out)
    assert report["wanted"] == HUGE
    (part,) = report["workloads"]
    assert part["pending"] + part["notCreated"] + part["placed"] == HUGE
    groups = report["pending"] + report["notCreated"]
    assert sum(len(group["pods"]) + group["counted"] for group in groups) == HUGE - part["placed"]
    without_room = workload["kind"] == "StatefulSet" and "volumeClaimTemplates" in workload["spec"]
    assert part["placed"] == (0 if without_room else 4)


def test_what_is_told_of_those_that_are_counted(run):
    Path("w.json").write_text(json.dumps(WORKLOADS[0]))
    told = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json").out
    assert "4 of 1,000,000,000 pods placed, 999,999,996 stay pending" in told
    assert "d/Deployment/w: 999,999,996 pods" in told
    wide = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json", "-o", "wide").out
    assert "and 999,999,000 more" in " ".join(wide.split())


def test_those_of_another_scheduler_are_left_to_it(run):
    other = TEMPLATE | {"spec": TEMPLATE["spec"] | {"schedulerName": "other"}}
    spec = WORKLOADS[0]["spec"] | {"template": other}
    Path("w.json").write_text(json.dumps(WORKLOADS[0] | {"spec": spec}))
    told = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json").out
    assert "0 of 1,000,000,000 pods placed, 1,000,000,000 left to another scheduler" in " ".join(told.split())


def test_a_gate_counts_them(run):
    Path("w.json").write_text(json.dumps(WORKLOADS[0]))
    scenario = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "manifests": ["w.json"],
        "expectations": {"maxPending": 2_000},
    }
    Path("s.json").write_text(json.dumps(scenario))
    done = asked(run, "gate", "s.json", "-c", "cluster.json")
    assert done.code == 1
    assert "999,999,996 pods stay pending, 2000 may" in " ".join(done.out.split())


def test_a_sweep_counts_them(run):
    """Where the same pods are on the same nodes it does not matter how many of the others are made."""
    Path("w.json").write_text(json.dumps(WORKLOADS[0]))
    more = {"add-node": "like=n1=9"}
    cordons = [{"cordon": f"n1-new-{i}"} for i in range(1, 10)]
    named = [("as it is", []), ("more", [more]), ("of no use", [more, *cordons])]
    changes = [{"name": name, "changes": several} for name, several in named]
    sweep = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Sweep",
        "metadata": {"name": "s"},
        "cluster": "cluster.json",
        "manifests": ["w.json"],
        "axes": [{"changes": changes}],
    }
    Path("s.json").write_text(json.dumps(sweep))
    done = asked(run, "sweep", "s.json", "-j", "1", "-o", "json")
    trials = json.loads(done.out)["trials"]
    assert [(trial["wanted"], trial["placed"]) for trial in trials] == [(HUGE, 4), (HUGE, 40), (HUGE, 4)]
    assert trials[0]["placements"] == trials[2]["placements"] != trials[1]["placements"]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w['kind']} {len(w['spec'])}")
@pytest.mark.parametrize(
    ("change", "code", "more"),
    [
        pytest.param(("--to-version", "1.34"), 0, 0, id="they end alike"),
        pytest.param(("--add-node", "like=n1=9"), 0, 36, id="more room on one side"),
        pytest.param(("--delete", "ReplicaSet/d/none"), 2, 0, id="what is not there"),
    ],
)
def test_a_comparison_counts_them(run, workload, change, code, more):
    Path("w.json").write_text(json.dumps(workload))
    done = asked(run, "compare", "w.json", "-c", "cluster.json", *change, "-o", "json")
    assert done.code == code
    if code == 0:
        first, second = json.loads(done.out)["sides"]
        placed = 0 if "volumeClaimTemplates" in workload["spec"] else 4
        assert (first["wanted"], first["placed"]) == (HUGE, placed)
        assert (second["wanted"], second["placed"]) == (HUGE, placed and placed + more)


@pytest.mark.parametrize("pods", ["8Ei", "300000"])
def test_what_no_cluster_holds_is_refused_with_its_number(run, pods):
    Path("cluster.json").write_text(json.dumps(node("n1", pods=pods)))
    Path("w.json").write_text(json.dumps(WORKLOADS[0]))
    done = asked(run, "simulate", "-f", "w.json", "-c", "cluster.json")
    assert (done.code, done.out) == (2, "")
    assert "Deployment d/w wants 1,000,000,000 pods; at most 200,000 are made for a question" in done.err


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w['kind']} {len(w['spec'])}")
@pytest.mark.parametrize("verb", ["explain", "capacity", "preempt"])
def test_a_question_about_one_of_its_pods_ends(run, verb, workload):
    Path("w.json").write_text(json.dumps(workload))
    assert asked(run, verb, "w.json", "-c", "cluster.json").code in (0, 1, 2)


def test_together_they_are_bounded_too(run):
    Path("cluster.json").write_text(json.dumps(node("n1", pods="1000000")))
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
        pytest.param(("simulate", "--scale", f"deployment/web={2**31}"), id="replicas"),
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


@pytest.mark.parametrize(
    ("options", "sets"),
    [
        pytest.param(("--proportions", "5000"), 30, id="large sets"),
        pytest.param(("--limit", str(HUGE)), 150_000, id="many sets"),
    ],
)
def test_a_node_without_bound_is_counted_up_to_what_kubernetes_supports(run, options, sets):
    Path("cluster.json").write_text(json.dumps(node("n1", pods="8Ei", cpu="9e15", memory="8Ei")))
    done = asked(run, "capacity", "pod.json", *options, "-c", "cluster.json")
    assert done.code == 0
    assert f"at least {sets} more" in done.out


@pytest.mark.parametrize("replicas", [-1, -HUGE])
def test_a_negative_number_is_none(run, replicas):
    Path("w.json").write_text(
        json.dumps(WORKLOADS[0] | {"spec": WORKLOADS[0]["spec"] | {"replicas": replicas}})
    )
    assert asked(run, "simulate", "-f", "w.json", "-c", "cluster.json").code in (0, 2)
