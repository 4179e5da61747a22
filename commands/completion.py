"""`kschedctl completion`: the script with which a shell completes verbs and options."""

from __future__ import annotations

import os
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


def register_shells() -> None:
    """Let the program answer the scripts."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
    # A description is one line to a shell, whatever the width of its terminal.
    os.environ["COLUMNS"] = "10000"
