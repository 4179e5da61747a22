"""`kschedctl explain` of pods that are scheduled with their group: what is printed, and what JSON says."""

import json
from pathlib import Path

import jsonschema
import pytest

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.schema import shipped_schema

STORED = Path(__file__).parent / "golden"
GANGS = ("--feature-gates", "GangScheduling=true")
TOPOLOGY = ("--feature-gates", "TopologyAwareWorkloadScheduling=true")

pytestmark = pytest.mark.usefixtures("in_the_root")


def of(name: str, *more: str) -> tuple[str, ...]:
    return ("explain", f"fixtures/gang/{name}.yaml", "-c", "fixtures/gang/cluster.yaml", *more)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("fits", of("fits"), 0),
        ("fits-markdown", of("fits", "-o", "markdown"), 0),
        ("too-big", of("too-big"), 1),
        ("too-big-wide", of("too-big", "-o", "wide"), 1),
        ("too-big-1-36", of("too-big", "--kubernetes-version", "1.36", *GANGS), 1),
        ("without-gangs-1-36", of("too-big", "--kubernetes-version", "1.36", "-q"), 1),
        ("preempts", of("preempts"), 1),
        ("racks", of("racks", *TOPOLOGY), 0),
        ("job", of("job"), 0),
        ("too-few", of("too-few"), 1),
        ("no-group", of("no-group"), 1),
    ],
)
def test_the_answer_is_printed_as_stored(run, golden, name, arguments, code):
    done = run(*arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"explain-gang-{name}.txt", done.out)
    if "markdown" not in arguments:
        assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", ["explain", "simulate"])
@pytest.mark.parametrize(
    ("gates", "codes"),
    [
        pytest.param((), {"group-field-dropped", "pod-group-empty"}, id="the constraint is dropped"),
        pytest.param(TOPOLOGY, {"pod-group-empty"}, id="it is kept"),
        pytest.param(("--feature-gates", "GenericWorkload=false"), set(), id="there are no groups"),
    ],
)
def test_what_manifests_say_of_groups_to_no_effect_is_told(run, verb, gates, codes):
    files = ("-f", "fixtures/gang/job.yaml", "-c", "fixtures/gang/cluster.yaml", "-o", "json", *gates)
    caveats = json.loads(run(verb, *files).out)["cluster"]["caveats"]
    assert {c["code"] for c in caveats} & {"group-field-dropped", "pod-group-empty"} == codes


def groups_of(run, *arguments: str):
    done = json.loads(run(*arguments, "-o", "json").out)
    jsonschema.validate(done, shipped_schema(Explanation))
    return [item["group"] for item in done.get("items", [done])]


def test_every_member_has_its_group_in_json(run):
    found = groups_of(run, *of("too-big"))
    assert len(found) == 4
    assert all(group == found[0] for group in found)
    group = found[0]
    assert {name: group[name] for name in ("kind", "name", "minimum", "known", "running", "outcome")} == {
        "kind": "PodGroup",
        "name": "ml/train",
        "minimum": 4,
        "known": 4,
        "running": 0,
        "outcome": "Unschedulable",
    }
    assert [(member["pod"], member["node"], member["tried"]) for member in group["members"]] == [
        ("ml/train-0", "b2", True),
        ("ml/train-1", None, True),
        ("ml/train-2", None, False),
        ("ml/train-3", None, False),
    ]


def test_victims_and_placements_are_in_json(run):
    assert groups_of(run, *of("preempts"))[0]["victims"] == ["ml/batch-0", "ml/web-0", "ml/web-1"]
    racks = groups_of(run, *of("racks", *TOPOLOGY))[0]
    assert (racks["topologyKey"], racks["placement"]) == ("rack", "b")
    assert [(one["name"], one["feasible"]) for one in racks["placements"]] == [("a", False), ("b", True)]


def test_a_pod_of_no_group_has_none_in_json(run):
    assert groups_of(
        run, "explain", "fixtures/quickstart/pod.yaml", "-c", "fixtures/quickstart/cluster.yaml"
    ) == [None]


@pytest.mark.parametrize(("name", "exists", "known"), [("too-few", True, 2), ("no-group", False, 1)])
def test_a_group_that_is_not_tried_says_what_is_there(run, name, exists, known):
    group = groups_of(run, *of(name))[0]
    assert (group["outcome"], group["exists"], group["known"]) == ("Gated", exists, known)
