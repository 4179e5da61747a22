"""The options that verbs share, in groups (see `option_groups`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from kschedctl.framework.versions import NEWEST, SUPPORTED
from kschedctl.reports.formats import Format
from kschedctl.scheduling.options import Sampling, TieBreak

CLUSTER_VARIABLE: Final = "KSCHEDCTL_CLUSTER"


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where the cluster comes from."""

    cluster: Annotated[
        list[Path] | None,
        typer.Option(
            "--cluster",
            "-c",
            envvar=CLUSTER_VARIABLE,
            allow_dash=True,
            metavar="PATH",
            help="File or directory with the objects of the cluster, - for stdin; repeatable.",
        ),
    ] = None
    kubeconfig: Annotated[
        Path | None,
        typer.Option(
            "--kubeconfig", metavar="FILE", help="Without --cluster: read the live cluster of this."
        ),
    ] = None
    kube_context: Annotated[
        str | None, typer.Option("--context", metavar="NAME", help="The context of the kubeconfig to read.")
    ] = None


@dataclass(frozen=True, slots=True)
class CandidateOptions:
    """Where candidates come from, beside the arguments."""

    filename: Annotated[
        list[Path] | None,
        typer.Option(
            "--filename",
            "-f",
            allow_dash=True,
            metavar="PATH",
            help="File or directory with candidates, - for stdin; repeatable.",
        ),
    ] = None
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", "-n", metavar="NS", help="Namespace of candidates that state none."),
    ] = None


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """Which scheduler decides, and how where the real one leaves room."""

    scheduler_config: Annotated[
        Path | None,
        typer.Option(
            "--scheduler-config", allow_dash=True, metavar="FILE", help="A KubeSchedulerConfiguration."
        ),
    ] = None
    kubernetes_version: Annotated[
        str,
        typer.Option(
            "--kubernetes-version", metavar="|".join(SUPPORTED), help="Version of kube-scheduler to follow."
        ),
    ] = str(NEWEST)
    feature_gates: Annotated[
        str, typer.Option("--feature-gates", metavar="A=true,B=false", help="Its feature gates.")
    ] = ""
    tie_break: Annotated[
        TieBreak, typer.Option("--tie-break", help="Which of several nodes with equal points is taken.")
    ] = TieBreak.UPSTREAM
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For what is random.")] = 0
    sampling: Annotated[
        Sampling, typer.Option("--sampling", help="Look at all nodes, or at as many as kube-scheduler does.")
    ] = Sampling.OFF


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What is written, and how."""

    output: Annotated[
        Format,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT",
            help="table, wide, json, yaml, name, markdown; some have more.",
        ),
    ] = Format.TABLE
    strict_caveats: Annotated[
        bool, typer.Option("--strict-caveats", help="Exit with 2 where a caveat could change the answer.")
    ] = False
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours (also by NO_COLOR).")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Notes on stderr.")] = False
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for internal errors.")] = (
        False
    )
