from typing import Any

import pytest

from kschedctl.admission.tolerations import merge_tolerations, with_default_tolerations
from kschedctl.objects.constraints import Toleration

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"


def toleration(key: str = "", **fields: Any) -> Toleration:
    return Toleration(key=key, **fields)


@pytest.mark.parametrize(
    ("written", "added"),
    [
        (None, [NOT_READY, UNREACHABLE]),
        (toleration("other", operator="Exists"), [NOT_READY, UNREACHABLE]),
        (toleration(NOT_READY, operator="Equal", value="x"), [UNREACHABLE]),
        (toleration(UNREACHABLE, effect="NoExecute"), [NOT_READY]),
        (toleration(NOT_READY, operator="Exists", effect="NoSchedule"), [NOT_READY, UNREACHABLE]),
        (toleration(operator="Exists"), []),
        (toleration(operator="Exists", effect="NoExecute"), []),
        (toleration(operator="Exists", effect="NoSchedule"), [NOT_READY, UNREACHABLE]),
    ],
    ids=["none", "other", "any-value", "one", "other-effect", "all", "all-no-execute", "all-no-schedule"],
)
def test_default_tolerations(written: Toleration | None, added: list[str]) -> None:
    own = () if written is None else (written,)
    result = with_default_tolerations(own)
    assert result == own + tuple(
        toleration(key, operator="Exists", effect="NoExecute", toleration_seconds=300) for key in added
    )
    assert with_default_tolerations(result) == result


A_EXISTS = toleration("a", operator="Exists")
A_IS_1 = toleration("a", operator="Equal", value="1")
A_IS_1_SHORT = toleration("a", value="1", effect="NoExecute", toleration_seconds=5)
A_IS_1_LONG = toleration("a", value="1", effect="NoExecute", toleration_seconds=50)
A_IS_1_FOREVER = toleration("a", value="1", effect="NoExecute")
ALL = toleration(operator="Exists")
B = toleration("b", value="1")


@pytest.mark.parametrize(
    ("every", "kept"),
    [
        ([A_IS_1, A_IS_1], [A_IS_1]),
        ([A_IS_1, A_EXISTS], [A_EXISTS]),
        ([A_EXISTS, A_IS_1], [A_EXISTS]),
        ([A_IS_1, B, ALL], [ALL]),
        ([A_IS_1, B], [A_IS_1, B]),
        ([A_IS_1_SHORT, A_IS_1_LONG], [A_IS_1_LONG]),
        ([A_IS_1_LONG, A_IS_1_FOREVER], [A_IS_1_FOREVER]),
        ([A_IS_1_LONG, A_IS_1], [A_IS_1]),
        ([toleration("a", effect="NoSchedule", value="1"), A_IS_1_FOREVER], None),
    ],
    ids=["same", "later", "earlier", "everything", "apart", "longer", "forever", "any-effect", "effects"],
)
def test_redundant_tolerations_are_dropped(every: list[Toleration], kept: list[Toleration] | None) -> None:
    expected = tuple(every if kept is None else kept)
    assert merge_tolerations(every[:1], every[1:]) == expected
