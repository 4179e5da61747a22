"""From arguments to the pods that are asked about: what `explain` and `preempt` share."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from commands.errors import ExitCode
from commands.inputs import load_cluster, split_arguments
from commands.options import CandidateOptions, ClusterOptions, SchedulerOptions
from kschedctl.asking import Asked, asked_by_manifests, asked_existing, asked_pending
from kschedctl.errors import UsageError

if TYPE_CHECKING:
    from kschedctl.observer import Observer

_NO_ANSWER = ("Invalid", "Error")


def asked_for(
    arguments: Sequence[str],
    candidates: CandidateOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    observer: Observer,
    *,
    every_failure: bool = False,
) -> list[Asked]:
    """The pods of files, then those of the cluster by TYPE/NAME; all that is pending where nothing is asked for.

    Raises:
        UsageError: nothing is asked for, and nothing is pending.
        KschedError: an input cannot be used.
    """
    paths, references = split_arguments(arguments)
    paths += map(str, candidates.filename or [])
    loaded = load_cluster(cluster, scheduler, observer, beside=paths, every_failure=every_failure)
    namespace = None if candidates.all_namespaces else candidates.namespace
    if not paths and not references:
        pending = asked_pending(loaded, namespace)
        if not pending:
            raise UsageError("no pod of the cluster is pending", hint="Pass a file with a pod, or pod/NAME.")
        return pending
    asked = asked_by_manifests(loaded, paths, namespace=namespace, stdin=sys.stdin.buffer, observer=observer)
    return asked + [asked_existing(loaded, name, namespace or "default", kind) for kind, name in references]


def exit_code(outcomes: Sequence[str], yes: Collection[str]) -> ExitCode:
    """The worst of the outcomes decides."""
    if any(outcome in _NO_ANSWER for outcome in outcomes):
        return ExitCode.FAILED
    return ExitCode.YES if all(outcome in yes for outcome in outcomes) else ExitCode.NO
