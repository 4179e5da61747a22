"""How long plugins take: a clock around the calls of plugins that were made for it. Others know nothing of it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from msgspec import Struct, field

from kschedctl.framework.plugin import AnyPlugin, Plugin
from kschedctl.framework.registry import Registry

P = ParamSpec("P")
R = TypeVar("R")

_METHODS: Final = {
    "pre_enqueue": "PreEnqueue",
    "pre_filter": "PreFilter",
    "filter": "Filter",
    "post_filter": "PostFilter",
    "pre_score": "PreScore",
    "score": "Score",
    "normalize": "ScoreExtensionNormalize",
    "reserve": "Reserve",
    "pre_bind": "PreBind",
    "generate_placements": "PlacementGenerate",
    "score_placement": "PlacementScore",
    "group_post_filter": "PodGroupPostFilter",
}
"""Method of a plugin -> the extension point by which kube-scheduler's metrics name it."""
_ADD_POD: Final = "PreFilterExtensionAddPod"
_REMOVE_POD: Final = "PreFilterExtensionRemovePod"

BOUNDS: Final = tuple(0.0001 * 2**i for i in range(12))
"""Upper bounds in seconds of the buckets of kube-scheduler's scheduler_framework_extension_point_duration_seconds."""


class Series(Struct):
    """Durations that were observed.

    Attributes:
        count: how many.
        total: their sum in seconds.
        buckets: how many fall below each of `BOUNDS` and not below the one before.
    """

    count: int = 0
    total: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))

    def observe(self, seconds: float) -> None:
        """Take one in."""
        self.count += 1
        self.total += seconds
        for i, bound in enumerate(BOUNDS):
            if seconds <= bound:
                self.buckets[i] += 1
                break


class Timings:
    """What was measured.

    Attributes:
        plugins: `(extension point, plugin)` -> its calls, each over all nodes that it is asked about. What other
            plugins take that are called meanwhile is theirs.
        points: `(profile, extension point)` -> what its plugins took in one attempt.
        attempts: `(profile, result)` -> whole attempts.
        pending: queue -> how many pods are left in it at the end, where there is a queue.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.plugins: dict[tuple[str, str], Series] = {}
        self.points: dict[tuple[str, str], Series] = {}
        self.attempts: dict[tuple[str, str], Series] = {}
        self.pending: dict[str, int] = {}
        self._clock = clock
        self._inner = 0.0
        self._in_attempt: dict[str, float] = {}

    def around(self, point: str, plugin: str, call: Callable[P, R]) -> Callable[P, R]:
        """The same call, measured."""

        @functools.wraps(call)
        def measured(*args: P.args, **kwargs: P.kwargs) -> R:
            outer, self._inner = self._inner, 0.0
            start = self._clock()
            try:
                return call(*args, **kwargs)
            finally:
                took = self._clock() - start
                own = took - self._inner
                self._inner = outer + took
                _series(self.plugins, (point, plugin)).observe(own)
                self._in_attempt[point] = self._in_attempt.get(point, 0.0) + own

        return measured

    def attempt(self, profile: str, result: str, seconds: float) -> None:
        """An attempt has ended; the calls since the one before were its own."""
        _series(self.attempts, (profile, result)).observe(seconds)
        for point, took in self._in_attempt.items():
            _series(self.points, (profile, point)).observe(took)
        self._in_attempt.clear()

    def now(self) -> float:
        """Seconds on the clock."""
        return self._clock()


def _series(found: dict[tuple[str, str], Series], key: tuple[str, str]) -> Series:
    return found.setdefault(key, Series())


def timed(registry: Registry, timings: Timings) -> Registry:
    """The same plugins, each a class of its own whose calls are measured."""
    return Registry(_timed(plugin, timings) for plugin in registry.values())


def _timed(plugin: type[AnyPlugin], timings: Timings) -> type[AnyPlugin]:
    name, measured = plugin.spec.name, dict[str, Any](__module__=plugin.__module__)
    for method, point in _METHODS.items():
        own = getattr(plugin, method)
        if own is not getattr(Plugin, method):
            measured[method] = timings.around(point, name, own)
    if plugin.change is not Plugin.change:
        added = timings.around(_ADD_POD, name, plugin.change)
        removed = timings.around(_REMOVE_POD, name, plugin.change)

        def change(self: AnyPlugin, state: Any, row_state: Any, rows: Any, pods: Any, sign: int) -> None:
            (added if sign > 0 else removed)(self, state, row_state, rows, pods, sign)

        measured["change"] = change
    return type(plugin.__name__, (plugin,), measured)
