import pytest

from kschedctl.objects.phrases import and_more, names_text, plural


@pytest.mark.parametrize(("count", "told"), [(0, "0 pods"), (1, "1 pod"), (2, "2 pods")])
def test_plurals(count, told):
    assert plural(count, "pod") == told


@pytest.mark.parametrize(
    ("names", "told"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_names_beyond_the_most_are_counted(names, told):
    assert names_text(names, 2) == told


def test_names_may_be_left_out_before():
    assert and_more(["a"], 12) == "a and 11 more"
