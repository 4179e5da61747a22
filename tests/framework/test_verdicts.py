"""Verdicts of many rows at once."""

import numpy as np

from kschedctl.framework.status import Code, Status
from kschedctl.framework.verdicts import PASS, Verdicts, first_of

U, UU = int(Code.UNSCHEDULABLE), int(Code.UNRESOLVABLE)


def mask(*rows):
    made = np.zeros(4, bool)
    made[list(rows)] = True
    return made


def test_nothing_rejected_is_pass():
    assert Verdicts.reject(mask(), Code.UNSCHEDULABLE, "no") is PASS


def test_rejected_rows_have_code_and_reason():
    found = Verdicts.reject(mask(1, 3), Code.UNRESOLVABLE, "no")
    assert found.codes.tolist() == [0, UU, 0, UU]
    assert [found.reasons_of(row) for row in range(4)] == [(), ("no",), (), ("no",)]


def test_reasons_can_be_made_on_demand():
    found = Verdicts.reject(mask(2), Code.UNSCHEDULABLE, lambda row: f"row {row}")
    assert found.reasons_of(2) == ("row 2",)


def test_each_row_reports_its_first_failing_step():
    skew = Verdicts.reject(mask(0, 1), Code.UNSCHEDULABLE, "skew")
    label = Verdicts.reject(mask(1, 2), Code.UNRESOLVABLE, "label")
    found = first_of(skew, PASS, label)
    assert found.codes.tolist() == [U, U, UU, 0]
    assert [found.reasons_of(row) for row in range(4)] == [("skew",), ("skew",), ("label",), ()]


def test_steps_that_all_pass():
    assert first_of(PASS, PASS) is PASS


def test_messages_are_joined():
    assert Status(Code.UNSCHEDULABLE, ("a", "b")).message == "a, b"
    assert Code.UNRESOLVABLE.upstream == "UnschedulableAndUnresolvable"
