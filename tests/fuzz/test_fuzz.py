"""Some hostile inputs of each generator in every run; the same ones, and no more than half a minute of them."""

import random

import pytest

from .__main__ import main
from .campaign import campaign, generators
from .mutation import damaged_bytes, damaged_tree
from .program import Done, violations
from .seeds import seeds
from .values import Maker, any_kind

INPUTS = {"typed": 100, "damaged": 100, "read": 700, "bytes": 700, "served": 25}


@pytest.mark.parametrize("name", generators())
def test_nothing_breaks(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    tally = campaign([name], range(INPUTS[name]), tmp_path)
    assert tally.inputs[name] == INPUTS[name]
    assert tally.findings == []


@pytest.mark.parametrize("name", ["typed", "damaged"])
def test_inputs_reach_an_answer(tmp_path, monkeypatch, name):
    """What is refused at the door tries little."""
    monkeypatch.chdir(tmp_path)
    tally = campaign([name], range(40), tmp_path)
    assert tally.codes[0] + tally.codes[1] >= 8


def test_a_number_is_always_the_same_input():
    def made(number):
        rng = random.Random(number)
        seed = rng.choice(seeds())
        tree = damaged_tree(rng, seed.cluster, 3)
        return tree, damaged_bytes(rng, b"abc" * 100, 5), Maker(rng, 0.05).top_level(any_kind(rng))

    assert made(7) == made(7)
    assert made(7) != made(8)


def test_fields_of_a_type_without_any_are_left_as_they_are():
    group = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"schedulingPolicy": {"basic": {"unknown": 1}}},
    }
    changed = [Maker(random.Random(number), 0.0).changed(group)["spec"] for number in range(100)]
    assert group["spec"] in changed
    assert any(spec != group["spec"] for spec in changed)


@pytest.mark.parametrize(
    ("done", "output", "what"),
    [
        pytest.param(Done(0, "{}", "", 0.1), "json", [], id="an answer"),
        pytest.param(Done(2, "", "error: x", 0.1), "table", [], id="an error"),
        pytest.param(Done(2, "", "", 0.1), "table", ["exit code 2 without a word"], id="silence"),
        pytest.param(Done(3, "", "x", 0.1), "table", ["exit code 3"], id="another exit code"),
        pytest.param(
            Done(2, "", "error: internal error: X", 0.1), "table", ["error: internal error: X"], id="internal"
        ),
        pytest.param(Done(0, "a\x1b", "", 0.1), "table", ["prints \\u{1b} as it is"], id="an escape"),
        pytest.param(Done(124, "", "x", 20.0), "table", ["does not end within 20 s"], id="no end"),
    ],
)
def test_what_counts_as_broken(done, output, what):
    assert violations(done, output) == what


def test_by_hand(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--only", "bytes", "--number", "17"]) == 0
    assert "1 inputs in" in capsys.readouterr().out
