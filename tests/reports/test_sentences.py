"""Sentences that need no cluster."""

import pytest

from kschedctl.reports.explain.model import (
    PreemptionCandidate,
    PreemptionFailure,
    PreemptionReport,
    Victim,
)
from kschedctl.reports.explain.sentences import preemption
from kschedctl.reports.sentences import listed, plural


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_names_are_listed_as_in_a_sentence(names, text):
    assert listed(names) == text


def test_one_is_not_many():
    assert [plural(count, "node") for count in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]


def candidate(node, victims=1, violations=0):
    pods = [
        Victim(namespace="default", name=f"v{i}", priority=0, breaks_budget=i < violations)
        for i in range(victims)
    ]
    return PreemptionCandidate(node=node, victims=pods, pdb_violations=violations, lost_by=None)


def failed(node, plugin=""):
    return PreemptionFailure(node=node, plugin=plugin, code="Unschedulable", reasons=["no"])


def report(candidates=(), chosen=(), failures=(), *, eligible=True, message=""):
    return PreemptionReport(
        eligible=eligible,
        nominated=chosen[0] if chosen else None,
        chosen=list(chosen),
        candidates=list(candidates),
        failed=list(failures),
        message=message,
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            report(eligible=False, message="not eligible due to preemptionPolicy=Never."),
            "does not ask for it: the preemptionPolicy of the pod, or of its priority class, is Never",
        ),
        (report([candidate("n2")], ["n2"]), "helps on n2 (1 victim): default/v0 (priority 0) goes"),
        (
            report([candidate("n2"), candidate("n5", 3)], ["n2"]),
            "helps on n2 (1 victim) and n5 (3 victims); n2 would be chosen: default/v0 (priority 0) goes",
        ),
        (
            report([candidate("n2"), candidate("n5")], ["n2", "n5"]),
            "helps on n2 (1 victim) and n5 (1 victim); one of n2 and n5 would be chosen at random",
        ),
        (
            report([candidate("n2", 2, 1)], ["n2"]),
            "helps on n2 (2 victims, 1 against a disruption budget): default/v0 (priority 0) and default/v1 "
            "(priority 0) go",
        ),
        (
            report([candidate("n2", 5)], ["n2"]),
            "helps on n2 (5 victims): default/v0 (priority 0), default/v1 (priority 0) and 3 more go",
        ),
        (report(), "cannot help: evicting pods would change nothing on any node"),
        (
            report(failures=[failed("n1"), failed("n2")]),
            "cannot help: no pods of lower priority on n1 and n2",
        ),
        (
            report(failures=[failed(f"n{i}") for i in range(9)]),
            "cannot help: no pods of lower priority on 9 nodes",
        ),
        (
            report(failures=[failed("n1"), failed("n2", "NodePorts")]),
            "cannot help: no pods of lower priority on n1; n2 has no place even without them: no",
        ),
        (
            report(failures=[failed("n2", "NodePorts")]),
            "cannot help: n2 has no place even without the pods of lower priority: no",
        ),
    ],
)
def test_preemption_is_told_in_a_sentence(found, text):
    assert preemption(found) == text
