"""What all commands share: help in sections with examples, kubectl's spellings, help instead of a usage error."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from .spelling import as_kubectl_spells

if TYPE_CHECKING:  # typer carries its own copy of click, and has no public name for these
    from typer._click import Command, Context, HelpFormatter

PROGRAM: Final = "kschedctl"
HELP: Final = {"help_option_names": ["-h", "--help"]}


class Verb(TyperCommand):
    """A command; its `epilog` are examples, one a line, of which `PROGRAM` is spelt as the program was called."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse, spelt as kubectl takes it too."""
        return super().parse_args(ctx, self.spelt(args))

    def spelt(self, args: Sequence[str]) -> list[str]:
        """The arguments as the parser takes them."""
        return as_kubectl_spells(args, [param for param in self.params if isinstance(param, TyperOption)])

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """`[OPTIONS]` and the arguments, as kubectl writes them."""
        arguments = [param for param in self.params if isinstance(param, TyperArgument)]
        return ["[OPTIONS]", *(argument.make_metavar(ctx) for argument in arguments)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """List the arguments, then the options of this verb, then those of each group under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                default = "Arguments" if isinstance(param, TyperArgument) else "Options"
                sections.setdefault(getattr(param, "rich_help_panel", None) or default, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Print the examples, each a line that can be pasted."""
        if self.epilog:
            program = ctx.find_root().command_path
            with formatter.section("Examples"):
                for line in self.epilog.strip().splitlines():
                    formatter.write(f"  {line.strip().replace(PROGRAM, program, 1)}\n")


class VerbGroup(TyperGroup):
    """A command with others below it; alone it prints its help, as kubectl does."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse; without anything to parse, print the help."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command below this one; one that is not there is told with those of similar names."""
        name = args[0]
        known = self.list_commands(ctx)
        if name in known or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        raise UnknownCommand(name, known, ctx)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """List the commands, the first sentence about each in full."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.line_about(ctx, name)) for name in self.list_commands(ctx)])

    def line_about(self, ctx: Context, name: str) -> str:
        """What a command does, in a sentence."""
        command = self.get_command(ctx, name)
        return " ".join((command.help or "").split("\n\n")[0].split()) if command else ""


class UnknownCommand(typer.TyperException):
    """A command that is not there.

    Attributes:
        possibilities: commands of similar names.
        ctx: where it was looked for.
    """

    def __init__(self, name: str, known: Sequence[str], ctx: Any) -> None:
        super().__init__(f"there is no command {name!r}")
        self.possibilities = get_close_matches(name, known, cutoff=0.5)
        self.ctx = ctx
