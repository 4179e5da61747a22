"""Shell completion: the scripts, and what they get from the program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands.completion import VARIABLE, Shell, script

FOLDER = Path(__file__).parents[2] / "completions"
BIN = str(Path(sys.executable).parent)


KUBECTL = "kubectl_complete-whatif"
SCRIPTS = {
    Shell.BASH: "kschedctl.bash",
    Shell.ZSH: "_kschedctl",
    Shell.FISH: "kschedctl.fish",
    Shell.POWERSHELL: "kschedctl.ps1",
}


@pytest.mark.parametrize("shell", Shell)
def test_generated_files_are_fresh(golden, shell):
    golden(FOLDER / SCRIPTS[shell], f"{script(shell)}\n")


def test_there_are_no_other_files():
    assert {file.name for file in FOLDER.iterdir()} == {*SCRIPTS.values(), KUBECTL}


def test_kubectl_is_given_completions():
    if shutil.which("kschedctl", path=BIN) is None:
        pytest.skip("needs an installed kschedctl")
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [FOLDER / KUBECTL, "snap"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    first, *_, last = done.stdout.splitlines()
    assert (first.split("\t")[0], last) == ("snapshot", ":0")


def test_the_kubectl_script_can_be_run():
    assert (FOLDER / KUBECTL).stat().st_mode & 0o111


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
        pytest.param("kschedctl config view -o ", ["yaml", "json", "table"], id="formats"),
        pytest.param("kschedctl gate -o ", ["junit", "sarif", "github"], id="formats of one verb"),
        pytest.param("kschedctl explain --ext", ["--extender-recording"], id="options of the scheduler"),
        pytest.param("kschedctl drain --tie-break ", ["upstream", "first", "random"], id="values"),
        pytest.param("kschedctl drain --kubernetes-version ", ["1.34", "1.36"], id="versions"),
    ],
)
def test_offered_completions(words, offered):
    found = complete("zsh", words)
    for candidate in offered:
        assert f'"{candidate}"' in found


def complete(shell, words):
    """What the script of a shell gets."""
    environment = {
        VARIABLE: f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    code = "import sys; sys.argv[0] = 'kschedctl'; from commands.main import run; run()"
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    ).stdout


@pytest.mark.parametrize("words", ["kschedctl explain -o ", "kschedctl preempt -o "])
def test_formats_of_other_verbs_are_not_offered(words):
    assert "sarif" not in complete("zsh", words)


@pytest.mark.parametrize(
    "words", ["kschedctl explain ", "kschedctl explain -c ", "kschedctl gate ", "kschedctl drain --patch "]
)
def test_files_are_left_to_the_shell(words):
    assert complete("zsh", words).strip() == "_files"
    assert complete("fish", words).strip() == ""


@pytest.mark.parametrize("words", ["kschedctl ", "kschedctl simulate --", "kschedctl snapshot "])
def test_a_completion_is_a_line(words):
    lines = complete("fish", words).splitlines()
    described = [line.split("\t") for line in lines]
    assert len(described) > 4
    assert all(len(parts) == 2 and all(parts) and " " not in parts[0] for parts in described)


def test_verbs_are_completed_without_importing_them():
    code = (
        "import sys; from commands.main import run\n"
        "try: run()\n"
        "except SystemExit: sys.exit('commands.explain' in sys.modules)"
    )
    environment = {VARIABLE: "complete_zsh", "_TYPER_COMPLETE_ARGS": "kschedctl "}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=FOLDER.parent, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert b"on which node and why there" in done.stdout


SHELL_RUNS = {
    "bash": """
        source "$SCRIPT"
        COMP_WORDS=(kschedctl snap); COMP_CWORD=1
        _kschedctl_completion kschedctl snap kschedctl
        echo "${COMPREPLY[@]}"
    """,
    "fish": 'source $SCRIPT; complete -C "kschedctl snap"',
}


@pytest.mark.parametrize("shell", SHELL_RUNS)
def test_the_shell_itself_completes(shell):
    if shutil.which(shell) is None or shutil.which("kschedctl", path=BIN) is None:
        pytest.skip(f"needs {shell} and an installed kschedctl")
    script = FOLDER / SCRIPTS[Shell(shell)]
    environment = {**os.environ, "SCRIPT": str(script), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [shell, "-c", SHELL_RUNS[shell]], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split()[0] == "snapshot"


def test_a_shell_that_is_missing_is_told_in_one_line(run):
    done = run("completion")

    assert done.code == 2
    assert "Choose from: bash, zsh, fish, powershell\n" in done.err


def test_kubectl_completes_the_plugin():
    if shutil.which("kschedctl", path=BIN) is None:
        pytest.skip("needs an installed kschedctl")
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [FOLDER / "kubectl_complete-whatif", "snap"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0].split("\t")[0] == "snapshot"
    assert done.stdout.splitlines()[-1] == ":0"
