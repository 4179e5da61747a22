"""The pieces of tables for people."""

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import fitted, pairs, print_text

NAMES = st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=40)


@given(NAMES, st.integers(20, 80))
def test_names_that_do_not_fit_are_counted(names, width):
    text = fitted(names, width)
    assert len(text) <= width
    shown = text.split(" +")[0].split()
    left = int(text.split(" +")[1]) if " +" in text else 0
    assert shown == names[: len(shown)]
    assert len(shown) + left == len(names)


def test_one_name_is_shown_however_long_it_is():
    assert fitted(["a" * 30, "b"], 10) == "a" * 30 + " +1"


def test_colours_are_there_when_asked_for_only():
    part = Text("yes", "bold green")
    assert print_text([part], Look()) == "yes"
    assert print_text([part], Look(color=True)) == "\x1b[1;32myes\x1b[0m"


def test_marks_have_a_form_for_terminals_without_unicode():
    assert print_text([Text("✓ a ✗ b")], Look(unicode=False)) == "+ a x b"


def test_long_text_goes_on_below_itself():
    text = print_text([pairs([("label", "one two three four")])], Look(width=20))
    assert text.splitlines() == ["  label  one two", "         three four"]


def test_text_in_brackets_is_no_markup():
    assert print_text([pairs([("a", "wants In [ssd] [bold]x")])], Look()) == "  a  wants In [ssd] [bold]x"
