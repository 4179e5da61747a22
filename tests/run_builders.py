"""Runs in few words: what happens when, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from builders import Data, made, session

from kschedctl.admission.chain import Admission
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.versions import Version, version_of
from kschedctl.objects.kinds import KINDS
from kschedctl.run.api_server import ApiServer
from kschedctl.run.entries import Entry, create, delete, find, write
from kschedctl.run.run import Run, RunOptions
from kschedctl.run.story import Happening, RunEvent
from kschedctl.scheduling.options import Sampling, TieBreak

V1_36 = version_of("1.36")


class Story:
    """A cluster in which things happen; `play` lets them."""

    def __init__(
        self,
        *objects: Any,
        config: Data | None = None,
        version: Version = V1_36,
        gates: Mapping[str, bool] | None = None,
        plugins: Sequence[type[AnyPlugin]] = (),
        **world: Any,
    ) -> None:
        found = session(
            *objects,
            config=config,
            version=version,
            gates=gates,
            plugins=plugins,
            tie_break=TieBreak.UPSTREAM,
            sampling=Sampling.UPSTREAM,
            score_single=False,
        )
        self.admission: Admission = found.admission
        self.run = Run(found.cluster, found.scheduler, RunOptions(**world))
        self._entries: list[Entry] = []

    def create(self, at: float, *objects: Data) -> Story:
        """Objects that are made at a time."""
        for data in objects:
            self._do(at, lambda api, data=data: create(api, made(data), self.admission))
        return self

    def change(self, at: float, kind: str, name: str, change: Mapping[str, Any]) -> Story:
        """Fields of an object that are written at a time, by paths such as `spec.unschedulable`."""

        def apply(api: ApiServer) -> None:
            import msgspec

            old = find(api, _type(kind), name)
            assert old is not None
            data = msgspec.to_builtins(old)
            for path, value in change.items():
                *parents, last = path.split(".")
                part = data
                for parent in parents:
                    part = part.setdefault(parent, {})
                part[last] = value
            write(api, msgspec.convert(data, type(old)), self.admission)

        return self._do(at, apply)

    def delete(self, at: float, kind: str, name: str, grace: int | None = None) -> Story:
        """An object that is deleted at a time."""
        return self._do(at, lambda api: delete(api, _type(kind), name, grace=grace))

    def _do(self, at: float, apply: Any) -> Story:
        self._entries.append(Entry(at, apply))
        return self

    def play(self, until: float | None = None) -> Story:
        """Let it happen."""
        self.run.run(self._entries, until)
        return self

    @property
    def told(self) -> list[str]:
        """What happened, each as `TIME what pod ...` without the namespace."""
        return [_line(event) for event in self.run.story.events]

    def of(self, pod: str) -> list[str]:
        """What happened to one pod, as above without its name."""
        events = [e for e in self.run.story.events if e.pod == f"default/{pod}"]
        return [_line(event).replace(f" {pod}", "", 1) for event in events]

    @property
    def nodes(self) -> dict[str, str]:
        """Pod -> its node, empty for none."""
        return {pod.name: pod.node_name for pod in self.run.api.pods.values()}


def _type(kind: str) -> Any:
    return next(known.type for known in KINDS if known.kind == kind)


def _line(event: RunEvent) -> str:
    name = event.pod.removeprefix("default/")
    parts = [f"{event.at:g}", event.happening.value, name]
    match event.happening:
        case Happening.WAITS:
            parts += [event.node or "", "for", *event.plugins]
        case Happening.SCHEDULED | Happening.NOMINATED:
            parts.append(event.node or "-")
        case Happening.QUEUED:
            parts += [event.queue, event.by]
        case Happening.FAILED:
            parts += [*event.plugins, "->", event.queue]
        case Happening.GATED:
            parts += event.plugins
        case Happening.PREEMPTED:
            parts += [event.node or "", "by", event.by.removeprefix("default/")]
    return " ".join(parts)
