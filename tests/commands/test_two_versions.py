"""`--kubernetes-version A,B`: what two versions of kube-scheduler answer otherwise."""

import json
from pathlib import Path

import jsonschema
import pytest

from kschedctl.reports.schema import shipped_schema
from kschedctl.reports.versions.model import ExplanationVersions, SimulationVersions

STORED = Path(__file__).parent / "golden"
GANG = ("explain", "fixtures/gang/racks.yaml", "-c", "fixtures/gang/cluster.yaml")
QUICK = ("-c", "fixtures/quickstart/cluster.yaml")
PODS = ("explain", "fixtures/quickstart/pod.yaml", "fixtures/quickstart/trainer.yaml", *QUICK)
TIE = ("explain", "fixtures/explain-tie/pod.yaml", "-c", "fixtures/explain-tie/cluster.yaml")
DEVICES = ("explain", "fixtures/dra-old-and-new/pod.yaml", "-c", "fixtures/dra-old-and-new/cluster.yaml")
RELEASE = ("simulate", "-c", "fixtures/release-shop/cluster.yaml", "-f", "fixtures/release-shop/manifests")

pytestmark = pytest.mark.usefixtures("in_the_root")


def of(versions: str) -> tuple[str, str]:
    return "--kubernetes-version", versions


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("pods", (*PODS, *of("1.34,1.37")), 1),
        ("pods-markdown", (*PODS, *of("1.34,1.37"), "-o", "markdown"), 1),
        ("alike", (*TIE, *of("1.36,1.37")), 0),
        ("groups", (*GANG, *of("1.36,1.37")), 0),
        ("fault", (*DEVICES, *of("1.35,1.37")), 2),
        ("release", (*RELEASE, *of("1.34,1.37")), 1),
        (
            "many",
            ("simulate", "-c", "fixtures/zone-drain/cluster.yaml", "--remove-node", "a01", *of("1.34,1.37")),
            0,
        ),
    ],
)
def test_the_answer_is_printed_as_stored(run, golden, name, arguments, code):
    done = run(*arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"versions-{name}.txt", done.out)


def test_both_answers_are_in_json_with_what_differs(run):
    done = json.loads(run(*PODS, *of("1.34, 1.37.2"), "-o", "json").out)
    jsonschema.validate(done, shipped_schema(ExplanationVersions))
    web, trainer = done["items"]
    assert web["versions"] == ["1.34", "1.37.2"]
    assert web["selectedNodes"] == ["worker-5", "worker-5"]
    assert [node["node"] for node in web["nodes"]] == ["worker-5", "worker-7"]
    assert web["nodes"][0]["plugins"] == {"NodeResourcesBalancedAllocation": [85, 72]}
    assert [one["scheduler"]["version"] for one in web["answers"]] == web["versions"]
    assert [text.endswith("preempting 1 victims") for text in trainer["events"]] == [False, True]


def test_a_simulation_in_two_versions_has_both_answers(run):
    done = json.loads(run(*RELEASE, *of("1.34,1.37"), "-o", "json").out)
    jsonschema.validate(done, shipped_schema(SimulationVersions))
    assert (done["wanted"], done["placed"]) == ([11, 11], [10, 10])
    assert len(done["answers"]) == 2


def test_manifests_from_stdin_are_read_once(run):
    pod = Path("fixtures/quickstart/pod.yaml").read_bytes()
    done = run("explain", "-", *QUICK, *of("1.34,1.37"), stdin=pod)
    assert done.out.startswith("! shop/web-5 goes to worker-5 in 1.34 and in 1.37, but not all is the same\n")


def test_pending_pods_are_asked_about_in_both(run):
    pending = [f"-c=fixtures/quickstart/{name}.yaml" for name in ("cluster", "pod", "trainer")]
    both = json.loads(run("explain", *pending, *of("1.34,1.37"), "-o", "json").out)
    assert [one["pod"]["name"] for one in both["items"]] == ["trainer", "web-5"]
    assert [one["outcomes"] for one in both["items"]] == [["Unschedulable"] * 2, ["Scheduled"] * 2]


@pytest.mark.parametrize("versions", ["1.34,1.36,1.37", "1.34,", ","])
def test_two_versions_are_two(run, versions):
    done = run(*PODS, *of(versions))
    assert done.code == 2
    assert "is not two versions" in done.err


@pytest.mark.parametrize("verb", ["preempt", "capacity"])
def test_other_verbs_ask_one_version(run, verb):
    done = run(verb, "fixtures/quickstart/pod.yaml", *QUICK, *of("1.34,1.37"))
    assert done.code == 2
    assert "explain and simulate compare the answers of two" in done.err
