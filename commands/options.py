"""The options that verbs share, in groups (see `option_groups`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec import Struct
from msgspec.structs import fields, force_setattr

from kschedctl.errors import UsageError
from kschedctl.framework.versions import DEFAULT, SUPPORTED
from kschedctl.scheduling.options import Sampling, TieBreak
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.writers.formats import Format

_NAMESPACE: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
CLUSTER_VARIABLE: Final = "KSCHEDCTL_CLUSTER"
FOLDER_VARIABLE: Final = "JOBLIB_TEMP_FOLDER"
"""The variable by which joblib is told where processes share files."""

Kubeconfig = Annotated[
    Path | None,
    typer.Option(
        "--kubeconfig", readable=False, metavar="FILE", help="The kubeconfig of the live cluster to read."
    ),
]
KubeContext = Annotated[
    str | None,
    typer.Option("--context", metavar="NAME", help="The context in it; the current one by default."),
]
AsUser = Annotated[str | None, typer.Option("--as", metavar="USER", help="User to impersonate.")]
AsGroups = Annotated[
    list[str] | None, typer.Option("--as-group", metavar="GROUP", help="Group to impersonate; repeatable.")
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", min=1.0, metavar="SECONDS", help="Limit for reading the live cluster."),
]
TIMEOUT: Final = 120.0
KubernetesVersion = Annotated[
    str | None,
    typer.Option(
        "--kubernetes-version",
        metavar="|".join(v.minor for v in SUPPORTED),
        autocompletion=lambda incomplete: [v.minor for v in SUPPORTED if v.minor.startswith(incomplete)],
        help="Version of kube-scheduler to follow; explain and simulate compare two: A,B.",
        show_default=f"that of the cluster, else {DEFAULT}",
    ),
]
FeatureGates = Annotated[
    str, typer.Option("--feature-gates", metavar="A=true,B=false", help="Its feature gates.")
]
Effects = Annotated[
    EffectsModel,
    typer.Option(
        "--effects",
        help="What evictions do: victims terminate while the scheduler goes on, or are gone at once.",
    ),
]
LetPreempt = Annotated[bool, typer.Option("--preemption/--no-preemption", help="Let pods preempt others.")]
Timeline = Annotated[bool, typer.Option("--timeline", help="Tell what happened, in order, and when.")]
Headrooms = Annotated[
    list[str] | None,
    typer.Option(
        "--headroom",
        metavar="cpu=10%",
        help="Keep this free on every node; repeatable.",
        show_default=False,
    ),
]
Filename = Annotated[
    list[Path] | None,
    typer.Option(
        "--filename",
        "-f",
        allow_dash=True,
        readable=False,
        metavar="PATH",
        help="File or directory with candidates, - for stdin; repeatable.",
    ),
]
Recursive = Annotated[
    bool, typer.Option("--recursive", "-R", help="Search directories of manifests with those below them.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")]
Debug = Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for internal errors.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only say what would happen. Always so: nothing is ever written.",
        show_default=False,
    ),
]


Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE:CLASS",
        help="A plugin of your own, or FILE.py:CLASS; repeatable. Its code is run. Without --scheduler-config it is "
        "enabled.",
    ),
]
IgnoreUnknownPlugins = Annotated[
    bool,
    typer.Option(
        "--ignore-unknown-plugins", help="Leave plugins of the configuration out that nobody knows."
    ),
]


class ClusterOptions(Struct, frozen=True):
    """Where the cluster comes from."""

    cluster: Annotated[
        list[Path] | None,
        typer.Option(
            "--cluster",
            "-c",
            envvar=CLUSTER_VARIABLE,
            allow_dash=True,
            readable=False,
            metavar="PATH",
            help="File or directory with its objects, - for stdin; repeatable. Without it: the live cluster; beside "
            "--kubeconfig: what may not be read there, such as nodes.",
        ),
    ] = None
    kubeconfig: Kubeconfig = None
    kube_context: KubeContext = None
    as_user: AsUser = None
    as_groups: AsGroups = None
    timeout: Timeout = TIMEOUT
    pod_templates: Annotated[
        Path | None,
        typer.Option(
            "--pod-templates",
            readable=False,
            metavar="FILE",
            help="Where custom resources of manifests hold their pods, beside those that are known.",
        ),
    ] = None


def parse_namespace(text: str) -> str | None:
    """A namespace; an empty one, such as an unset variable, is none, as it is to kubectl."""
    if text and not _NAMESPACE.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no name of a namespace")
    return text or None


def with_directories(paths: Iterable[Path | str], *, recursive: bool) -> list[str]:
    """Paths as they are read; of directories everything below, where that is asked for."""
    from kschedctl.sources.content import EVERYTHING_BELOW

    texts = [str(path) for path in paths]
    return [t.rstrip("/") + EVERYTHING_BELOW if recursive and os.path.isdir(t) else t for t in texts]


class CandidateOptions(Struct, frozen=True):
    """Where candidates come from, beside the arguments."""

    filename: Filename = None
    recursive: Recursive = False
    namespace: Annotated[
        str | None,
        typer.Option(
            "--namespace",
            "-n",
            metavar="NS",
            parser=parse_namespace,
            help="Namespace of candidates that state none.",
        ),
    ] = None
    all_namespaces: Annotated[
        bool,
        typer.Option(
            "--all-namespaces", "-A", help="Pending pods of all namespaces; so it is without -n as well."
        ),
    ] = False

    def paths(self, arguments: Iterable[str] | None = None) -> list[str]:
        """The files and directories of the arguments and of -f."""
        return with_directories([*(arguments or ()), *(self.filename or ())], recursive=self.recursive)


class SchedulerOptions(Struct, frozen=True):
    """Which scheduler decides, and how where the real one leaves room."""

    scheduler_config: Annotated[
        Path | None,
        typer.Option(
            "--scheduler-config",
            allow_dash=True,
            readable=False,
            metavar="FILE",
            help="A KubeSchedulerConfiguration.",
        ),
    ] = None
    kubernetes_version: KubernetesVersion = None
    feature_gates: FeatureGates = ""
    plugin: Plugins = None
    ignore_unknown_plugins: IgnoreUnknownPlugins = False
    tie_break: Annotated[
        TieBreak, typer.Option("--tie-break", help="Which of several nodes with equal points is taken.")
    ] = TieBreak.UPSTREAM
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For what is random.")] = 0
    sampling: Annotated[
        Sampling, typer.Option("--sampling", help="Look at all nodes, or at as many as kube-scheduler does.")
    ] = Sampling.OFF
    allow_extenders: Annotated[
        bool,
        typer.Option(
            "--allow-extenders",
            help="Send requests to the HTTP extenders of the scheduler configuration.",
        ),
    ] = False
    extender_recording: Annotated[
        Path | None,
        typer.Option(
            "--extender-recording",
            readable=False,
            metavar="FILE",
            help="Write what extenders answer, or without --allow-extenders take the answers from there.",
        ),
    ] = None


def output_option(known: Iterable[Format]) -> Any:
    """The option `--output` with these formats, the only ones that `--help`, completion and errors name."""
    names = [str(one) for one in known]

    def parse(text: str) -> Format:
        if text not in names:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(names)}")
        return Format(text)

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return typer.Option(
        "--output",
        "-o",
        metavar="FORMAT",
        parser=parse,
        autocompletion=complete,
        help=f"One of {', '.join(names)}.",
    )


def formats(known: Iterable[Format]) -> Mapping[str, Any]:
    """The formats of a verb, to stand beside the type of its report options (see `option_groups`)."""
    return {"output": Annotated[Format, output_option(known)]}


class DataOptions(Struct, frozen=True):
    """How the report is written."""

    output: Annotated[Format, typer.Option("--output", "-o")] = Format.TABLE
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours (also by NO_COLOR).")] = False
    quiet: Quiet = False
    debug: Debug = False


class PageOptions(DataOptions, frozen=True):
    """How the report is written."""

    open_it: Annotated[
        bool, typer.Option("--open", help="Open it as a page in the browser, as -o html writes it.")
    ] = False

    @property
    def tells_nodes(self) -> bool:
        """Whether what is told of every node is written, unless `-q` leaves it out."""
        return self.output in (Format.WIDE, Format.JSON, Format.YAML, Format.HTML)

    def __post_init__(self) -> None:
        """A page is what is opened.

        Raises:
            UsageError: another format is asked for.
        """
        if not self.open_it:
            return
        default = next(field.default for field in fields(self) if field.name == "output")
        if self.output not in (default, Format.HTML):
            raise UsageError("--open is for -o html")
        force_setattr(self, "output", Format.HTML)


class ReportOptions(PageOptions, frozen=True):
    """How the report is written."""

    strict_caveats: Annotated[
        bool, typer.Option("--strict-caveats", help="Exit with 2 where a caveat could change the answer.")
    ] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Notes on stderr.")] = False


class TimingOptions(Struct, frozen=True):
    """How long it takes."""

    timings: Annotated[
        bool,
        typer.Option("--timings", help="Tell on stderr how long plugins took, by extension point."),
    ] = False
    metrics_file: Annotated[
        Path | None,
        typer.Option(
            "--metrics-file",
            readable=False,
            metavar="FILE",
            help="Write the same as Prometheus text, as kube-scheduler names it.",
        ),
    ] = None


class TranslatedOptions(Struct, frozen=True):
    """How it is written."""

    output: Annotated[Format, output_option((Format.YAML, Format.JSON))] = Format.YAML
    debug: Debug = False


class ShownOptions(Struct, frozen=True):
    """How it is shown."""

    output: Annotated[Format, output_option((Format.YAML, Format.JSON, Format.TABLE))] = Format.YAML
    debug: Debug = False
