import json
from pathlib import Path

import jsonschema
import pytest
from builders import node, pod

from kschedctl.reports.consolidation.model import Consolidation
from kschedctl.reports.plan.model import NodePlan
from kschedctl.reports.schema import shipped_schema

STORED = Path(__file__).parent / "golden"
RELEASE = ("fixtures/plan/release.yaml", "-c", "fixtures/plan/cluster.yaml")
PRICED = ("--catalogue", "fixtures/plan/catalogue.yaml")
RUNNING = ("--shrink", "-c", "fixtures/plan-shrink/cluster.yaml")
PRICES = ("--catalogue", "fixtures/plan-shrink/prices.yaml")
ONE = ("--catalogue", "fixtures/plan/one-shape.yaml")

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("plan", (*RELEASE, *PRICED), 0),
        ("plan-one-shape", (*RELEASE, *ONE), 0),
        ("plan-too-dear", (*RELEASE, *PRICED, "--max-cost", "2", "--headroom", "cpu=5%"), 1),
        ("plan-markdown", (*RELEASE, *PRICED, "-o", "markdown"), 0),
        ("plan-name", (*RELEASE, *PRICED, "-o", "name"), 0),
        ("shrink", (*RUNNING, *PRICES), 0),
        ("shrink-without-prices", RUNNING, 0),
        ("shrink-survives", (*RUNNING, *PRICES, "--survive", "nodes=1", "--headroom", "cpu=10%"), 0),
        ("shrink-nothing", (*RUNNING, "--keep", "*"), 1),
        ("shrink-release", ("--shrink", *RELEASE), 1),
        ("shrink-markdown", (*RUNNING, *PRICES, "-o", "markdown"), 0),
        ("shrink-name", (*RUNNING, *PRICES, "-o", "name"), 0),
        ("plan-survives", (*RELEASE, *PRICED, "--survive", "nodes=1", "--trials", "80"), 0),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("plan", *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def test_one_node_less_does_not_do(run, tmp_path):
    """The example with its proof: eighteen workloads, one shape; sixteen nodes, the one that is there included."""
    report = json.loads(run("plan", *RELEASE, *ONE, "-o", "json").out)
    jsonschema.validate(report, shipped_schema(NodePlan))
    zones = {bought["zone"]: bought["count"] for bought in report["nodes"]}
    assert sum(zones.values()) == 15

    def simulated(counts):
        added = []
        for zone, count in counts.items():
            path = tmp_path / f"{zone}.json"
            name, labels = f"standard-{zone}", {"topology.kubernetes.io/zone": zone}
            room = {"cpu": "4", "memory": "16Gi", "pods": "110"}
            node = {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": room}}
            path.write_text(json.dumps({"apiVersion": "v1", "kind": "Node"} | node))
            added += ["--add-node", f"{path}={count}"]
        return run("simulate", *RELEASE, *added).code

    assert simulated(zones) == 0
    for there in range(15):  # one node less does not do, wherever they are
        less = {"zone-a": there, "zone-b": 14 - there}
        assert simulated({zone: count for zone, count in less.items() if count}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--survive", "racks=1"), "'racks=1' is nothing to survive"),
        (("--headroom", "gpu=1"), "no node has any gpu"),
    ],
)
def test_mistakes(run, arguments, message):
    done = run("plan", *RELEASE, *PRICED, *arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((*RELEASE,), "no --catalogue says what can be bought", id="no catalogue"),
        pytest.param((*RELEASE, *PRICED, "--keep", "n1"), "--keep says what --shrink", id="keep"),
        pytest.param((*RUNNING, "--max-cost", "1"), "--max-cost is about what is bought", id="max cost"),
        pytest.param((*RUNNING, "--keep", "n9"), "there is no node 'n9'", id="no such node"),
        pytest.param((*RUNNING, *PRICED), "shapes[0].like: there is no node 'old-1'", id="no such model"),
    ],
)
def test_options_that_do_not_go_together(run, arguments, message):
    done = run("plan", *arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_what_can_go_is_drained_by_the_drain_verb(run):
    report = json.loads(run("plan", *RUNNING, *PRICES, "-o", "json").out)
    jsonschema.validate(report, shipped_schema(Consolidation))
    names = [node["name"] for node in report["nodes"]]

    assert run("drain", *RUNNING[1:], *names).code == 0
    for group in report["stays"]:
        if group["hold"] != "control-plane":
            assert run("drain", *RUNNING[1:], *names, *group["nodes"]).code == 1


def test_a_model_that_is_not_there(run):
    done = run("plan", *PRICED, "-c", "fixtures/zone-drain/cluster.yaml")

    assert (done.code, done.out) == (2, "")
    assert "fixtures/plan/catalogue.yaml, line 6: shapes[0].like: there is no node 'old-1'" in done.err


def test_nothing_to_buy(run):
    done = run("plan", "-c", "fixtures/plan/cluster.yaml", *PRICED)

    assert done.code == 0
    assert "nothing has to be bought" in done.out


@pytest.mark.parametrize(
    ("own", "asked", "offered"),
    [
        pytest.param({}, {"example.com/new": "1"}, {"example.com/new": "2"}, id="that no node has"),
        pytest.param(
            {"example.com/old": "3"}, {"example.com/new": "1"}, {"example.com/new": "2"}, id="another one"
        ),
        pytest.param(
            {"example.com/old": "8Ei"}, {"example.com/old": "1"}, {"example.com/old": "2"}, id="8Ei"
        ),
    ],
)
def test_resources_of_any_size_that_few_nodes_have(run, tmp_path, monkeypatch, own, asked, offered):
    monkeypatch.chdir(tmp_path)
    shape = {"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"} | offered}}
    catalogue = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Catalogue",
        "shapes": [{"name": "a", "node": shape, "pricePerHour": 1}],
    }
    Path("cluster.json").write_text(json.dumps(node("n1", more=own)))
    Path("pod.json").write_text(json.dumps(pod("p", cpu="1", more=asked)))
    Path("catalogue.json").write_text(json.dumps(catalogue))
    done = run("plan", "pod.json", "--catalogue", "catalogue.json", "-c", "cluster.json")
    assert done.code == 0, done.err
