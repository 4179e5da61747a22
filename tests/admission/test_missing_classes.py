"""A class that the input lacks may well be in the cluster: the refusal says what to do."""

import pytest
from builders import admission_context, made, node
from builders import pod as plain

from kschedctl.admission.chain import Admission
from kschedctl.admission.invalid import Invalid
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain_pod
from kschedctl.questions.scheduler import scheduler_of

from .builders import pod


@pytest.mark.parametrize(
    ("spec", "kind"),
    [({"priorityClassName": "gone"}, "PriorityClass"), ({"runtimeClassName": "gone"}, "RuntimeClass")],
)
def test_the_hint_names_the_class(spec: dict[str, str], kind: str) -> None:
    hint = f"{kind} gone is not in the input; add its manifest, or take the snapshot with that kind"

    refused = Admission(admission_context()).admit_candidate(pod(**spec))
    assert isinstance(refused, Invalid)
    assert refused.hint == hint

    answer = explain_pod(Cluster([made(node("n1"))], scheduler_of()), made(plain("p", **spec)))
    assert answer.advice == hint


def test_other_refusals_say_themselves_what_is_wrong() -> None:
    refused = Admission(admission_context()).admit_candidate(pod(restartPolicy="Sometimes"))
    assert isinstance(refused, Invalid)
    assert refused.hint is None
