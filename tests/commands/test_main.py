"""The program itself: version, help, names, and that starting it imports little."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from commands.program import VERBS, program_name
from kschedctl import __version__

ROOT = Path(__file__).parents[2]


def test_the_version_is_told(run):
    done = run("--version")
    assert (done.code, done.out) == (0, f"kschedctl {__version__}\n")


def test_the_help_lists_every_verb(run):
    done = run("--help")
    assert done.code == 0
    for verb, line in VERBS.items():
        assert verb in done.out
        assert " ".join(line.split()[:3]) in done.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_a_module(run, verb):
    assert import_module(f"commands.{verb.replace('-', '_')}").app
    done = run(verb, "--help")
    assert done.code == 0
    assert f"Usage: kschedctl {verb}" in done.out


@pytest.mark.parametrize("arguments", [("nope",), ("--nope",), ("explain", "--nope")])
def test_unknown_words_are_a_usage_error(run, arguments):
    done = run(*arguments)
    assert done.code == 2
    assert "nope" in done.err
    assert "--help" in done.err


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/usr/bin/kschedctl", "kschedctl"),
        ("/home/me/.krew/bin/kubectl-whatif", "kubectl whatif"),
        ("/work/kschedctl/__main__.py", "kschedctl"),
    ],
)
def test_the_program_is_called_as_it_was_started(path, name):
    assert program_name(path) == name


def test_an_interrupt_while_the_program_is_imported_is_told_in_a_word():
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from commands.main import run\n"
        "run(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "module", ["numpy", "rich", "yaml", "msgspec", "kubernetes", "networkx", "jsonschema"]
)
def test_help_imports_nothing_heavy(module):
    code = (
        "import sys; from commands.main import run\n"
        "try: run(['--help'])\n"
        f"except SystemExit: sys.exit({module!r} in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.parametrize(
    "module",
    [
        "kubernetes",
        "networkx",
        "jsonschema",
        "numpy.ma",
        "kschedctl.dra.cel",
        "kschedctl.gangs.run",
        "kschedctl.questions.simulate",
        "kschedctl.run.run",
        "kschedctl.whatif.world.changes",
    ],
)
def test_explain_imports_nothing_that_it_does_not_use(module):
    code = (
        "import sys; from commands.main import run\n"
        "try: run(['explain', 'fixtures/quickstart/pod.yaml', '-c', 'fixtures/quickstart/cluster.yaml'])\n"
        f"except SystemExit: sys.exit({module!r} in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).returncode
        == 0
    )
