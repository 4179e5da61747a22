"""What was measured of a run: as a table, and as Prometheus text under the names of kube-scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from kschedctl.framework.timings import BOUNDS, Series, Timings

_PLUGIN: Final = "scheduler_plugin_execution_duration_seconds"
_POINT: Final = "scheduler_framework_extension_point_duration_seconds"
_ATTEMPT: Final = "scheduler_scheduling_attempt_duration_seconds"
_ATTEMPTS: Final = "scheduler_schedule_attempts_total"
_PENDING: Final = "scheduler_pending_pods"
_WORTH_A_LINE: Final = 0.01
"""Share of the whole from which on a plugin is told."""


def timings_lines(timings: Timings) -> list[str]:
    """The extension points by what their plugins took, slowest first, and the attempts."""
    if not timings.plugins:
        return ["no pod was tried, so that no plugin was asked"]
    whole = sum(series.total for series in timings.attempts.values())
    by_point: dict[str, list[tuple[str, Series]]] = {}
    for (point, plugin), series in sorted(timings.plugins.items(), key=lambda item: -item[1].total):
        by_point.setdefault(point, []).append((plugin, series))
    rows: list[tuple[str, ...]] = [("", "calls", "total", "each", "share")]
    for point, plugins in sorted(by_point.items(), key=lambda item: -_sum_of(item[1]).total):
        rows.append(_row(point, _sum_of(plugins), whole))
        slow = [(plugin, series) for plugin, series in plugins if series.total >= _WORTH_A_LINE * whole]
        rows += [_row(f"  {plugin}", series, whole) for plugin, series in slow]
        if rest := plugins[len(slow) :]:
            rows.append(
                _row(f"  {len(rest)} others" if len(rest) > 1 else f"  {rest[0][0]}", _sum_of(rest), whole)
            )
    lines = list(_aligned(rows))
    lines += [
        f"{series.count} {result} by profile {profile}, {_time(series.total / series.count)} each"
        for (profile, result), series in sorted(timings.attempts.items())
    ]
    in_plugins = sum(series.total for series in timings.plugins.values())
    lines.append(f"attempts took {_time(whole)}, {_time(in_plugins)} of that in plugins")
    if timings.pending:
        left = ", ".join(f"{count} {queue}" for queue, count in timings.pending.items())
        lines.append(f"left in the queue: {left}")
    return lines


def _sum_of(plugins: Sequence[tuple[str, Series]]) -> Series:
    return Series(sum(s.count for _, s in plugins), sum(s.total for _, s in plugins))


def _row(title: str, series: Series, whole: float) -> tuple[str, ...]:
    share = f"{100 * series.total / whole:.0f} %" if whole else ""
    return title, str(series.count), _time(series.total), _time(series.total / series.count), share


def metrics_text(timings: Timings) -> str:
    """Everything in the text format of Prometheus."""
    plugins = [
        ({"extension_point": point, "plugin": plugin}, series)
        for (point, plugin), series in timings.plugins.items()
    ]
    points = [
        ({"extension_point": point, "profile": profile}, series)
        for (profile, point), series in timings.points.items()
    ]
    attempts = [
        ({"profile": profile, "result": result}, series)
        for (profile, result), series in timings.attempts.items()
    ]
    lines = [
        *_histogram(_PLUGIN, "Time of one call of a plugin, over all nodes that it is asked about.", plugins),
        *_histogram(_POINT, "Time of all plugins of an extension point in one attempt.", points),
        *_histogram(_ATTEMPT, "Time of one attempt to schedule a pod.", attempts),
        *_head(_ATTEMPTS, "Attempts to schedule a pod.", "counter"),
        *(f"{_ATTEMPTS}{_labels(labels)} {series.count}" for labels, series in _sorted(attempts)),
    ]
    if timings.pending:
        lines += _head(_PENDING, "Pods that are left in a queue at the end.", "gauge")
        lines += [
            f"{_PENDING}{_labels({'queue': queue})} {count}" for queue, count in timings.pending.items()
        ]
    return "\n".join(lines) + "\n"


Labelled = tuple[dict[str, str], Series]


def _sorted(found: Iterable[Labelled]) -> list[Labelled]:
    return sorted(found, key=lambda item: tuple(item[0].values()))


def _histogram(name: str, help_text: str, found: Iterable[Labelled]) -> Iterator[str]:
    yield from _head(name, help_text, "histogram")
    for labels, series in _sorted(found):
        below = 0
        for bound, count in zip(BOUNDS, series.buckets, strict=True):
            below += count
            yield f"{name}_bucket{_labels({**labels, 'le': f'{bound:g}'})} {below}"
        yield f"{name}_bucket{_labels({**labels, 'le': '+Inf'})} {series.count}"
        yield f"{name}_sum{_labels(labels)} {series.total:.9g}"
        yield f"{name}_count{_labels(labels)} {series.count}"


def _head(name: str, help_text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]


def _labels(labels: Mapping[str, str]) -> str:
    shown = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + ",".join(shown) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _time(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.0f} µs"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as columns, all but the first one numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *numbers in rows:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
