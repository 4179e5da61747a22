"""`kschedctl conformance`: counts, exit codes, and results in the golden shape."""

import gzip
import json
from pathlib import Path

import pytest

from kschedctl.conformance.golden_files import SHIPPED

EDGE = SHIPPED / "1.34" / "misc.jsonl.gz"


def golden():
    return [json.loads(line) for line in gzip.decompress(EDGE.read_bytes()).splitlines()]


@pytest.fixture
def half_wrong(tmp_path):
    """Two pods, of which one golden result was made wrong."""
    right = next(c for c in golden() if len(c["expected"]["results"]) == 1)
    wrong = json.loads(json.dumps(right))
    wrong["expected"]["results"][0]["outcome"] = "Gated"
    path = tmp_path / "half.jsonl"
    path.write_text(f"{json.dumps(right)}\n{json.dumps(wrong)}\n")
    return str(path)


def test_agreement_is_exit_code_0(run):
    done = run("conformance", str(EDGE))
    assert done.code == 0
    assert done.out.startswith("✓ all of 45 pods in 20 cases")
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: b"\xef\xbb\xbf" + text, id="UTF-8 with a mark"),
        pytest.param(lambda text: text.decode().encode("utf-16"), id="UTF-16"),
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="CRLF"),
    ],
)
def test_files_as_editors_write_them(run, tmp_path, change):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(change(gzip.decompress(EDGE.read_bytes())))
    assert run("conformance", str(path), "-q").out.startswith("✓ all of 45 pods")


def test_a_file_that_is_cut_off(run, tmp_path):
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(EDGE.read_bytes()[:3000])
    done = run("conformance", str(path))
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("cases.jsonl.gz: the gzip data is cut off\n")


def test_disagreement_is_exit_code_1(run, half_wrong):
    done = run("conformance", half_wrong)
    assert done.code == 1
    assert "first difference in\n       1  outcome" in done.out


@pytest.mark.parametrize(("least", "code"), [("50", 0), ("50.1", 1)])
def test_least_agreement(run, half_wrong, least, code):
    assert run("conformance", half_wrong, "--min", least).code == code


@pytest.mark.parametrize(("show", "blocks"), [("0", 0), ("1", 1)])
def test_shown_differences(run, half_wrong, show, blocks):
    assert run("conformance", half_wrong, "--show", show).out.count("  want  ") == blocks


def test_json(run, half_wrong):
    report = json.loads(run("conformance", half_wrong, "-o", "json").out)
    assert report["kind"] == "ConformanceReport"
    assert (report["pods"], report["agreeing"], report["percent"]) == (2, 1, 50.0)
    assert report["fields"] == {"outcome": 1}
    assert report["differences"][0]["want"] == "Gated"


def test_emitted_results_are_golden_results(run):
    lines = run("conformance", "--emit", str(EDGE)).out.splitlines()
    emitted = {line["name"]: line["results"] for line in map(json.loads, lines)}
    for case in golden():
        expected = case["expected"]
        outcomes = [(r["pod"], r["outcome"]) for r in emitted[expected["name"]]]
        assert outcomes == [(r["pod"], r["outcome"]) for r in expected["results"]]


def test_standard_input(run):
    done = run("conformance", "-", "-q", stdin=EDGE.read_bytes())
    assert (done.code, done.out) == (0, "✓ all of 45 pods in 20 cases decided as kube-scheduler does\n")


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        pytest.param(["gone.jsonl"], b"", "gone.jsonl: there is no such file or directory", id="missing"),
        pytest.param([str(Path(__file__))], b"", "line 1: is no golden case", id="no golden file"),
        pytest.param(["-"], b"", "the files hold no case with golden results", id="nothing"),
        pytest.param(["-"], EDGE.read_bytes()[:3000], "cut off or damaged", id="cut off"),
        pytest.param(["-"], b"{}", "line 1: is no golden case: 'scenario' is missing", id="another object"),
        pytest.param(["-"], b"{", "line 1: is no golden case: not JSON", id="no JSON"),
        pytest.param(["-"], b'{"a": "\xe9"}', "line 1: is no golden case: not UTF-8 text", id="no UTF-8"),
        pytest.param(["-o", "name"], b"", "is not one of table, json, yaml", id="format"),
        pytest.param(["--min", "101"], b"", "0<=x<=100", id="more than all"),
        pytest.param(["--min", "-1"], b"", "0<=x<=100", id="less than nothing"),
        pytest.param(["--show", "-1"], b"", "x>=0", id="fewer than none"),
    ],
)
def test_what_cannot_be_run_is_exit_code_2(run, arguments, stdin, message):
    done = run("conformance", *arguments, stdin=stdin)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
