"""A group of verbs that are imported when they are run, so that starting up costs what is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

import typer
from typer.core import TyperCommand

from .verb import VerbGroup

if TYPE_CHECKING:  # typer carries its own copy of click, and has no public name for these
    from typer._click import Command, Context
    from typer._click.shell_completion import CompletionItem


class LazyGroup(VerbGroup):
    """Knows its verbs by name and by one line each; `--help` needs no more."""

    verbs: Mapping[str, str] = {}

    def list_commands(self, ctx: Context) -> list[str]:
        """The verbs, in the order of the table."""
        return list(self.verbs)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Import a verb, once; where it stands for itself in a list only, not at all."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name not in self.verbs:
            return None
        app = cast(typer.Typer, import_module(f"{__package__}.{cmd_name.replace('-', '_')}").app)
        command = typer.main.get_command(app)
        command.name = cmd_name
        self.commands[cmd_name] = command
        return command

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Complete verbs without importing them."""
        self.commands = {name: TyperCommand(name, short_help=line) for name, line in self.verbs.items()}
        return super().shell_complete(ctx, incomplete)

    def line_about(self, ctx: Context, name: str) -> str:
        """The line in the table, so that nothing is imported for `--help`."""
        return self.verbs[name]
