"""`kschedctl config`: the configuration that kube-scheduler would run with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.plain_options import PlainReportOptions, TableOrJson
from kschedctl.errors import ConfigurationError
from kschedctl.framework.versions import NEWEST, SUPPORTED

if TYPE_CHECKING:
    from kschedctl.framework.configuration import SchedulerConfiguration

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The configuration that kube-scheduler would run with: defaults applied, lists merged and expanded.",
)


class ConfigurationFormat(StrEnum):
    """How a configuration is shown."""

    YAML = "yaml"
    JSON = "json"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class ConfigurationOptions:
    """For which kube-scheduler."""

    kubernetes_version: Annotated[
        str,
        typer.Option(
            "--kubernetes-version", metavar="|".join(SUPPORTED), help="Version of kube-scheduler to follow."
        ),
    ] = str(NEWEST)
    feature_gates: Annotated[
        str, typer.Option("--feature-gates", metavar="A=true,B=false", help="Its feature gates.")
    ] = ""


File = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]",
        help="A KubeSchedulerConfiguration, - for stdin.",
        show_default="the default configuration",
    ),
]


@app.command()
@grouped
def view(
    options: ConfigurationOptions,
    file: File = None,
    output: Annotated[
        ConfigurationFormat, typer.Option("--output", "-o", help="How the configuration is shown.")
    ] = ConfigurationFormat.YAML,
) -> int:
    """Show the effective configuration: every extension point with its plugins, weights and arguments.

    Read as a configuration again, the output is the same scheduler.
    """
    from commands.output import emit
    from kschedctl.reports.render import configuration as render

    found = _configuration(file, options)
    if output is ConfigurationFormat.YAML:
        emit(render.configuration_yaml(found))
    elif output is ConfigurationFormat.JSON:
        emit(render.configuration_json(found))
    else:
        emit(render.configuration_table(found, PlainReportOptions().look))
    return ExitCode.YES


@app.command()
@grouped
def validate(options: ConfigurationOptions, report: PlainReportOptions, file: File = None) -> int:
    """Tell whether kube-scheduler would start with a configuration, in its own words.

    A profile that it accepts and that then fails pods is warned of. Exit code 0: valid; 1: refused; 2: it could
    not be read.
    """
    from commands.output import emit
    from kschedctl.reports.configuration import refusal, verdict_on
    from kschedctl.reports.render import configuration as render

    try:
        verdict = verdict_on(_configuration(file, options))
    except ConfigurationError as error:
        verdict = refusal(file, options.kubernetes_version, error.message)
    if report.output is TableOrJson.JSON:
        emit(render.verdict_json(verdict))
    else:
        emit(render.verdict_table(verdict, report.look))
    return ExitCode.YES if verdict.valid else ExitCode.NO


def _configuration(file: str | None, options: ConfigurationOptions) -> SchedulerConfiguration:
    from commands.inputs import configuration_of
    from commands.options import SchedulerOptions

    return configuration_of(
        SchedulerOptions(
            scheduler_config=Path(file) if file else None,
            kubernetes_version=options.kubernetes_version,
            feature_gates=options.feature_gates,
        )
    )
