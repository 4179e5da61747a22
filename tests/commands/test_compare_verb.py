import json
from pathlib import Path

import jsonschema
import pytest

from kschedctl.reports.compare.model import SideBySide
from kschedctl.reports.schema import shipped_schema

STORED = Path(__file__).parent / "golden"
SHOP = ("fixtures/release-shop/manifests", "-c", "fixtures/release-shop/cluster.yaml")

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("compare-versions", (*SHOP, "--kubernetes-version", "1.34", "--to-version", "1.36", "--anew"), 0),
        ("compare-change", (*SHOP, "--cordon", "w3"), 0),
        ("compare-fail", (*SHOP, "--cordon", "w3", "--fail-on-change", "-o", "name"), 1),
        ("compare-markdown", (*SHOP, "--to-version", "1.34", "--anew", "-o", "markdown"), 0),
        ("compare-same", (*SHOP, "--to-version", "1.36", "--fail-on-change"), 0),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("compare", *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def test_points_of_a_moved_pod_are_those_of_its_sides(run):
    """On each side the node that is taken has no fewer points than the other one, or the other one is rejected."""
    report = json.loads(run("compare", *SHOP, "--cordon", "w3", "-o", "json").out)
    jsonschema.validate(report, shipped_schema(SideBySide))

    whys = [why for moved in report["moved"] for why in moved["why"]]
    assert whys
    for why in whys:
        if why["rejected"]:
            assert (why["ahead"], why["plugins"]) == (None, {})
        else:
            assert why["ahead"] >= 0
            assert sum(why["plugins"].values()) == why["ahead"]


def test_another_cluster_and_another_configuration(run, tmp_path):
    config = tmp_path / "packed.yaml"
    config.write_text(
        json.dumps(
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": "KubeSchedulerConfiguration",
                "profiles": [
                    {
                        "pluginConfig": [
                            {
                                "name": "NodeResourcesFit",
                                "args": {
                                    "scoringStrategy": {
                                        "type": "MostAllocated",
                                        "resources": [{"name": "cpu", "weight": 1}],
                                    }
                                },
                            }
                        ]
                    }
                ],
            }
        )
    )
    zones = "fixtures/zone-drain/cluster.yaml"
    report = json.loads(
        run("compare", "-c", zones, "--to-scheduler-config", str(config), "--anew", "-o", "json").out
    )
    now, packed = report["sides"]
    assert (now["label"], packed["label"]) == ("now", "packed.yaml")
    assert packed["nodesUsed"] <= now["nodesUsed"]
    assert not report["same"]

    report = json.loads(run("compare", "-c", zones, "--to-cluster", SHOP[2], "-o", "json").out)
    assert [side["cluster"]["source"] for side in report["sides"]] == [[zones], [SHOP[2]]]


def test_nothing_to_compare_with(run):
    done = run("compare", *SHOP)

    assert (done.code, done.out) == (2, "")
    assert "there is nothing to compare with" in done.err
