"""`kschedctl config`: the configuration that kube-scheduler would run with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from kschedctl.errors import ConfigurationError
from kschedctl.framework.versions import DEFAULT
from kschedctl.writers.catalogue import CATALOGUE
from kschedctl.writers.formats import Format

from .errors import ExitCode
from .messages import say
from .option_groups import grouped
from .options import (
    DataOptions,
    FeatureGates,
    IgnoreUnknownPlugins,
    KubernetesVersion,
    PageOptions,
    Plugins,
    ShownOptions,
    TranslatedOptions,
    formats,
)
from .verb import HELP, Verb, VerbGroup

if TYPE_CHECKING:
    from kschedctl.framework.configuration import SchedulerConfiguration

WRITERS = CATALOGUE["ConfigurationVerdict"].writers

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    cls=VerbGroup,
    context_settings=HELP,
    help="The configuration that kube-scheduler would run with: defaults applied, lists merged and expanded.",
)


class VersionOptions(Struct, frozen=True):
    """For which kube-scheduler."""

    kubernetes_version: KubernetesVersion = None
    feature_gates: FeatureGates = ""


class ConfigurationOptions(VersionOptions, frozen=True):
    """For which kube-scheduler."""

    plugin: Plugins = None
    ignore_unknown_plugins: IgnoreUnknownPlugins = False


File = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]",
        help="A KubeSchedulerConfiguration, - for stdin.",
        show_default="the defaults",
    ),
]


LegacyFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A Policy, a ConfigMap with one, or a beta configuration; - for stdin."
    ),
]


VIEW_EXAMPLES = """
kschedctl config view
kschedctl config view scheduler.yaml -o table
"""
VALIDATE_EXAMPLES = """
kschedctl config validate scheduler.yaml
kschedctl config validate scheduler.yaml --kubernetes-version 1.34
"""


TRANSLATE_EXAMPLES = """
kschedctl config translate policy.yaml > scheduler.yaml
kubectl get configmap -n kube-system scheduler-policy -o yaml | kschedctl config translate -
"""


@app.command(cls=Verb, epilog=VIEW_EXAMPLES)
@grouped
def view(options: ConfigurationOptions, shown: ShownOptions, file: File = None) -> int:
    """Show the effective configuration: every extension point with its plugins, weights and arguments.

    Read as a configuration again, the output is the same scheduler.
    """
    from kschedctl.writers import configuration as write

    from .output import emit, look_of

    found = _configuration(file, options)
    if shown.output is Format.YAML:
        emit(write.configuration_yaml(found))
    elif shown.output is Format.JSON:
        emit(write.configuration_json(found))
    else:
        emit(write.configuration_table(found, look_of(DataOptions())))
    return ExitCode.YES


@app.command(cls=Verb, epilog=VALIDATE_EXAMPLES)
@grouped
def validate(
    options: ConfigurationOptions, report: Annotated[PageOptions, formats(WRITERS)], file: File = None
) -> int:
    """Tell whether kube-scheduler would start with a configuration, in its own words.

    A profile that it accepts and that then fails pods is warned of. Exit code 0: valid; 1: refused; 2: it could
    not be read.
    """
    from kschedctl.reports.config.model import refusal, verdict_on

    from .output import emit_pieces, look_of, writer_for

    try:
        verdict = verdict_on(_configuration(file, options))
    except ConfigurationError as error:
        verdict = refusal(file, options.kubernetes_version or str(DEFAULT), error)
    emit_pieces(writer_for(WRITERS, report.output)([verdict], look_of(report)), report)
    return ExitCode.YES if verdict.valid else ExitCode.NO


@app.command(cls=Verb, epilog=TRANSLATE_EXAMPLES)
@grouped
def translate(options: VersionOptions, shown: TranslatedOptions, file: LegacyFile) -> int:
    """Turn a scheduler configuration of an older version into one of today.

    FILE is a Policy (until 1.22), a ConfigMap with one under policy.cfg, or a KubeSchedulerConfiguration v1beta1 to
    v1beta3. What has no equal any more is said in comments above the result, with JSON on stderr. Exit code 0:
    everything has an equal; 1: something has none; 2: it could not be read.
    """
    from kschedctl.framework.versions import parse_feature_gates
    from kschedctl.questions.translate import translation_of
    from kschedctl.writers import configuration as write

    from .output import emit

    found = translation_of(
        file,
        version=options.kubernetes_version,
        gates=parse_feature_gates(options.feature_gates),
        stdin=sys.stdin.buffer,
    )
    if shown.output is Format.YAML:
        emit(write.translation_yaml(found))
    else:
        for line in found.lost:
            say(line, "no equal")
        emit(write.translation_json(found))
    return ExitCode.NO if found.lost else ExitCode.YES


def _configuration(file: str | None, options: ConfigurationOptions) -> SchedulerConfiguration:
    from .inputs import written_of
    from .options import SchedulerOptions

    options_of_file = SchedulerOptions(
        scheduler_config=Path(file) if file else None,
        kubernetes_version=options.kubernetes_version,
        feature_gates=options.feature_gates,
        plugin=options.plugin,
        ignore_unknown_plugins=options.ignore_unknown_plugins,
    )
    return written_of(options_of_file).configuration()
