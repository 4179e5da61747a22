"""A node that is refused because of pods nominated to it: the figures count them in, and say so."""

from builders import decide, node, pod, rejections, session


def details(*waiting):
    asked = session(node("n1", cpu="4"), *waiting)
    decision = decide(asked, pod("a", cpu="3"))
    return rejections(decision), [detail.text for detail in decision.details_of(0)]


def test_one_nominated_pod():
    assert details(pod("b", cpu="2", priority=5, nominated="n1")) == (
        {"n1": "Unschedulable NodeResourcesFit: Insufficient cpu"},
        ["cpu: needs 3, free 2 of 4, once default/b, nominated to it, is there"],
    )


def test_two_nominated_pods():
    waiting = (pod(name, cpu="1", priority=5, nominated="n1") for name in "bc")
    assert details(*waiting)[1] == [
        "cpu: needs 3, free 2 of 4, once default/b and default/c, nominated to it, are there"
    ]


def test_nominated_pods_are_not_told_of_where_they_make_no_difference():
    assert details(pod("b", cpu="1", priority=5, nominated="n1"), pod("c", "n1", cpu="2"))[1] == [
        "cpu: needs 3, free 2 of 4"
    ]
