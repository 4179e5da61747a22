"""How long failures make a pod wait (spec 01 §8.3)."""

import pytest

from kschedctl.run.backoff import Backoff
from kschedctl.run.clock import SECOND


def at(seconds):
    return round(seconds * SECOND)


@pytest.mark.parametrize(
    ("initial", "maximum", "seconds"),
    [
        pytest.param(1, 10, [0, 1, 2, 4, 8, 10, 10], id="doubled up to ten seconds"),
        pytest.param(2, 60, [0, 2, 4, 8, 16, 32, 60], id="as configured"),
        pytest.param(5, 5, [0, 5, 5, 5], id="never more than the first"),
        pytest.param(1, 0, [0, 0, 0], id="none at all"),
    ],
)
def test_duration(initial, maximum, seconds):
    backoff = Backoff(initial, maximum)
    assert [backoff.duration(n) for n in range(len(seconds))] == [s * SECOND for s in seconds]


def test_many_failures_wait_no_longer():
    assert Backoff().duration(10_000) == 10 * SECOND


@pytest.mark.parametrize(
    ("failed", "now", "over"),
    [
        pytest.param(12.3, 13.9, False, id="within the second in which it ends"),
        pytest.param(12.3, 14.0, True, id="after that second"),
        pytest.param(0.0, 1.0, False, id="exactly then is not after"),
        pytest.param(0.0, 2.0, True, id="the flush of second 2"),
    ],
)
def test_waits_end_with_their_second(failed, now, over):
    backoff = Backoff()
    assert backoff.has_ended(backoff.expiry(at(failed), 1), at(now)) is over


def test_without_popping_when_idle_times_are_exact():
    backoff = Backoff(pops_when_idle=False)
    expiry = backoff.expiry(at(12.3), 1)
    assert [backoff.has_ended(expiry, at(now)) for now in (13.29, 13.3, 13.31)] == [False, False, True]


def test_who_never_failed_waits_for_nothing():
    backoff = Backoff()
    assert backoff.has_ended(backoff.expiry(at(5), 0), at(5))
