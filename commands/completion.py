"""`kschedctl completion`: the script with which a shell completes verbs and options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

import typer

from .errors import ExitCode
from .verb import HELP, PROGRAM, Verb

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

VARIABLE: Final = "_KSCHEDCTL_COMPLETE"
"""Set by the scripts: the program then prints completions instead of running."""


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


KUBECTL_PLUGIN: Final = f"""\
#!/usr/bin/env sh
# Completes `kubectl whatif ...`: kubectl calls this file, found on PATH by its name, with the words so far.
words={PROGRAM}
for word in "$@"; do words="$words $word"; done
{VARIABLE}=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS="$words" {PROGRAM}
echo :0
"""
"""The script that kubectl looks for, `kubectl_complete-whatif`; `:0` lets the shell complete files as well."""

FILES: Final[Mapping[str, Shell | None]] = {
    "kschedctl.bash": Shell.BASH,
    "_kschedctl": Shell.ZSH,
    "kschedctl.fish": Shell.FISH,
    "kschedctl.ps1": Shell.POWERSHELL,
    "kubectl_complete-whatif": None,
}
"""File in `completions/` -> the shell it is for; None: kubectl."""


EXAMPLES = """
source <(kschedctl completion bash)
kschedctl completion zsh > "${fpath[1]}/_kschedctl"
kschedctl completion fish > ~/.config/fish/completions/kschedctl.fish
kschedctl completion powershell >> $PROFILE
"""


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="|".join(Shell), help="The shell.", show_default=False)],
) -> int:
    """Print the completion script of a shell."""
    from .output import emit

    emit(script(shell))
    return ExitCode.YES


def script(shell: Shell) -> str:
    """The completion script of a shell."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return str(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell))


def file_content(name: str) -> str:
    """What belongs into a file of `completions/`."""
    shell = FILES[name]
    return KUBECTL_PLUGIN if shell is None else f"{script(shell)}\n"


def register_shells() -> None:
    """Let the program answer the scripts."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
    # A description is one line to a shell, whatever the width of its terminal.
    os.environ["COLUMNS"] = "10000"
