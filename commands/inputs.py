"""From options to what the engine is asked: the cluster, the scheduler, the candidates."""

from __future__ import annotations

import atexit
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kschedctl.errors import ClusterError, UsageError
from kschedctl.extenders.call import Transport
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.versions import parse_feature_gates
from kschedctl.objects.kind_names import kind_named
from kschedctl.objects.pod import Pod
from kschedctl.observer import Observer
from kschedctl.plugins.outside import load_plugin
from kschedctl.plugins.registry import IN_TREE
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.scheduler import WrittenScheduler, versions_in, written_scheduler
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import Loaded, load, together

from .messages import say
from .options import CLUSTER_VARIABLE, ClusterOptions, SchedulerOptions

if TYPE_CHECKING:
    from kschedctl.framework.timings import Timings

_BARE_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_REFERENCE = re.compile(r"(?P<kind>[A-Za-z][A-Za-z0-9.-]*)/(?P<name>[a-z0-9]([-.a-z0-9]*[a-z0-9])?)")


def load_cluster(
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    observer: Observer,
    *,
    beside: Iterable[Path | str | None] = (),
    every_failure: bool = False,
    namespace: str | None = None,
    timings: Timings | None = None,
) -> Cluster:
    """The cluster of the options with its scheduler: from files, else the live one of the kubeconfig, or from both.

    Args:
        cluster: which one.
        scheduler: its scheduler.
        observer: is told the progress.
        beside: other paths that the verb reads.
        every_failure: ask every plugin of every node.
        namespace: the only one of a live cluster to read where not all may be read.
        timings: where it is noted how long plugins take; None: nobody measures.

    Raises:
        UsageError: files with pods and a live cluster are asked for, or stdin is to be read twice.
        KschedError: the cluster or the configuration cannot be used.
    """
    if versions_in(scheduler.kubernetes_version) is not None:
        raise UsageError(
            "this verb asks one version of kube-scheduler",
            hint="explain and simulate compare the answers of two.",
        )
    found = load_clusters(
        cluster,
        scheduler,
        observer,
        [scheduler.kubernetes_version],
        beside=beside,
        every_failure=every_failure,
        namespace=namespace,
        timings=timings,
    )
    return found[0]


def load_clusters(
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    observer: Observer,
    versions: Sequence[str | None],
    *,
    beside: Iterable[Path | str | None] = (),
    every_failure: bool = False,
    namespace: str | None = None,
    timings: Timings | None = None,
) -> list[Cluster]:
    """The same with the schedulers of several versions, read once; arguments and errors as for `load_cluster`."""
    check_stdin(cluster, scheduler, beside)
    read = written_of(scheduler)
    written = [replace(read, version=version) for version in versions]
    for one in written:
        one.check()  # what does not hang on the cluster is refused before one is read
    options = replace(scheduling_options(scheduler, every_failure=every_failure), timings=timings)
    loaded, source = _load(cluster, namespace, observer)
    found = [Cluster.of(loaded, source, one, options) for one in written]
    if cluster.pod_templates is not None:
        from kschedctl.sources.custom_workloads import load_pod_templates

        templates = load_pod_templates(str(cluster.pod_templates))
        found = [replace(one, pod_templates=templates) for one in found]
    return [replace(one, transport=transport_of(scheduler, one.scheduler)) for one in found]


def cluster_maker(
    cluster: ClusterOptions, scheduler: SchedulerOptions, observer: Observer
) -> Callable[[tuple[str, ...], WrittenScheduler], Cluster]:
    """Makes clusters for sweeps: of files, or of none that of the options; inputs are read once.

    Raises:
        KschedError: a cluster or a configuration cannot be used.
    """
    options = scheduling_options(scheduler)
    read: dict[tuple[str, ...], tuple[Loaded, Sequence[str]]] = {}
    transports: dict[bool, Transport | None] = {False: None}

    def cluster_of(paths: tuple[str, ...], written: WrittenScheduler) -> Cluster:
        written.check()
        if paths not in read:
            given = ClusterOptions([Path(path) for path in paths]) if paths else cluster
            read[paths] = _load(given, None, observer)
        found = Cluster.of(*read[paths], written, options)
        asked = bool(found.scheduler.extenders)
        if asked not in transports:
            transports[asked] = transport_of(scheduler, found.scheduler)
        return replace(found, transport=transports[asked])

    return cluster_of


def _load(cluster: ClusterOptions, namespace: str | None, observer: Observer) -> tuple[Loaded, Sequence[str]]:
    """Files, the live cluster, or what files hold with the rest of the live cluster."""
    paths = [str(path) for path in cluster.cluster or ()]
    files = load(paths, stdin=sys.stdin.buffer, observer=observer) if paths else None
    live = cluster.kubeconfig or cluster.kube_context or cluster.as_user or cluster.as_groups
    if files is not None and not live:
        return files, paths
    given = frozenset(map(type, files.objects)) if files is not None else frozenset()
    if Pod in given:
        raise UsageError(
            "--cluster with pods does not go together with --kubeconfig, --context and --as",
            hint=f"Beside a live cluster it is for what may not be read there, such as nodes; {CLUSTER_VARIABLE} "
            "counts as --cluster.",
        )
    from kschedctl.live import TakeOptions, read_cluster

    from .live import connected

    try:
        connection = connected(cluster)
    except ClusterError as error:
        hint = f"{error.hint}, or read files with --cluster FILE"
        raise ClusterError(error.message, hint=hint) from None
    options = TakeOptions(timeout=cluster.timeout, namespace=namespace or "", given=given)
    found = read_cluster(connection, datetime.now(UTC), options, observer)
    return together(files, found) if files is not None else found, [*paths, str(connection)]


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


def written_of(options: SchedulerOptions) -> WrittenScheduler:
    """The scheduler of the options."""
    path = options.scheduler_config
    return written_scheduler(
        None if path is None else str(path),
        version=None if versions_in(options.kubernetes_version) else options.kubernetes_version,
        gates=parse_feature_gates(options.feature_gates),
        stdin=sys.stdin.buffer,
        registry=IN_TREE.with_plugins(*map(load_plugin, options.plugin or ())),
        ignore_unknown=options.ignore_unknown_plugins,
    )


def scheduling_options(options: SchedulerOptions, *, every_failure: bool = False) -> SchedulingOptions:
    """What the options say where kube-scheduler leaves room."""
    return SchedulingOptions(
        tie_break=options.tie_break,
        sampling=options.sampling,
        seed=options.seed,
        every_failure=every_failure,
    )


def transport_of(options: SchedulerOptions, configuration: SchedulerConfiguration) -> Transport | None:
    """What carries calls to the extenders: HTTP only where it is allowed, or a recording; None: nothing does.

    Raises:
        UsageError: there is no recording.
        InputError: the recording cannot be used.
    """
    recording = options.extender_recording
    if not options.allow_extenders and recording is None:
        return None
    from kschedctl.extenders.recording import Recorded, Recorder

    if not options.allow_extenders:
        assert recording is not None
        if not os.path.exists(recording):
            hint = "With --allow-extenders the extenders are asked, and it is written."
            raise UsageError(f"there is no recording of extenders {recording}", hint=hint)
        return Recorded(recording)
    from kschedctl.extenders.http import HttpTransport, hosts

    if configuration.extenders:
        told = ", ".join(hosts(configuration.extenders))
        say(f"sending pods and nodes to extenders at {told}")
    http = HttpTransport()
    atexit.register(http.close)
    return http if recording is None else Recorder(http, recording)


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Paths, and references TYPE/NAME or, as for kubectl, TYPE NAME...; what exists as a file is a path."""
    if len(arguments) > 1 and not any("/" in one or os.path.exists(one) for one in arguments):
        kind, *names = arguments
        if kind_named(kind) is not None:
            return [], [(kind.lower(), name) for name in names]
    paths: list[str] = []
    references: list[tuple[str, str]] = []
    for argument in arguments:
        match = _REFERENCE.fullmatch(argument)
        if os.path.exists(argument):
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
