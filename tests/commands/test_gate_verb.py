import json
import re
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import junitparser
import pytest
import yaml

from kschedctl.reports.gate.model import Gate
from kschedctl.reports.schema import shipped_schema
from kschedctl.whatif.scenarios.scenario import scenario_schema
from kschedctl.writers.sarif import RULES

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
PASSING, FAILING = "fixtures/gate-release/room.yaml", "fixtures/gate-release/tight.yaml"
CLUSTER = ("-c", "fixtures/release-shop/cluster.yaml")

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("gate-passing", (PASSING,), 0),
        ("gate-both", (PASSING, FAILING), 1),
        ("gate-markdown", (PASSING, FAILING, "-o", "markdown"), 1),
        ("gate-junit", (PASSING, FAILING, "-o", "junit"), 1),
        ("gate-github", (PASSING, FAILING, "-o", "github"), 1),
        ("gate-github-passing", (PASSING, "-o", "github"), 0),
        ("gate-quiet", (FAILING, "-q"), 1),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("gate", *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def scenario(tmp_path, **parts) -> str:
    """A scenario file; expectations and all else by name."""
    data = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "one"},
        "expectations": {"schedulable": "all"},
    } | parts
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(data))
    return str(path)


def test_junit_is_what_ci_systems_read(run):
    text = run("gate", PASSING, FAILING, "-o", "junit").out

    passing, failing = junitparser.JUnitXml.fromstring(text.encode())
    assert [passing.name, failing.name] == ["release with six nodes more", "release as it is"]
    assert (passing.tests, passing.failures, passing.errors) == (7, 0, 0)
    assert (failing.tests, failing.failures, failing.errors) == (6, 5, 0)
    outcomes = {case.name: case.is_passed for case in failing}
    assert outcomes["every pod of the manifests finds a node"]
    assert not outcomes["no pod is preempted"]
    (result,) = next(case for case in failing if case.name == "no pod is preempted").result
    assert isinstance(result, junitparser.Failure)
    assert "preempts shop/report-mmmmm" in result.message
    assert result.text.startswith("fixtures/release-shop/manifests/web.yaml:15: ")


def test_a_scenario_that_cannot_be_run_is_an_error_in_junit(run, tmp_path):
    path = scenario(tmp_path, changes=[{"drain": "w99"}])
    done = run("gate", path, FAILING, *CLUSTER, "-o", "junit")

    assert done.code == 2
    broken, other = junitparser.JUnitXml.fromstring(done.out.encode())
    assert (broken.tests, broken.failures, broken.errors) == (1, 0, 1)
    assert other.failures == 5
    (result,) = next(iter(broken)).result
    assert isinstance(result, junitparser.Error)
    assert "there is no node 'w99'" in result.message


def check_sarif(log):
    """What GitHub's code scanning needs of SARIF 2.1.0."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "kschedctl"
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", driver["semanticVersion"])
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "error"
        assert result["message"]["text"]
        assert re.fullmatch(r"[0-9a-f]{32}", result["partialFingerprints"]["kschedctl/v1"])
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert (ROOT / unquote(artifact["uri"])).is_file()
    return run


def test_sarif_points_at_files_and_lines(run):
    done = run("gate", PASSING, FAILING, "-o", "sarif")
    results = check_sarif(json.loads(done.out))["results"]

    assert done.code == 1
    places = {}
    for result in results:
        where = result["locations"][0]["physicalLocation"]
        places.setdefault(result["ruleId"], []).append(
            (where["artifactLocation"]["uri"], where["region"]["startLine"])
        )
    line = (ROOT / FAILING).read_text().splitlines().index("  maxPending: 0") + 1
    assert places["max-pending"] == [(FAILING, line)]
    assert places["no-preemption"] == [("fixtures/release-shop/manifests/web.yaml", 15)]
    assert places["on-nodes"] == [("fixtures/release-shop/manifests/search.yaml", 16)]
    assert len(places["survives"]) == 3


def test_sarif_without_findings_has_an_empty_list(run):
    done = run("gate", PASSING, "-o", "sarif")

    assert done.code == 0
    found = check_sarif(json.loads(done.out))
    assert found["results"] == []
    assert found["invocations"] == [{"executionSuccessful": True}]


def test_sarif_tells_what_could_not_be_run(run, tmp_path):
    done = run("gate", scenario(tmp_path, changes=[{"scale": "deploy/none=3"}]), *CLUSTER, "-o", "sarif")

    (invocation,) = json.loads(done.out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert "there is no Deployment none" in notification["message"]["text"]


def test_several_formats_at_once(run, tmp_path):
    outputs = {name: tmp_path / name for name in ("junit", "sarif", "github", "json", "markdown", "table")}
    options = [part for name, path in outputs.items() for part in ("--output-file", f"{name}={path}")]
    done = run("gate", FAILING, *options)

    assert done.out.startswith("✗ the only scenario is not as expected")
    assert junitparser.JUnitXml.fromfile(str(outputs["junit"])).failures == 5
    assert json.loads(outputs["sarif"].read_text())["version"] == "2.1.0"
    assert outputs["github"].read_text().count("::error ") == 7
    assert json.loads(outputs["json"].read_text())["kind"] == "Gate"
    assert outputs["markdown"].read_text().startswith("### ❌")


def test_json_follows_its_schema(run):
    report = json.loads(run("gate", PASSING, FAILING, "-o", "json").out)

    jsonschema.validate(report, shipped_schema(Gate))
    assert [s["passed"] for s in report["scenarios"]] == [True, False]


def test_the_schema_of_scenarios_is_one():
    jsonschema.Draft202012Validator.check_schema(scenario_schema())


def test_annotations_escape_what_would_end_them(run, tmp_path):
    path = scenario(
        tmp_path, metadata={"name": "a, b: 100%"}, expectations={"headroom": {"example.com/gpu": "5%"}}
    )
    done = run("gate", path, *CLUSTER, "-o", "github")

    assert "title=a%2C b%3A 100%25%3A 5 %25 of example.com/gpu stay free::no node has any" in done.out


@pytest.mark.parametrize(
    ("expectations", "code"),
    [
        ({"schedulable": "all"}, 0),
        ({"schedulable": ["shop/Deployment/web"]}, 0),
        ({"maxPending": 0}, 0),
        ({"noPreemption": True}, 1),
        ({"onNodes": [{"workload": "shop/deploy/web", "nodes": "*"}]}, 0),
        ({"onNodes": [{"workload": "shop/deploy/web", "nodes": "w1"}]}, 1),
        (
            {"spread": [{"workload": "shop/Deployment/web", "over": "kubernetes.io/hostname", "maxSkew": 1}]},
            0,
        ),
        ({"spread": [{"workload": "shop/Deployment/web", "over": "rack", "minDomains": 1}]}, 1),
        ({"headroom": {"cpu": "30%"}}, 0),
        ({"headroom": {"cpu": "31%"}}, 1),
        ({"drainable": "w1"}, 0),
        ({"drainable": "w2"}, 1),  # w1 is not there to take its pods
        ({"drainable": {"nodes": "*", "together": True}}, 1),
        ({"nodesNeeded": {"shape": "like=w2", "atMost": 0}}, 0),
        ({"cost": {"catalogue": str(ROOT / "fixtures/plan/catalogue.yaml"), "atMost": 0}}, 2),  # like old-1
        ({"noUnread": True}, 0),
        ({"survives": {"nodes": 1}}, 1),  # w1 is drained, and the volume of db-0 is in its zone
    ],
)
def test_expectations(run, tmp_path, expectations, code):
    path = scenario(tmp_path, changes=[{"drain": "w1"}], expectations=expectations)

    assert run("gate", path, *CLUSTER).code == code


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"expectations": {"scheduleable": "all"}},
            'expectations.scheduleable: unknown field; did you mean "sch',
        ),
        (
            {"changes": [{"drain": "a", "cordon": "b"}]},
            "changes[0]: expected one field, got cordon and drain",
        ),
        ({"kind": "Pod"}, "line 1: is a Pod, and not a Scenario"),
        ({"kind": None}, "line 1: has no kind, and is not a Scenario"),
        ({"rollout": "big bang"}, "rollout: expected recreate, rolling or add, got the string"),
    ],
)
def test_what_is_no_scenario_is_told_with_its_line(run, tmp_path, parts, message):
    done = run("gate", scenario(tmp_path, **parts), *CLUSTER)

    assert (done.code, done.out) == (2, "")
    assert re.search(r"scenario\.yaml, line \d+: ", done.err)
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--output-file", "junit"), "is no FORMAT=PATH"),
        (("--output-file", "pdf=a"), "is no FORMAT=PATH"),
        (("--output-file", "name=a"), "not available here"),
        (("--output-file", "junit=/nowhere/a.xml"), "cannot be written"),
        (("-o", "wide"), "'wide' is not one of table, json, yaml, markdown, html, junit, sarif, github"),
        (("missing.yaml",), "no such file"),
        (("fixtures",), "fixtures: is a directory; a file is expected here"),
    ],
)
def test_what_cannot_be_done(run, arguments, message):
    done = run("gate", FAILING, *arguments)

    assert done.code == 2
    assert message in done.err


def test_a_cluster_that_cannot_be_loaded_is_an_error_of_the_scenario(run, tmp_path):
    done = run("gate", scenario(tmp_path, cluster="nothing.yaml"), FAILING)

    assert done.code == 2
    assert "1 of 2 scenarios is not as expected, 1 of 2 scenarios could not be run" in done.out
    # A long path is folded wherever the line ends.
    assert "nothing.yaml: there is no such file".replace(" ", "") in "".join(done.out.split())


def test_two_nodes_at_once(run, tmp_path):
    path = scenario(tmp_path, expectations={"survives": {"nodes": 2}})
    report = json.loads(run("gate", path, *CLUSTER, "-o", "json").out)

    ((expectation,),) = (s["expectations"] for s in report["scenarios"])
    lost = [finding["message"].split(",")[0] for finding in expectation["findings"]]
    assert "when w1 and w2 fail" in lost  # nothing else reaches the volume of db-0


@pytest.mark.parametrize(
    ("effects", "nodes"),
    [
        pytest.param({}, ["a", "b", "c"], id="in flight where nothing is said"),
        pytest.param({"effects": "immediate"}, ["a", "a", "b"], id="immediate"),
    ],
)
def test_what_evictions_do_in_a_scenario(run, tmp_path, effects, nodes):
    folder = ROOT / "fixtures/in-flight"
    files = {"cluster": [str(folder / "cluster.yaml")], "manifests": [str(folder / "release.yaml")]}
    done = run("gate", scenario(tmp_path, **files, **effects), "-o", "json")

    (one,) = json.loads(done.out)["scenarios"]
    assert one["simulation"]["effects"] == effects.get("effects", "in-flight")
    assert sorted(victim["node"] for victim in one["simulation"]["evictions"]) == nodes
