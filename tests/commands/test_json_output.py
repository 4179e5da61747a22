"""What every command prints with `-o json` has a schema in the package, by which it is valid."""

import json
from importlib.resources import files

import jsonschema
import pytest
import yaml

from kschedctl.conformance.golden_files import SHIPPED

QUICKSTART = "fixtures/quickstart"
CLUSTER = ("-c", f"{QUICKSTART}/cluster.yaml")
SHOP = "fixtures/release-shop"
GOLDEN = str(SHIPPED / "1.34" / "misc.jsonl.gz")
REPORTS = "kschedctl.reports", "schemas"
RUNS = {
    "explain": ("Explanation", "explain", f"{QUICKSTART}/pod.yaml", *CLUSTER),
    "explain several": (
        "List of Explanation",
        "explain",
        f"{QUICKSTART}/pod.yaml",
        f"{QUICKSTART}/trainer.yaml",
        *CLUSTER,
    ),
    "preempt": ("Preemption", "preempt", f"{QUICKSTART}/trainer.yaml", *CLUSTER),
    "preempt several": (
        "List of Preemption",
        "preempt",
        f"{QUICKSTART}/pod.yaml",
        f"{QUICKSTART}/trainer.yaml",
        *CLUSTER,
    ),
    "simulate": ("Simulation", "simulate", f"{SHOP}/manifests", "-c", f"{SHOP}/cluster.yaml"),
    "simulate in detail": (
        "Simulation",
        "simulate",
        f"{SHOP}/manifests",
        "-c",
        f"{SHOP}/cluster.yaml",
        "--detail",
    ),
    "explain in two versions": (
        *("ExplanationVersions", "explain", f"{QUICKSTART}/pod.yaml", *CLUSTER),
        *("--kubernetes-version", "1.36,1.37"),
    ),
    "simulate in two versions": (
        *("SimulationVersions", "simulate", f"{SHOP}/manifests", "-c", f"{SHOP}/cluster.yaml"),
        *("--kubernetes-version", "1.36,1.37"),
    ),
    "drain": ("Drain", "drain", "topology.kubernetes.io/zone=b", "-c", "fixtures/zone-drain/cluster.yaml"),
    "capacity": (
        *("Capacity", "capacity", f"{QUICKSTART}/pod.yaml", *CLUSTER),
        *("--target", "20", "--shape", "like=worker-1"),
    ),
    "compare": ("SideBySide", "compare", f"{SHOP}/manifests", "-c", f"{SHOP}/cluster.yaml", "--cordon", "w3"),
    "plan": (
        *("NodePlan", "plan", "fixtures/plan/release.yaml", "-c", "fixtures/plan/cluster.yaml"),
        *("--catalogue", "fixtures/plan/one-shape.yaml"),
    ),
    "plan --shrink": ("Consolidation", "plan", "--shrink", "-c", "fixtures/plan-shrink/cluster.yaml"),
    "sweep": ("SweepReport", "sweep", "fixtures/sweep/sweep.yaml"),
    "gate": ("Gate", "gate", "fixtures/gate-release/room.yaml", "fixtures/gate-release/tight.yaml"),
    "conformance": ("ConformanceReport", "conformance", GOLDEN),
    "config validate": ("ConfigurationVerdict", "config", "validate"),
    "snapshot info": ("SnapshotInfo", "snapshot", "info", f"{SHOP}/cluster.yaml"),
    "snapshot diff": (
        *("SnapshotDiff", "snapshot", "diff"),
        *(f"{SHOP}/cluster.yaml", f"{QUICKSTART}/cluster.yaml"),
    ),
}

pytestmark = pytest.mark.usefixtures("in_the_root")


def schema(package, *path):
    return json.loads(files(package).joinpath(*path).read_text())


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("output", ["json", "yaml"])
def test_reports_are_valid_by_their_schemas(run, name, output):
    kind, *arguments = RUNS[name]
    done = run(*arguments, "-o", output)
    assert done.code in (0, 1)
    report = yaml.load(done.out, Loader=yaml.CSafeLoader)
    item = kind.removeprefix("List of ")
    assert report["kind"] == ("List" if item != kind else kind)
    assert report["apiVersion"] == "kschedctl.dev/v1alpha1"
    found = schema(*REPORTS, f"{item.lower()}.schema.json")
    jsonschema.Draft202012Validator(found).validate(report)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(found).validate({**report, "kind": 1})


def test_a_refused_configuration_is_valid_too(run):
    bad = b"kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\nparallelism: 0\n"
    done = run("config", "validate", "-", "-o", "json", stdin=bad)
    assert done.code == 1
    jsonschema.validate(json.loads(done.out), schema(*REPORTS, "configurationverdict.schema.json"))


def test_the_effective_configuration_is_valid_by_the_schema_of_configurations(run):
    shown = json.loads(run("config", "view", "-o", "json").out)
    jsonschema.validate(shown, schema("kschedctl.framework", "scheduler-configuration.schema.json"))


def test_a_role_is_one_of_kubernetes(run):
    role = json.loads(run("snapshot", "rbac", "-o", "json").out)
    assert (role["apiVersion"], role["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRole")


def test_every_shipped_schema_is_tried_here():
    shipped = [file.name for file in files("kschedctl.reports").joinpath("schemas").iterdir()]
    tried = {kind.removeprefix("List of ").lower() for kind, *_ in RUNS.values()}
    assert sorted(shipped) == sorted(f"{kind}.schema.json" for kind in tried)
