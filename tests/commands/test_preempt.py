"""`kschedctl preempt`: what is printed, in every format, the exit code, and the graph."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import msgspec
import networkx as nx
import pytest
import yaml

from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.schema import shipped_schema

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"

CASES = {
    "06": "cases/06-affinity-to-lower-priority-victim",
    "16": "cases/16-preempt-pdb-reprieved-victim",
    "18": "cases/18-preempt-policy-never-overprovision",
    "20": "cases/20-preempt-latest-start-is-daemonset",
    "22": "cases/22-request-larger-than-node-unresolvable",
    "cascade": "preempt-cascade",
}
CODES = {"06": 1, "16": 0, "18": 1, "20": 0, "22": 1, "cascade": 0}

pytestmark = pytest.mark.usefixtures("in_the_root")


def of(case, *more):
    folder = f"fixtures/{CASES[case]}"
    return ("preempt", f"{folder}/pod.yaml", "--dry-run", "-c", f"{folder}/cluster.yaml", *more)


def pod(name, cpu, **spec):
    requests = {"requests": {"cpu": cpu}}
    container = {"name": "main", "image": "registry.example/app:1", "resources": requests}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [container], **spec},
    }


def node(name, cpu):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "memory": "4Gi", "pods": "10"}},
    }


@pytest.fixture
def written(tmp_path):
    """A function that writes objects to a file and returns its path."""

    def write(name, *objects):
        path = tmp_path / name
        path.write_text(yaml.safe_dump_all(objects))
        return str(path)

    return write


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_printed_as_stored(run, golden, case):
    done = run(*of(case))
    assert (done.code, done.err) == (CODES[case], "")
    golden(STORED / f"preempt-{case}.txt", done.out)


@pytest.mark.parametrize(
    ("case", "output"),
    [("cascade", output) for output in ("wide", "markdown", "yaml", "name")] + [("18", "markdown")],
)
def test_other_formats(run, golden, case, output):
    done = run(*of(case, "-o", output))
    assert (done.code, done.err) == (CODES[case], "")
    golden(STORED / f"preempt-{case}-{output}.txt", done.out)


def test_quiet_is_the_verdict(run):
    done = run(*of("cascade", "-q"))
    assert done.out == "! default/trainer fits nowhere as it is; preempting 4 pods on a makes room\n"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("case", CASES)
def test_tables_keep_to_the_width(run, monkeypatch, case, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run(*of(case)).out.splitlines()
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("case", CASES)
def test_json_meets_its_schema(run, case):
    done = run(*of(case, "-o", "json"))
    jsonschema.validate(json.loads(done.out), shipped_schema(Preemption))


def test_the_schema_refuses_another_report(run):
    report = json.loads(run(*of("16", "-o", "json")).out)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**report, "outcome": "Maybe"}, shipped_schema(Preemption))


@pytest.mark.parametrize(
    ("candidate", "code", "verdict"),
    [
        pytest.param(pod("x", "1"), 0, "default/x fits on n1 as it is; nobody has to go", id="fits anyway"),
        pytest.param(pod("x", "4", priority=9), 1, "fits nowhere, and preemption cannot help", id="no help"),
        pytest.param(
            pod("x", "2", priority=9, preemptionPolicy="Never"),
            1,
            "fits nowhere, and may not preempt",
            id="never",
        ),
        pytest.param(pod("x", "2", priority=9), 0, "preempting 1 pod on n1 makes room", id="room"),
        pytest.param(
            pod("x", "2", priorityClassName="lost"), 2, "would be refused by the API server", id="invalid"
        ),
        pytest.param(pod("x", "1", schedulingGates=[{"name": "g/h"}]), 1, "is gated", id="gated"),
        pytest.param(
            pod("x", "1", schedulerName="other"), 1, "is handled by no profile", id="another scheduler"
        ),
    ],
)
def test_exit_code_and_verdict(run, written, candidate, code, verdict):
    cluster = written("cluster.yaml", node("n1", "2"), pod("low", "1", nodeName="n1"))
    done = run("preempt", written("pod.yaml", candidate), "-c", cluster)
    assert done.code == code
    assert verdict in done.out


def test_a_profile_without_preemption(run, written):
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}}}],
    }
    cluster = written("cluster.yaml", node("n1", "1"), pod("low", "1", nodeName="n1"))
    asked = "preempt", written("pod.yaml", pod("x", "1", priority=9)), "-c", cluster
    done = run(*asked, "--scheduler-config", written("config.yaml", config))
    assert done.code == 1
    assert "may not preempt" in done.out
    assert "the profile has no DefaultPreemption" in done.out


def test_a_cluster_without_nodes(run, written):
    done = run(
        "preempt", written("pod.yaml", pod("x", "1")), "-c", written("cluster.yaml", pod("other", "1"))
    )
    assert done.code == 1
    assert "default/x fits nowhere, and preemption cannot help" in done.out
    assert "no nodes available to schedule pods" in done.out


def test_every_pending_pod_is_asked_for_alone(run, written):
    cluster = written(
        "cluster.yaml",
        node("n1", "2"),
        pod("low", "2", nodeName="n1"),
        pod("waits", "2", priority=5),
        pod("waits-too", "2", priority=7),
    )
    done = run("preempt", "-c", cluster, "-o", "json")
    items = json.loads(done.out)["items"]
    assert [(item["pod"]["name"], item["victims"][0]["name"]) for item in items] == [
        ("waits", "low"),
        ("waits-too", "low"),
    ]
    assert run("preempt", "pod/waits", "-c", cluster, "-q").out.startswith("! default/waits fits nowhere")


def test_nothing_pending(run, written):
    done = run("preempt", "-c", written("cluster.yaml", node("n1", "2")))
    assert (done.code, done.out, done.err) == (0, "✓ no pod of the cluster is pending\n", "")


def test_dry_run_is_the_only_mode(run):
    with_it = run(*of("cascade"))
    without = run(*(argument for argument in of("cascade") if argument != "--dry-run"))
    assert with_it == without
    assert "nothing is ever written" in " ".join(run("preempt", "--help").out.split())


def test_equal_nodes_are_a_tie(run, written):
    nodes = [node(f"n{i}", "1") for i in range(3)]
    pods = [pod(f"low-{i}", "1", nodeName=f"n{i}") for i in range(3)]
    asked = written("pod.yaml", pod("x", "1", priority=9)), "-c", written("cluster.yaml", *nodes, *pods)
    told = " ".join(run("preempt", *asked).out.split())
    assert "preempting on one of n0, n1 and n2 makes room" in told
    assert "kube-scheduler picks one of the 3 at random, shown is n0, the first by name" in told
    report = json.loads(run("preempt", *asked, "-o", "json").out)
    assert (report["equalNodes"], report["nominatedNode"]) == (["n0", "n1", "n2"], "n0")


class TestGraph:
    """`--graph FILE`."""

    def test_graphml(self, run, tmp_path):
        path = tmp_path / "evictions.graphml"
        run(*of("cascade", "--graph", str(path)))
        graph = nx.read_graphml(path, force_multigraph=True)
        evictions = sorted(
            (source.rpartition("/")[2], target.rpartition("/")[2])
            for source, target, facts in graph.edges(data=True)
            if facts["kind"] == "evicts"
        )
        assert evictions == [
            ("api-x1", "batch"),
            ("trainer", "agent-a"),
            ("trainer", "cache-a"),
            ("trainer", "leaving"),
            ("trainer", "web-7c9f-x1"),
            ("web-7c9f-x1", "api-x1"),
        ]
        assert graph.nodes["pod/default/batch"]["fate"] == "Gone"
        assert ElementTree.parse(path).getroot().tag.endswith("graphml")

    def test_dot(self, run, golden, tmp_path):
        path = tmp_path / "evictions.dot"
        done = run(*of("cascade", "--graph", str(path)))
        assert done.code == 0
        golden(STORED / "preempt-cascade.dot", path.read_text())

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            pytest.param("evictions.png", "told by its suffix", id="another format"),
            pytest.param("nowhere/evictions.dot", "cannot be written", id="no such folder"),
        ],
    )
    def test_a_file_that_cannot_be(self, run, tmp_path, path, told):
        done = run(*of("cascade", "--graph", str(tmp_path / path)))
        assert (done.code, done.out) == (2, "")
        assert told in done.err


def test_the_python_interface_gives_what_json_prints(run):
    from kschedctl.questions.cluster import Cluster
    from kschedctl.questions.preempt import preempt
    from kschedctl.scheduling.options import SchedulingOptions

    folder = f"fixtures/{CASES['cascade']}"
    cluster = Cluster.load(f"{folder}/cluster.yaml", options=SchedulingOptions())
    (answer,) = preempt(cluster, f"{folder}/pod.yaml")
    printed = msgspec.json.decode(run(*of("cascade", "-o", "json")).out)
    assert msgspec.to_builtins(answer) == printed


def test_long_names_stay_whole(run, written):
    long = "ip-10-0-12-34.eu-west-1.compute.internal"
    names = [f"{long}-{i}" for i in range(2)]
    pods = [
        pod(f"checkout-api-of-the-large-shop-7c9f8d6b5-{i}", "1", nodeName=name, priority=i)
        for i, name in enumerate(names)
    ]
    cluster = written("cluster.yaml", *(node(name, "1") for name in names), *pods)
    lines = run("preempt", written("pod.yaml", pod("x", "1", priority=9)), "-c", cluster).out.splitlines()
    assert f"  {long}-0 *" in lines
    assert "      victims 1, highest prio 0, sum 0, chosen" in lines
    assert "      victims 1, highest prio 1, sum 1, highest priority 1 > 0" in lines


def test_as_many_candidates_as_kube_scheduler_looks_for(run, written):
    nodes = [node(f"n{i}", "1") for i in range(150)]
    pods = [pod(f"low-{i}", "1", nodeName=f"n{i}") for i in range(150)]
    asked = written("pod.yaml", pod("x", "1", priority=9)), "-c", written("cluster.yaml", *nodes, *pods)
    every = json.loads(run("preempt", *asked, "-o", "json").out)
    assert len(every["candidates"]) == 150
    assert [c["code"] for c in every["cluster"]["caveats"]] == ["all-candidates-compared", "kind-absent"]
    some = [
        json.loads(run("preempt", *asked, "-o", "json", "--sampling", "upstream", "--seed", seed).out)
        for seed in ("1", "1", "2")
    ]
    assert [len(report["candidates"]) for report in some] == [100, 100, 100]
    assert some[0] == some[1]
    assert some[0]["candidates"] != some[2]["candidates"]
    assert [c["code"] for c in some[0]["cluster"]["caveats"]] == ["kind-absent"]


def test_what_was_changed_before_is_told(run):
    done = run(*of("cascade", "--cordon", "b"))
    assert "after cordon b" in done.out
