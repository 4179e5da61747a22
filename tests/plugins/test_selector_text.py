"""Selectors in words."""

import pytest

from kschedctl.objects.selectors import EVERYTHING, NOTHING, Requirement, Selector
from kschedctl.plugins.explanations.wording import selector_text

WEB = Requirement("app", "In", ("web",))
REVISION = Requirement("pod-template-hash", "In", ("new7",))
TIERS = Requirement("tier", "In", ("a", "b"))
NO_CANARY = Requirement("track", "NotIn", ("canary",))


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        pytest.param(NOTHING, "no pods (no selector)", id="none"),
        pytest.param(EVERYTHING, "all pods", id="empty"),
        pytest.param(Selector((WEB, TIERS)), "app=web,tier in (a,b)", id="as kubectl"),
        pytest.param(Selector((NO_CANARY, NO_CANARY)), "track!=canary", id="the only one twice"),
        pytest.param(
            Selector((WEB, REVISION, REVISION)), "app=web,pod-template-hash=new7", id="merged label key"
        ),
        pytest.param(
            Selector((WEB, Requirement("app", "In", ("api",)))), "app=web,app=api", id="a contradiction"
        ),
    ],
)
def test_every_requirement_is_told_once(selector, text):
    assert selector_text(selector) == text
