"""What is wrong with a scenario file, in words of ours: the field, what belongs there, what is there."""

import pytest
import yaml

from kschedctl.errors import InputErrors, KschedError, UsageError
from kschedctl.whatif.scenarios.scenario import load_scenarios

FINE = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "release"},
    "expectations": {"schedulable": "all"},
}
EXPECTATIONS = (
    "schedulable, maxPending, noPreemption, drainable, nodesNeeded, cost, noUnread, onNodes, spread, headroom "
    "or survives"
)


def problems_of(tmp_path, *, expectations=None, **parts):
    path = tmp_path / "scenario.yaml"
    data = FINE | parts | ({} if expectations is None else {"expectations": expectations})
    path.write_text(yaml.safe_dump({k: v for k, v in data.items() if v != "absent"}, sort_keys=False))
    try:
        load_scenarios([str(path)])
    except InputErrors as errors:
        return [f"{error.place.field}: {error.message}" for error in errors.problems]
    except KschedError as error:
        return [f"{error.place.field}: {error.message}"]
    return []


def test_a_scenario_without_problems(tmp_path):
    assert problems_of(tmp_path) == []


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"manifest": ["a"]}, 'manifest: unknown field; did you mean "manifests"?'),
        ({"apiVersion": "v1"}, 'apiVersion: expected kschedctl.dev/v1alpha1, got the string "v1"'),
        ({"metadata": {}}, "metadata.name: missing; expected a string such as release"),
        ({"metadata": "x"}, 'metadata: expected a mapping, got the string "x"'),
        ({"expectations": "absent"}, f"expectations: missing; expected a mapping with {EXPECTATIONS}"),
        (
            {"manifests": "release/"},
            'manifests: expected a list such as [release/], got the string "release/"',
        ),
        ({"namespace": 7}, "namespace: expected a string, got the number 7; put quotes around it"),
        (
            {"cluster": 3},
            "cluster: expected a string such as release/ or a list such as [release/], got the number 3",
        ),
        ({"failMode": "away"}, 'failMode: expected gone or unreachable, got the string "away"'),
        ({"preemption": "no"}, 'preemption: expected true or false, got the string "no"'),
    ],
)
def test_fields_of_a_scenario(tmp_path, parts, told):
    assert problems_of(tmp_path, **parts) == [told]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"drian": "n1"}, 'changes[0].drian: unknown field; did you mean "drain"?'),
        (
            {"drain": 3},
            "changes[0].drain: expected a string such as n4 or zone=eu-1b, got the number 3; put quotes around it",
        ),
        ({"patch": 3}, "changes[0].patch: expected a string such as release/ or a mapping, got the number 3"),
        (
            {"drain": "a", "cordon": "b"},
            'changes[0]: expected one field, got drain and cordon; start each with "- "',
        ),
    ],
)
def test_changes(tmp_path, change, told):
    assert problems_of(tmp_path, changes=[change]) == [told]


@pytest.mark.parametrize(
    ("expectations", "told"),
    [
        ({}, [f"expectations: expected a mapping with {EXPECTATIONS}, got an empty one"]),
        (
            {"schedulable": "some"},
            [
                "expectations.schedulable: expected all, manifests or a list such as [deployment/web], "
                'got the string "some"'
            ],
        ),
        (
            {"schedulable": []},
            ["expectations.schedulable: expected a list such as [deployment/web], got an empty one"],
        ),
        (
            {"schedulable": ["web", 3]},
            [
                'expectations.schedulable[0]: expected a string such as deployment/web, got the string "web"',
                "expectations.schedulable[1]: expected a string such as deployment/web, got the number 3",
            ],
        ),
        (
            {"maxPending": "0"},
            [
                'expectations.maxPending: expected a whole number from 0 to 2147483647, got the string "0"; '
                "write it without quotes"
            ],
        ),
        (
            {"noPreemption": False},
            ["expectations.noPreemption: expected true (or leave it out), got the boolean false"],
        ),
        (
            {"headroom": {"cpu": 25}},
            ["expectations.headroom.cpu: expected a string such as 25%, got the number 25"],
        ),
        (
            {"survives": {"nodes": 5}},
            ["expectations.survives.nodes: expected a whole number from 1 to 2, got the number 5"],
        ),
        (
            {"spread": [{"workload": "deployment/web", "over": "zone"}]},
            [
                "expectations.spread[0]: expected a mapping with maxSkew or minDomains, "
                "got a mapping with workload and over"
            ],
        ),
        (
            {"onNodes": [{}]},
            [
                "expectations.onNodes[0].workload: missing; expected a string such as deployment/web",
                "expectations.onNodes[0].nodes: missing; expected a string such as n4 or zone=eu-1b",
            ],
        ),
        ({"zorp": 1}, [f"expectations.zorp: unknown field; expected {EXPECTATIONS}"]),
    ],
)
def test_expectations(tmp_path, expectations, told):
    found = problems_of(tmp_path, expectations=expectations)

    assert [text for text in found if not text.startswith("expectations: expected") or text in told] == told


@pytest.mark.parametrize(
    "patch", [{}, {"kind": "Node"}, {"kind": "Node", "metadata": 5}, {"metadata": {"name": "n1"}}], ids=str
)
def test_a_patch_says_of_what_it_is_one(tmp_path, patch):
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(FINE | {"changes": [{"patch": patch}]}))
    (scenario,) = load_scenarios([str(path)])
    with pytest.raises(UsageError, match="a patch is an object with kind and"):
        scenario.parsed_changes()
    assert scenario.change_texts()[0].startswith("patch ")
