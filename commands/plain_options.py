"""Options of verbs that answer in one table: how much is written, and as text or data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from commands.options import ReportOptions
from kschedctl.reports.formats import Look


class TableOrJson(StrEnum):
    """The formats of a plain report."""

    TABLE = "table"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class PlainReportOptions:
    """What is written, and how."""

    output: Annotated[TableOrJson, typer.Option("--output", "-o", help="Format of the report.")] = (
        TableOrJson.TABLE
    )
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")] = False
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for internal errors.")] = (
        False
    )

    @property
    def look(self) -> Look:
        """How text is to look on stdout."""
        from commands.output import look_of

        return look_of(ReportOptions(quiet=self.quiet))
