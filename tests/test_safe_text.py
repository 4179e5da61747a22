"""What could mislead a reader or a terminal is shown, whatever writes it."""

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hostile_builders import write_hostile_inputs
from hypothesis import given
from hypothesis import strategies as st

from commands.main import run as run_program
from commands.messages import say
from kschedctl.safe_text import (
    gives_commands,
    is_safe_json,
    safe_json,
    safe_text,
    with_safe_text,
    without_commands,
)

ROOT = Path(__file__).parents[1]
HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb\u200bc\u2028d\ufeff\U000e0041\x7f\r\n::error::x @all #1 e"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("worker-1 ✓ é 漢 🙂", "worker-1 ✓ é 漢 🙂", id="plain text stays"),
        pytest.param("\x1b[2J", "\\u{1b}[2J", id="escape"),
        pytest.param("\x9b2J", "\\u{9b}2J", id="escape of 8 bits"),
        pytest.param("a\rb\nc\td\x00", "a\\u{d}b\\u{a}c\\u{9}d\\u{0}", id="controls"),
        pytest.param("\u202egnp", "\\u{202e}gnp", id="right to left"),
        pytest.param("a\u200bb\u2060c\ufeff", "a\\u{200b}b\\u{2060}c\\u{feff}", id="no width"),
        pytest.param("\U000e0041", "\\u{e0041}", id="tag"),
        pytest.param("a ##[group]", "a \\u{23}#[group]", id="a command of CI"),
        pytest.param("##vso[task.x]", "\\u{23}#vso[task.x]", id="another one"),
        pytest.param("## a #[1] C# ##", "## a #[1] C# ##", id="marks that are none"),
        pytest.param("\ud800", "\\u{d800}", id="half of a pair"),
    ],
)
def test_what_misleads_is_shown(text, shown):
    assert safe_text(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\n  ::error::b", "a\n  \\u{3a}:error::b", id="a command"),
        pytest.param("::set-x name=a::b", "\\u{3a}:set-x name=a::b", id="with properties"),
        pytest.param("a ::error::b", "a ::error::b", id="within a line"),
        pytest.param("::ffff:10.0.0.1\n::1", "::ffff:10.0.0.1\n::1", id="addresses"),
    ],
)
def test_no_line_begins_as_a_command(text, shown):
    assert without_commands(text) == shown


def test_a_text_of_several_lines_keeps_them():
    assert safe_text("a\nb\rc", lines=True) == "a\nb\\u{d}c"


@given(st.text())
def test_no_control_or_format_character_is_left(text):
    left = {unicodedata.category(char) for char in safe_text(text)}
    # Of the format characters (Cf) those stay that have a shape of their own, such as the Arabic number sign.
    assert left.isdisjoint({"Cc", "Cs", "Zl", "Zp"})


@given(st.text())
def test_json_says_the_same(text):
    written = json.dumps({"a": text}, ensure_ascii=False, indent=2)
    assert json.loads(safe_json(written)) == {"a": text}
    assert safe_text(safe_json(written), lines=True) == safe_json(written)
    assert not is_safe_json(written) or safe_text(text) == text


def test_a_safe_value_is_itself():
    value = {"a": ["b", 1, None]}
    assert with_safe_text(value) is value
    assert with_safe_text({"\x1b": ["\x1b", 1]}) == {"\\u{1b}": ["\\u{1b}", 1]}


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """A cluster in which whatever can be a text is hostile."""
    monkeypatch.chdir(tmp_path)
    write_hostile_inputs(tmp_path, HOSTILE)


ALONE = ("conformance", "config", "snapshot", "sweep")
"""Verbs that are asked of no cluster."""

CASES = [
    (*verb, "-o", output)
    for verb, outputs in (
        (("explain", "pod.json"), "table wide json yaml name markdown html"),
        (("explain", "-A"), "table wide json yaml markdown html"),
        (("preempt", "pod.json", "--graph", "g.dot"), "table wide json yaml name markdown html"),
        (("preempt", "pod.json", "--graph", "g.graphml"), "table"),
        (("simulate", "-f", "pod.json", "--drain", "n1"), "table wide json yaml markdown html"),
        (("drain", "n1"), "table wide json yaml markdown html"),
        (("capacity", "pod.json"), "table wide json yaml markdown html"),
        (("explain", "pod.json", "--node", "*", "--suggest"), "table wide json markdown html"),
        (("explain", "pod.json", "--kubernetes-version", "1.34,1.37"), "table json markdown html"),
        (("simulate", "-f", "pod.json", "--drain", "n1", "--timeline"), "wide html"),
        (("simulate", "-f", "pod.json", "--queue", "replay"), "wide html"),
        (("plan", "--shrink", "--catalogue", "catalogue.json"), "table wide json yaml markdown html"),
        (("sweep", "sweep.json"), "table wide json yaml markdown html"),
        (("sweep", "bad-sweep.json"), "table"),
        (("gate", "scenario.json"), "table markdown json yaml junit sarif github html"),
        (("compare", "pod.json", "--to-version", "1.35"), "table wide json yaml markdown html"),
        (("plan", "pod.json", "--catalogue", "catalogue.json"), "table wide json yaml markdown html"),
        (("conformance", "golden.jsonl"), "table json yaml"),
        (("config", "view", "config.json"), "table json yaml"),
        (("config", "validate", "bad.json"), "table json yaml markdown html"),
        (("config", "validate", "refused.json"), "table json yaml markdown html"),
        (("config", "validate", "config.json"), "table json html"),
        (("config", "translate", "policy.json"), ""),
        (("snapshot", "info", "cluster.json"), "table json yaml html"),
        (("snapshot", "diff", "cluster.json", "pod.json"), "table json yaml html"),
    )
    for output in outputs.split()
]


@pytest.mark.parametrize("arguments", CASES, ids=" ".join)
def test_no_writer_passes_it_on(capsys, monkeypatch, inputs, arguments):
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as end:
        run_program([*arguments, *([] if arguments[0] in ALONE else ["-c", "cluster.json"])])
    done = capsys.readouterr()
    assert end.value.code in (0, 1, 2)
    assert "internal error" not in done.err
    for text in (done.out, done.err, *(path.read_text() for path in Path().glob("g.*"))):
        assert safe_text(text, lines=True) == text
        assert not any(line.lstrip().startswith("::error::x") for line in text.splitlines())
    match arguments[-1]:
        case "json" | "sarif":
            json.loads(done.out)
        case "yaml":
            yaml.safe_load(done.out)
        case "junit":
            ElementTree.fromstring(done.out)


@pytest.mark.parametrize("columns", ["40", "60", "80", "97"])
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("explain", "-A"), id="explain"),
        pytest.param(("explain", "pod.json"), id="explain a pod"),
        pytest.param(("simulate", "-f", "pod.json", "--drain", "n1"), id="simulate"),
        pytest.param(("gate", "scenario.json"), id="gate"),
    ],
)
def test_no_line_is_broken_so_that_it_begins_as_a_command(capsys, monkeypatch, tmp_path, arguments, columns):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", columns)
    write_hostile_inputs(tmp_path, "a b ::error::x c")
    with pytest.raises(SystemExit):
        run_program([*arguments, "-c", "cluster.json"])
    done = capsys.readouterr()
    assert "error::x" in done.out
    assert not re.search(r"^\s*::error", done.out + done.err, re.MULTILINE)


def test_a_message_is_safe_and_one_line(capsys):
    say("one\x1b\n::error::two", "error")
    assert capsys.readouterr().err == "error: one\\u{1b}\\u{a}::error::two\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HOSTILE, id="whatever is hostile"),
        pytest.param("a\n::error::x", id="a line that is a command"),
        pytest.param("::error::x ##vso[task.x]y", id="a key that is one"),
        pytest.param("a \\##[group]b c", id="a command behind a backslash"),
    ],
)
def test_data_keeps_what_it_says(capsys, monkeypatch, tmp_path, text):
    monkeypatch.chdir(tmp_path)
    write_hostile_inputs(tmp_path, text)
    found = []
    for output, read in (("json", json.loads), ("yaml", yaml.safe_load)):
        with pytest.raises(SystemExit):
            run_program(["explain", "pod.json", "-c", "cluster.json", "-o", output])
        out = capsys.readouterr().out
        assert not gives_commands(out)
        found.append(read(out))
    assert found[0] == found[1]
    assert any(text in str(value) for value in _texts(found[0]))


def _texts(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else [value]


def test_every_message_goes_through_one_place():
    """Whatever a verb says on stderr is made safe."""
    writers = {"commands/messages.py", "commands/main.py", "commands/streams.py"}
    paths = sorted((ROOT / "commands").glob("*.py"))
    assert writers < {f"commands/{path.name}" for path in paths}
    for path in paths:
        text = path.read_text()
        if f"commands/{path.name}" not in writers:
            assert "file=sys.stderr" not in text, path.name
            assert not re.search(r"\berr=True", text), path.name


def test_the_arguments_of_the_command_line_are_no_way_round(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "kschedctl", "explain", "\x1b[2J.yaml", "-c", "\u202e.yaml"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert safe_text(done.stderr, lines=True) == done.stderr
