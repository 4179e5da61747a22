"""What a decision tells is of the cluster that it was taken in: afterwards it is an error to ask for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders import enter, node, pod, session

from kschedctl.errors import StaleDecisionError
from kschedctl.scheduling.cycle import with_every_failure
from kschedctl.scheduling.decision import Decision

READS: dict[str, Callable[[Decision], object]] = {
    "status": lambda decision: decision.status_of(0),
    "failures": lambda decision: decision.failures_of(0),
    "details": lambda decision: decision.details_of(0),
    "background": lambda decision: decision.background(),
    "advice": lambda decision: decision.advice(),
    "every failure": lambda decision: with_every_failure(decision).failures_of(0),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_it_is_an_error_until_the_change_is_undone(read: Callable[[Decision], object]) -> None:
    asked = session([node("n1", cpu="1"), node("n2", cpu="1")], [pod("runs", "n1", cpu="1")])
    cluster = asked.cluster
    decision = asked.scheduler.decide(enter(asked, pod("large", cpu="8")), cluster)
    before = repr(read(decision))

    mark = cluster.mark()
    cluster.remove(0)
    with pytest.raises(
        StaleDecisionError, match="the cluster has changed since the decision for default/large"
    ):
        read(decision)
    cluster.undo_to(mark)

    assert repr(read(decision)) == before


def test_other_questions_do_not_age_a_decision() -> None:
    asked = session([node("n1", cpu="1")], [])
    first = asked.scheduler.decide(enter(asked, pod("large", cpu="8")), asked.cluster)
    asked.scheduler.decide(enter(asked, pod("other", cpu="9")), asked.cluster)
    assert str(first.status_of(0)) != "None"
