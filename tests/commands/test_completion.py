"""Shell completion: the scripts, and what they get from the program."""

import subprocess
import sys
from pathlib import Path

import pytest

from commands.completion import FILES, VARIABLE, Shell, file_content

FOLDER = Path(__file__).parents[2] / "completions"


@pytest.mark.parametrize("name", FILES)
def test_generated_files_are_fresh(name):
    assert (FOLDER / name).read_text() == file_content(name)


def test_there_are_no_other_files():
    assert {file.name for file in FOLDER.iterdir()} == set(FILES)


def test_the_kubectl_script_can_be_run():
    assert (FOLDER / "kubectl_complete-whatif").stat().st_mode & 0o111


@pytest.mark.parametrize("shell", Shell)
def test_scripts_are_printed(run, shell):
    done = run("completion", shell.value)
    assert done.code == 0
    assert VARIABLE in done.out


def test_unknown_shell(run):
    done = run("completion", "csh")
    assert done.code == 2
    assert "csh" in done.err


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        pytest.param("kschedctl conf", ["config", "conformance"], id="verbs"),
        pytest.param("kschedctl conformance --mi", ["--min"], id="options"),
        pytest.param("kschedctl config ", ["view", "validate"], id="verbs below a verb"),
        pytest.param("kschedctl config view -o ", ["yaml", "json", "table"], id="values"),
    ],
)
def test_offered_completions(words, offered):
    environment = {VARIABLE: "complete_zsh", "_TYPER_COMPLETE_ARGS": words}
    command = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'kschedctl'; from commands.main import run; run()",
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    for candidate in offered:
        assert f'"{candidate}"' in done.stdout
