import json
from pathlib import Path

import jsonschema
import pytest

from kschedctl.reports.drain.model import Drain
from kschedctl.reports.schema import shipped_schema

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
ZONES = ("-c", "fixtures/zone-drain/cluster.yaml")
SHOP = ("-c", "fixtures/release-shop/cluster.yaml")
ZONE = "topology.kubernetes.io/zone"

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("drain-zone", (f"{ZONE}=b", *ZONES), 0),
        ("drain-timeline", ("w3", "w4", *SHOP, "--timeline"), 1),
        ("drain-deadlock", ("a08", f"{ZONE}=c", *ZONES), 1),
        ("drain-forced", (f"{ZONE}=c", *ZONES, "--force", "--delete", "prod/pdb/cache", "-o", "wide"), 0),
        ("drain-volume", ("w3", "w4", *SHOP), 1),
        ("drain-markdown", ("w3", "w4", *SHOP, "-o", "markdown"), 1),
        ("drain-evictions-markdown", ("w1", *SHOP, "--label", "w5 disk=ssd", "-o", "markdown"), 0),
        ("drain-name", ("w3", "w4", *SHOP, "-o", "name"), 1),
        ("drain-room-made", ("w3", "w4", *SHOP, "--add-node", "like=w3"), 0),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("drain", *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


BARE = "{apiVersion: v1, kind: Pod, metadata: {name: bare-%d}, spec: {nodeName: n1, containers: [{name: c}]}}"
NODE = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 9}}}"


@pytest.mark.parametrize(
    ("bare", "told"),
    [
        (1, "✓ n1 can be drained: 1 pod in 1 wave; 1 without a controller is lost (--force)"),
        (2, "✓ n1 can be drained: 2 pods in 1 wave; 2 without a controller are lost (--force)"),
    ],
)
def test_a_forced_drain_says_what_it_costs(run, tmp_path, bare, told):
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("\n---\n".join([NODE, *(BARE % i for i in range(bare))]))
    done = run("drain", "n1", "-c", str(cluster), "--force", "-q")

    assert (done.code, done.out.strip()) == (0, told)


def test_json_follows_its_schema(run):
    report = json.loads(run("drain", "a08", *ZONES, "-o", "json").out)

    jsonschema.validate(report, shipped_schema(Drain))
    assert report["possible"] is False
    assert [d["budget"] for d in report["deadlocks"]] == ["prod/cache"]


def test_an_unknown_node_is_told(run):
    done = run("drain", "b11", *ZONES)

    assert (done.code, done.out) == (2, "")
    assert "there is no node 'b11'" in done.err


def test_nodes_by_labels_as_kubectl_takes_them(run):
    plain = run("drain", "topology.kubernetes.io/zone=b", *ZONES)
    assert run("drain", "-l", "topology.kubernetes.io/zone=b", *ZONES) == plain
    assert run("drain", "--selector=topology.kubernetes.io/zone=b", *ZONES) == plain


@pytest.mark.parametrize("option", ["--ignore-daemonsets", "--delete-emptydir-data", "--dry-run=server"])
def test_what_kubectl_wants_said_is_so_anyway(run, option):
    assert run("drain", "a08", *ZONES, option) == run("drain", "a08", *ZONES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: no node to drain is named\nhint: Write drain NODE, or drain -l KEY=VALUE.\n"),
        (("a08,b01",), "hint: a08, b01: name each node on its own, as in `drain n1 n2`"),
    ],
)
def test_nodes_that_are_named_otherwise(run, arguments, message):
    done = run("drain", *arguments, *ZONES)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("effects", ["in-flight", "immediate"])
def test_the_report_says_what_evictions_do(run, effects):
    done = run("drain", "w1", "-c", "fixtures/release-shop/cluster.yaml", "--effects", effects, "-o", "json")

    assert json.loads(done.out)["effects"] == effects
