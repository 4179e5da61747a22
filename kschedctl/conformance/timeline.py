"""Scenarios in time: what happens when, and what the golden files hold of it (spec 08 §6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from msgspec.structs import replace as with_fields

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.cluster.state import ClusterState
from kschedctl.conformance.emit import Result
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.objects.pod import PodStatus
from kschedctl.run.api_server import is_done
from kschedctl.run.entries import Entry
from kschedctl.run.run import Run, RunOptions
from kschedctl.run.story import RunEvent
from kschedctl.run.written_entries import carry_out
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

IN_TIME = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM)
LONGEST_MESSAGE: Final = 1024
"""Bytes of the note of an event."""
_ALL_NODES: Final = 100
_NO_REPLACEMENT: Final = ("DaemonSet", "Node")
_LATE: Final = ("StatefulSet",)
"""Controllers that make a pod anew under its name, once the old one is gone."""


class TimeScenario(Struct, frozen=True):
    """What happens in time.

    Attributes:
        timeline: entries as written.
        replaces: pods with a controller are made anew.
        exit_after: seconds in which pods exit.
        refused_bindings: pods whose first binding fails.
        until: when it ends, None for when nothing is left.
        samples: not all nodes are looked at.
    """

    timeline: tuple[Mapping[str, Any], ...]
    replaces: bool
    exit_after: float | None
    refused_bindings: tuple[str, ...]
    until: float | None
    samples: bool


def time_scenario(data: Mapping[str, Any]) -> TimeScenario:
    """What a scenario says of time."""
    world = data.get("world") or {}
    return TimeScenario(
        timeline=tuple(data.get("timeline") or ()),
        replaces=bool(world.get("replace")),
        exit_after=world.get("exitAfter"),
        refused_bindings=tuple(world.get("bindError") or ()),
        until=data.get("until") or None,
        samples=bool(data.get("native")),
    )


def in_time(configuration: SchedulerConfiguration, time: TimeScenario) -> SchedulerConfiguration:
    """The configuration of a recording: every node is scored unless the scenario says otherwise."""
    return configuration if time.samples else every_node_scored(configuration)


def every_node_scored(configuration: SchedulerConfiguration) -> SchedulerConfiguration:
    """The configuration without sampling."""
    profiles = tuple(replace(p, percentage_of_nodes_to_score=None) for p in configuration.profiles)
    return replace(configuration, percentage_of_nodes_to_score=_ALL_NODES, profiles=profiles)


def replay_in_time(session: Session, time: TimeScenario, rebuilt: Callable[[ClusterState], None]) -> Result:
    """Run a scenario, and tell what happened in the golden shape.

    Args:
        session: the cluster and its scheduler.
        time: what happens.
        rebuilt: called when what is kept of claims and volumes is made anew.
    """
    options = RunOptions(
        controllers=_Copies() if time.replaces else None,
        exit_after=time.exit_after,
        refused_bindings=time.refused_bindings,
        rebuilt=rebuilt,
    )
    run = Run(session.cluster, session.scheduler, options)
    run.run([_entry(item, session.admission) for item in time.timeline], time.until)
    return {
        "timeline": [_told(event) for event in run.story.events],
        "pods": {key: _end(run, key) for key, pod in run.api.pods.items() if not is_done(pod)},
    }


def _told(event: RunEvent) -> Result:
    told: Result = {"at": event.at, "event": str(event.happening), "pod": event.pod}
    if event.node is not None:
        told["node"] = event.node
    if event.message:
        told["message"] = shortened(event.message)
    if event.plugins:
        told["plugins"] = list(event.plugins)
    for name, value in (("queue", event.queue), ("by", event.by)):
        if value:
            told[name] = value
    return told


def shortened(message: str) -> str:
    """The note of an event: cut where it is too long, with dots that say so."""
    data = message.encode()
    if len(data) <= LONGEST_MESSAGE:
        return message
    return data[: LONGEST_MESSAGE - 4].decode(errors="ignore") + " ..."


def _end(run: Run, key: str) -> Result:
    pod, pool = run.api.pods[key], run.queue.pool_of(key)
    parts = {
        "node": pod.node_name,
        "nominated": pod.nominated_node_name,
        "queue": pool.value if pool is not None else "",
        "terminating": pod.is_terminating,
    }
    return {name: value for name, value in parts.items() if value}


def _entry(item: Mapping[str, Any], admission: Admission) -> Entry:
    return Entry(item["at"], lambda api: carry_out(item, api, admission))


class _Copies:
    """Controllers of the recordings: a copy under a numbered name at once, or under the same name later."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()

    def replacements(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod]:
        """The copy of a pod that has a controller."""
        owner = pod.metadata.controller
        if owner is None or owner.kind in _NO_REPLACEMENT:
            return
        if owner.kind in _LATE:
            if gone:
                yield _fresh(pod, pod.name)
        elif not gone:
            base, _, number = pod.name.rpartition("-r")
            first = base if number and self._numbers[f"{pod.namespace}/{base}"] else pod.name
            self._numbers[f"{pod.namespace}/{first}"] += 1
            yield _fresh(pod, f"{first}-r{self._numbers[f'{pod.namespace}/{first}']}")


def _fresh(pod: AdmittedPod, name: str) -> AdmittedPod:
    metadata = with_fields(pod.metadata, name=name, uid="", deletion_timestamp=None)
    return replace(pod, metadata=metadata, status=PodStatus(phase="Pending"), node_name="")
