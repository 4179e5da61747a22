"""The options of `kschedctl snapshot`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kschedctl.reports.formats import Format


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Which cluster is read, and how."""

    kubeconfig: Annotated[
        Path | None, typer.Option("--kubeconfig", metavar="FILE", help="The kubeconfig to use.")
    ] = None
    context: Annotated[
        str | None, typer.Option("--context", metavar="NAME", help="Its context; the current one by default.")
    ] = None
    as_user: Annotated[
        str | None, typer.Option("--as", metavar="USER", help="User to impersonate.", show_default=False)
    ] = None
    as_groups: Annotated[
        list[str] | None,
        typer.Option("--as-group", metavar="GROUP", help="Group to impersonate; repeatable."),
    ] = None
    chunk_size: Annotated[
        int, typer.Option("--chunk-size", min=0, metavar="N", help="Objects asked for at once; 0: all.")
    ] = 500
    timeout: Annotated[
        float, typer.Option("--timeout", min=1.0, metavar="SECONDS", help="Limit for reading everything.")
    ] = 120.0


class Redact(StrEnum):
    """What can be replaced."""

    NAMES = "names"


@dataclass(frozen=True, slots=True)
class RedactOptions:
    """Whether names are replaced."""

    redact: Annotated[
        Redact | None,
        typer.Option(
            "--redact", help="Replace names consistently; decisions stay the same.", show_default=False
        ),
    ] = None
    names_to: Annotated[
        Path | None,
        typer.Option(
            "--names-to", metavar="FILE", help="With --redact: write which name stands for which, to keep."
        ),
    ] = None


class Target(StrEnum):
    """What `snapshot convert` makes."""

    SNAPSHOT = "snapshot"
    LIST = "list"
    DIRECTORY = "directory"


class RoleFormat(StrEnum):
    """How a role is printed."""

    YAML = "yaml"
    JSON = "json"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class DataOptions:
    """How a report is written."""

    output: Annotated[
        Format, typer.Option("--output", "-o", metavar="table|json|yaml", help="Format of the report.")
    ] = Format.TABLE
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")] = False
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours (also by NO_COLOR).")] = False
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for internal errors.")] = (
        False
    )
