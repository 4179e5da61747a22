"""From options to what the engine is asked: the cluster, the scheduler, the candidates."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from commands.options import CLUSTER_VARIABLE, ClusterOptions, SchedulerOptions
from kschedctl.api import Cluster, scheduler_of
from kschedctl.errors import ClusterError, UsageError
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.versions import parse_feature_gates
from kschedctl.objects.kind_names import kind_named
from kschedctl.observer import Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import Loaded, load

_BARE_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_REFERENCE = re.compile(r"(?P<kind>[A-Za-z][A-Za-z0-9.-]*)/(?P<name>[a-z0-9]([-.a-z0-9]*[a-z0-9])?)")


def load_cluster(
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    observer: Observer,
    *,
    beside: Iterable[Path | str | None] = (),
    every_failure: bool = False,
) -> Cluster:
    """The cluster of the options with its scheduler: from files, else the live one of the kubeconfig.

    Args:
        cluster: which one.
        scheduler: its scheduler.
        observer: is told the progress.
        beside: other paths that the verb reads.
        every_failure: ask every plugin of every node.

    Raises:
        UsageError: files and a live cluster are asked for, or stdin is to be read twice.
        KschedError: the cluster or the configuration cannot be used.
    """
    check_stdin(cluster, scheduler, beside)
    configuration = configuration_of(scheduler)
    options = scheduling_options(scheduler, every_failure=every_failure)
    loaded, source = _load(cluster, observer)
    return Cluster.of(loaded, source, configuration, options)


def _load(cluster: ClusterOptions, observer: Observer) -> tuple[Loaded, Sequence[str]]:
    if cluster.cluster:
        if cluster.kubeconfig or cluster.kube_context or cluster.as_user or cluster.as_groups:
            raise UsageError(
                "--cluster does not go together with --kubeconfig, --context and --as",
                hint=f"{CLUSTER_VARIABLE} counts as --cluster.",
            )
        paths = [str(path) for path in cluster.cluster]
        return load(paths, stdin=sys.stdin.buffer, observer=observer), paths
    from commands.live import connected
    from kschedctl.live import TakeOptions, read_cluster

    try:
        connection = connected(cluster)
    except ClusterError as error:
        hint = f"{error.hint}, or read files with --cluster FILE"
        raise ClusterError(error.message, hint=hint) from None
    options = TakeOptions(timeout=cluster.timeout)
    return read_cluster(connection, datetime.now(UTC), options, observer), [str(connection)]


def check_stdin(
    cluster: ClusterOptions, scheduler: SchedulerOptions, beside: Iterable[Path | str | None]
) -> None:
    """Make sure that at most one of all paths is `-`.

    Raises:
        UsageError: stdin would have to be read twice.
    """
    paths = [*beside, *(cluster.cluster or ()), scheduler.scheduler_config]
    if sum(str(path) == "-" for path in paths) > 1:
        raise UsageError("stdin can be read once only, and - is given twice")


def configuration_of(options: SchedulerOptions) -> SchedulerConfiguration:
    """The scheduler of the options."""
    path = options.scheduler_config
    return scheduler_of(
        None if path is None else str(path),
        version=options.kubernetes_version,
        gates=parse_feature_gates(options.feature_gates),
        stdin=sys.stdin.buffer,
    )


def scheduling_options(options: SchedulerOptions, *, every_failure: bool = False) -> SchedulingOptions:
    """What the options say where kube-scheduler leaves room."""
    return SchedulingOptions(
        tie_break=options.tie_break,
        sampling=options.sampling,
        seed=options.seed,
        every_failure=every_failure,
    )


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Paths, and references TYPE/NAME or, as for kubectl, TYPE NAME...; what exists as a file is a path."""
    if len(arguments) > 1 and not any("/" in one or Path(one).exists() for one in arguments):
        kind, *names = arguments
        if kind_named(kind) is not None:
            return [], [(kind.lower(), name) for name in names]
    paths: list[str] = []
    references: list[tuple[str, str]] = []
    for argument in arguments:
        match = _REFERENCE.fullmatch(argument)
        if Path(argument).exists():
            paths.append(argument)
        elif match:
            references.append((match["kind"].lower(), match["name"]))
        elif _BARE_NAME.fullmatch(argument):
            name = "NAME" if kind_named(argument) else argument
            raise UsageError(
                f"there is no file {argument}",
                hint=f"A pod or workload of the cluster is named with its type: pod/{name}, deployment/{name}.",
            )
        else:
            paths.append(argument)
    return paths, references
