"""What `--help` says, of every command there is."""

import re

import pytest

from commands.program import VERBS

COMMANDS = [
    *((verb,) for verb in VERBS),
    *(("snapshot", name) for name in ("take", "info", "diff", "convert", "rbac")),
    *(("config", name) for name in ("view", "validate")),
]
GROUPS = [(), ("snapshot",), ("config",)]
LEAVES = [command for command in COMMANDS if command not in GROUPS]
FORMATS = {
    ("explain",): "table, wide, json, yaml, name, markdown, html",
    ("preempt",): "table, wide, json, yaml, name, markdown, html",
    ("simulate",): "table, wide, json, yaml, name, markdown, html",
    ("drain",): "table, wide, json, yaml, name, markdown, html",
    ("capacity",): "table, wide, json, yaml, name, markdown, html",
    ("gate",): "table, json, yaml, markdown, html, junit, sarif, github",
    ("conformance",): "table, json, yaml",
    ("view",): "table, wide, json, yaml, name, markdown, html, junit, sarif, github",
    ("config", "validate"): "table, json, yaml, markdown, html",
    ("snapshot", "info"): "table, json, yaml, markdown, html",
    ("snapshot", "diff"): "table, json, yaml, markdown, html",
    ("config", "view"): "yaml, json, table",
    ("snapshot", "rbac"): "yaml, json, table",
}


def entries(text):
    """Option or argument -> its description, from every section of a help text but the examples."""
    found = {}
    current = None
    for line in text.split("Examples:")[0].splitlines():
        head, body = line[:2], line[2:]
        if head == "  " and body[:1] not in ("", " ") and current != "usage":
            name, _, description = body.partition("  ")
            current = name
            found[name] = description.strip()
        elif line.startswith("   ") and current:
            found[current] += f" {line.strip()}"
        elif line and not line.startswith(" "):
            current = "usage" if line.startswith("Usage") else None
    return found


@pytest.mark.parametrize("command", GROUPS, ids=" ".join)
def test_a_group_alone_prints_its_help(run, command):
    done = run(*command)
    assert done == run(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(" ".join(("Usage: kschedctl", *command)))


@pytest.mark.parametrize("command", [(), *COMMANDS], ids=" ".join)
def test_help_keeps_to_the_width_and_cuts_nothing(run, command):
    text = run(*command, "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"[a-z,]\.\.\.", text)


@pytest.mark.parametrize("command", LEAVES, ids=" ".join)
def test_every_option_is_described_and_there_are_examples(run, command):
    text = run(*command, "--help").out
    found = entries(text)
    assert [name for name, description in found.items() if not description] == []
    assert "-h, --help" in found
    assert f"  {' '.join(('kschedctl', *command))}" in text.split("Examples:\n")[1]


@pytest.mark.parametrize("command", LEAVES, ids=" ".join)
def test_the_same_option_is_described_alike_everywhere(run, command):
    """Beside `-o`, which differs by what there is, and `-q` where nothing is reported."""
    mine = entries(run(*command, "--help").out)
    others = entries(run("explain", "--help").out)
    own = {"-o, --output FORMAT"} | ({"-q, --quiet"} if command == ("snapshot", "take") else set())
    for name in (mine.keys() & others.keys()) - own:
        if name.startswith("-"):
            assert mine[name] == others[name]


@pytest.mark.parametrize(("command", "known"), FORMATS.items(), ids=lambda value: " ".join(value)[:20])
def test_help_and_errors_name_exactly_the_formats_of_the_verb(run, command, known):
    default = "html" if command == ("view",) else known.split(",")[0]
    assert f"One of {known}. [default: {default}]" in " ".join(run(*command, "--help").out.split())
    done = run(*command, "-o", "pdf")
    assert (done.code, done.out) == (2, "")
    assert f"'pdf' is not one of {known}\n" in done.err


@pytest.mark.parametrize("command", LEAVES, ids=" ".join)
def test_the_plugin_is_called_by_its_name(run, command, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/home/me/.krew/bin/kubectl-whatif"])
    text = run(*command, "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith(" ".join(("Usage: kubectl whatif", *command)))
    assert f"  {' '.join(('kubectl whatif', *command))}" in text.split("Examples:\n")[1]


@pytest.mark.parametrize(
    ("arguments", "similar", "help_of"),
    [
        (("expain",), "explain", "kschedctl"),
        (("snapshot", "tak"), "take", "kschedctl snapshot"),
        (("config", "validat"), "validate", "kschedctl config"),
        (("explain", "--cluter", "x"), "--cluster", "kschedctl explain"),
        (("drain", "--ad-node", "x"), "--add-node", "kschedctl drain"),
    ],
)
def test_what_is_misspelt_is_guessed(run, arguments, similar, help_of):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert f"did you mean {similar}" in done.err
    assert f"hint: see {help_of} --help\n" in done.err
