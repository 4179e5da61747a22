"""Finding and reading golden files, and answers that fail."""

import gzip
import io
import json

import pytest

from kschedctl.conformance import answer as answer_module
from kschedctl.conformance.answer import NoResult, answers
from kschedctl.conformance.golden_files import SHIPPED, golden_files
from kschedctl.errors import InputError, UnsupportedError, UsageError

from .golden_lines import case, write

SCHEDULED = {"pod": "default/p0", "outcome": "Scheduled"}


def test_categories_of_a_directory_are_its_files_with_their_folders(tmp_path):
    for name in ("b.jsonl", "a.jsonl.gz", "1.34/a.jsonl.gz", "notes.txt"):
        write(tmp_path / name, case())
    assert [file.category for file in golden_files([str(tmp_path)])] == ["1.34/a", "a", "b"]


def test_the_shipped_cases_are_the_default():
    files = golden_files([])
    assert all(file.path is not None and file.path.is_relative_to(SHIPPED) for file in files)
    assert {"node", "1.34/node", "native", "preemption"} <= {file.category for file in files}


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_files_plain_and_zipped(tmp_path, name):
    path = write(tmp_path / name, case("one"), case("two"))
    [file] = golden_files([str(path)])
    assert file.category == "x"
    assert [a.case.name for a in answers(file)] == ["one", "two"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "zipped"])
def test_standard_input(pack):
    [file] = golden_files(["-"])
    line = (json.dumps(case("one")) + "\n").encode()
    assert [a.case.name for a in answers(file, io.BytesIO(pack(line)))] == ["one"]


def test_standard_input_must_be_there():
    with pytest.raises(UsageError):
        list(answers(golden_files(["-"])[0]))


def test_missing_file():
    with pytest.raises(InputError, match=r"gone\.jsonl: there is no such file or directory"):
        golden_files(["gone.jsonl"])


def test_directory_without_cases(tmp_path):
    with pytest.raises(InputError, match="holds no golden cases"):
        golden_files([str(tmp_path)])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"{", id="no JSON"),
        pytest.param(b"{}", id="no scenario"),
        pytest.param(b'{"scenario": {"name": "x", "pods": [{"spec": 1}]}}', id="no pod"),
    ],
)
def test_bad_lines_are_placed(tmp_path, text):
    path = tmp_path / "x.jsonl"
    path.write_bytes(json.dumps(case()).encode() + b"\n\n" + text)
    with pytest.raises(InputError, match=r"x\.jsonl, line 3: is no golden case"):
        list(answers(golden_files([str(path)])[0]))


def test_results_come_one_a_candidate(tmp_path):
    path = write(tmp_path / "x.jsonl", case(pods=("p0", "p1")))
    [answer] = answers(golden_files([str(path)])[0])
    assert [(r["pod"], r["selected"]) for r in answer.results] == [("default/p0", "n1"), ("default/p1", "n1")]


def test_a_scenario_with_a_bad_configuration_is_refused(tmp_path):
    path = write(tmp_path / "x.jsonl", case(config={"kind": "Nonsense"}), case("next"))
    bad, good = answers(golden_files([str(path)])[0])
    assert (bad.failure, bad.results) == (NoResult.REFUSED, ())
    assert good.failure is None


@pytest.mark.parametrize(
    ("error", "failure", "reason"),
    [
        (UnsupportedError("needs X"), NoResult.UNSUPPORTED, "needs X"),
        (KeyError("x"), NoResult.CRASHED, "KeyError: 'x'"),
    ],
)
def test_one_bad_case_does_not_end_the_run(tmp_path, monkeypatch, error, failure, reason):
    def fail(scenario):
        raise error

    monkeypatch.setattr(answer_module, "replay", fail)
    path = write(tmp_path / "x.jsonl", case(), case("next"))
    found = list(answers(golden_files([str(path)])[0]))
    assert [(a.failure, a.reason) for a in found] == [(failure, reason)] * 2


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param("x", id="a text"),
        pytest.param(7, id="a number"),
        pytest.param({"results": ["x"]}, id="a result that is a text"),
        pytest.param({"results": [{}]}, id="a result without a pod"),
        pytest.param({"results": [{"pod": 1}]}, id="a pod that is a number"),
        pytest.param({"results": [SCHEDULED | {"failed": ["n1"]}]}, id="a list of nodes"),
        pytest.param({"results": [SCHEDULED | {"preFilter": {"plugin": "x"}}]}, id="a status without a code"),
        pytest.param(
            {"results": [SCHEDULED | {"preemption": {"candidates": {"n1": 1}}}]}, id="no candidates"
        ),
        pytest.param({"results": [{"pod": "default/p0"}]}, id="no outcome"),
    ],
)
def test_expectations_of_another_shape(tmp_path, expected):
    path = write(tmp_path / "x.jsonl", case() | {"expected": expected})
    [file] = golden_files([str(path)])
    with pytest.raises(InputError, match="is no golden case"):
        list(answers(file))
