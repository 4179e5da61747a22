"""What happened, in sentences."""

from typing import Any

import pytest

from kschedctl.reports.simulate.model import TimelineEvent
from kschedctl.reports.simulate.timeline import told


def event(at: float, what: str, pod: str, **more: Any) -> TimelineEvent:
    parts: dict[str, Any] = {"node": None, "message": "", "plugins": [], "queue": "", "by": ""}
    return TimelineEvent(at=at, event=what, pod=pod, **(parts | more))  # type: ignore[arg-type]


def failed(
    at: float, pod: str, why: str = "0/1 nodes are available: 1 Insufficient cpu. more"
) -> TimelineEvent:
    return event(at, "FailedScheduling", pod, message=why)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(
            [event(0, "Queued", "a"), event(0, "Scheduled", "a", node="n")],
            [("0 s", "a is bound to n")],
            id="a pod that is new is not told to be in the queue",
        ),
        pytest.param(
            [event(0, "Scheduled", p, node=n) for p, n in zip("abcd", "nmnm", strict=True)],
            [("0 s", "a, b and 2 more are bound to n and m")],
            id="pods that are bound in a row",
        ),
        pytest.param(
            [
                failed(0, "x"),
                event(0, "Preempted", "low", node="n", by="x"),
                event(0, "Nominated", "x", node="n"),
                event(30, "Gone", "low"),
                event(30, "Queued", "x", queue="Active", by="AssignedPodDelete"),
                event(30, "Scheduled", "x", node="n"),
            ],
            [
                ("0 s", "x evicts low from n, and waits for the room"),
                ("30 s", "low is gone, which wakes x"),
                ("", "x is bound to n"),
            ],
            id="a preemptor waits for its victim",
        ),
        pytest.param(
            [failed(0, "x"), event(5, "Queued", "x", by="NodeAdd"), failed(5, "x")],
            [
                ("0 s", "x finds no node: 0/1 nodes are available: 1 Insufficient cpu"),
                ("5 s", "x is tried again: there is another node"),
                ("", "x still finds no node"),
            ],
            id="a pod that fails as before",
        ),
        pytest.param(
            [event(0, "Gated", "x", plugins=["SchedulingGates"])],
            [("0 s", "x is kept out of the queue by SchedulingGates")],
            id="gated",
        ),
        pytest.param(
            [
                event(0, "Scheduled", "db-0", node="n"),
                event(30, "Gone", "db-0"),
                event(30, "Queued", "db-0", by="UnscheduledPodAdd"),
                event(30, "Scheduled", "db-0", node="m"),
            ],
            [
                ("0 s", "db-0 is bound to n"),
                ("30 s", "db-0 is gone"),
                ("", "db-0 is made anew"),
                ("", "db-0 is bound to m"),
            ],
            id="a pod of the same name takes the place of one that is gone",
        ),
        pytest.param(
            [failed(0, "x"), event(1, "Nominated", "x", node="")],
            [
                ("0 s", "x finds no node: 0/1 nodes are available: 1 Insufficient cpu"),
                ("1 s", "no room is kept for x any more"),
            ],
            id="a nomination that is gone",
        ),
    ],
)
def test_sentences(events, expected):
    assert told(events) == expected
