"""How many groups of pods fit: every set is a group of its own, placed at once or not at all."""

import json
from pathlib import Path

import pytest

STORED = Path(__file__).parent / "golden"
CLUSTER = ("-c", "fixtures/gang/cluster.yaml")
TOPOLOGY = ("--feature-gates", "TopologyAwareWorkloadScheduling=true")

pytestmark = pytest.mark.usefixtures("in_the_root")


def gang(name, *more):
    return ("capacity", f"fixtures/gang/{name}.yaml", *CLUSTER, *more)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("fits", gang("fits"), 0),
        ("too-big", gang("too-big"), 1),
        ("job", gang("job", *TOPOLOGY), 0),
        ("no-group", gang("no-group"), 1),
        ("target", gang("fits", "--target", "3", "--shape", "like=b2"), 1),
    ],
)
def test_it_is_printed_as_stored(run, golden, name, arguments, code):
    done = run(*arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"capacity-gang-{name}.txt", done.out)


def answer(run, *arguments):
    return json.loads(run(*arguments, "-o", "json").out)


def test_a_group_that_is_confined_to_a_rack_fills_one(run):
    found = answer(run, *gang("job", *TOPOLOGY))
    assert (found["sets"], found["group"]) == (1, "ml/train")
    assert [pod["share"] for pod in found["pods"]] == [3], "minCount pods of the job"
    assert {node["name"] for node in found["nodes"] if node["fits"] != [0]} == {"b1", "b2"}


def test_nobody_is_evicted_for_a_group_that_could_preempt(run):
    found = answer(run, *gang("preempts"))
    assert (found["sets"], found["blocking"]) == (0, "ml/Pod/train-1")


def test_proportions_say_how_large_a_group_is(run):
    found = answer(run, *gang("job", "--proportions", "2"))
    assert [pod["share"] for pod in found["pods"]] == [2]
    assert found["sets"] == 0, "fewer than minCount are never tried"
    assert found["message"].startswith("waiting for minCount pods")


@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_groups_are_counted_in_both_versions_that_have_them(run, version):
    gates = "GenericWorkload=true,GangScheduling=true" if version == "1.36" else "GenericWorkload=true"
    found = answer(run, *gang("fits", "--kubernetes-version", version, "--feature-gates", gates))
    assert found["sets"] == 1
    codes = {caveat["code"] for caveat in found["cluster"]["caveats"]}
    assert "pod-groups-not-evaluated" not in codes


def test_without_the_gate_pods_are_counted(run):
    found = answer(run, *gang("job", "--feature-gates", "GenericWorkload=false"))
    assert (found["group"], found["sets"]) == (None, 5)
    assert "pod-groups-dropped" in {caveat["code"] for caveat in found["cluster"]["caveats"]}
