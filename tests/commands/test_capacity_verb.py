import json
from pathlib import Path

import jsonschema
import pytest

from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.schema import shipped_schema

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
CLUSTER = ("-c", "fixtures/release-shop/cluster.yaml")
WEB = ("deployment/web", "-n", "shop", *CLUSTER)
BOTH = ("fixtures/release-shop/manifests", *CLUSTER, "--proportions", "1:3")

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("capacity-web", WEB, 0),
        ("capacity-many", ("fixtures/plan/release.yaml", "-c", "fixtures/plan/cluster.yaml",
                           "--proportions", "replicas", "--add-node", "like=old-1=40"), 0),
        ("capacity-target-met", (*WEB, "--target", "5", "-q"), 0),
        ("capacity-target", (*WEB, "--target", "20", "--shape", "like=w1", "--headroom", "cpu=10%"), 1),
        ("capacity-sets", (*BOTH, "--add-node", "like=w1=3"), 0),
        ("capacity-no-help", ("deploy/web", "-n", "shop", *CLUSTER, "--headroom", "cpu=95%", "--target", "1",
                              "--shape", "like=w1"), 1),
        ("capacity-wide", (*WEB, "-o", "wide"), 0),
        ("capacity-markdown", (*WEB, "-o", "markdown"), 0),
        ("capacity-no-help-markdown", ("deploy/web", "-n", "shop", *CLUSTER, "--headroom", "cpu=95%", "--target", "1",
                                       "--shape", "like=w1", "--cordon", "w6", "-o", "markdown"), 1),
        ("capacity-name", (*WEB, "-o", "name"), 0),
        ("capacity-limit", (*WEB, "--limit", "2"), 0),
    ],
)  # fmt: skip
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("capacity", *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def test_json_follows_its_schema(run):
    report = json.loads(run("capacity", *BOTH, "--target", "9", "--shape", "like=w1", "-o", "json").out)

    jsonschema.validate(report, shipped_schema(Capacity))
    assert [pod["fits"] for pod in report["pods"]] == [report["sets"], 3 * report["sets"]]
    assert sum(sum(node["fits"]) for node in report["nodes"]) == 4 * report["sets"]


def test_a_running_pod_can_be_multiplied(run):
    done = run("capacity", "pod/report-mmmmm", "-n", "shop", *CLUSTER, "-o", "json")

    assert json.loads(done.out)["sets"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is no pod to ask for"),
        (("deployment/web",), "there is no Deployment web in namespace default"),
        (("service/web",), "there is no Service web"),
        (("poddisruptionbudget/db", "-n", "shop"), "is neither a pod nor a workload"),
        (("daemonset/agent", "-n", "shop"), "Its pods are there already"),
        (("deployment/web", "-n", "shop", "--shape", "like=w1"), "--shape needs a --target"),
        (
            ("deployment/web", "-n", "shop", "--target", "2", "--shape", "w1"),
            "shape 'w1': there is no file w1",
        ),
        (("deployment/web", "-n", "shop", "--proportions", "1:2"), "2 proportions for 1 kinds of pods"),
        (("deployment/web", "-n", "shop", "--proportions", "a"), "are no proportions"),
        (("deployment/web", "-n", "shop", "--headroom", "cpu"), "is no headroom"),
        (("deployment/web", "-n", "shop", "--headroom", "mem=2Gi"), "headroom mem=2Gi: no node has any mem"),
        (
            ("deployment/web", "-n", "shop", "--headroom", "mem=2Gi"),
            "Did you mean memory? The nodes have cpu, memory,",
        ),
        (("deployment/web", "-n", "shop", "--headroom", "gpu=1"), "The nodes have cpu, memory, pods."),
        (("deployment/web", "-n", "shop", "--target", "2", "--shape", "like=w9"), "there is no node 'w9'"),
        (("deployment/web", "-n", "shop", "--target", "99", "--shape", "like=w9"), "there is no node 'w9'"),
        (("deployment/web", "-n", "shop", "--target", "-1"), "-1 is no target"),
        (("deployment/web", "-n", "shop", "--target", "0"), "Write how many more are to fit, 1 at least."),
    ],
)
def test_what_cannot_be_done(run, arguments, message):
    done = run("capacity", *arguments, *CLUSTER)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_headroom_of_what_only_a_shape_has(run, tmp_path):
    shape = tmp_path / "shape.yaml"
    shape.write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: gpu}, "
        "status: {allocatable: {cpu: 8, memory: 16Gi, pods: 20, example.com/gpu: 4}}}"
    )
    more = ("--target", "20", "--shape", str(shape), "--headroom", "example.com/gpu=1")

    assert run("capacity", *WEB, *more).code == 1


def test_replicas_are_the_proportions_of_a_set(run):
    shop = ("fixtures/release-shop/manifests", *CLUSTER, "-o", "json")
    asked = json.loads(run("capacity", *shop, "--proportions", "replicas").out)["pods"]
    assert {pod["source"]: pod["share"] for pod in asked} == {
        "shop/StatefulSet/search": 2,
        "shop/Deployment/web": 8,
    }

    done = run("capacity", *shop, "--proportions", "replica")
    assert (done.code, done.out) == (2, "")
    assert "Write 3:1, in the order of the pods, or replicas." in done.err


DAEMONS = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent2, namespace: shop}
spec:
  selector: {matchLabels: {app: agent2}}
  template:
    metadata: {labels: {app: agent2}}
    spec:
      containers: [{name: c, image: app, resources: {requests: {cpu: 900m}}}]
---
"""


def test_daemons_of_manifests_take_their_part_first(run, tmp_path):
    path = tmp_path / "release.yaml"
    web = (ROOT / "fixtures/release-shop/manifests/web.yaml").read_text()
    sets = {}
    for name, text in (("web", web), ("with daemons", DAEMONS + web)):
        path.write_text(text)
        sets[name] = json.loads(run("capacity", str(path), *CLUSTER, "-o", "json").out)

    assert [pod["source"] for pod in sets["with daemons"]["pods"]] == ["shop/Deployment/web"]
    assert sets["with daemons"]["daemons"] == [
        {"workload": "shop/DaemonSet/agent2", "placed": 3, "wanted": 6}
    ]
    assert sets["with daemons"]["sets"] < sets["web"]["sets"]


def test_daemons_alone_are_not_multiplied(run, tmp_path):
    path = tmp_path / "daemons.yaml"
    path.write_text(DAEMONS)
    done = run("capacity", str(path), *CLUSTER)

    assert done.code == 2
    assert "runs once on each node" in done.err
    assert f"kschedctl simulate -f {path} tells which nodes take it" in " ".join(done.err.split())
