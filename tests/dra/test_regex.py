"""Searching for regular expressions: what Python finds, in a time that grows with the text alone."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedctl.dra.regex import RegexError, find, find_all, problem

ATOMS = [
    "a",
    "b",
    "ab",
    "[ab]",
    "[^a]",
    ".",
    r"\d",
    r"\w",
    "(a)",
    "(?:b)",
    "(a|b)",
    "(a|ab)",
    "(ab|a)",
    "(?i:A)",
    r"\s",
]
QUANTIFIERS = ["", "*", "+", "?", "*?", "+?", "??", "{0,2}", "{2}", "{1,3}?"]
PLACES = ["^", "$", r"\b", r"\A", r"\z"]
PIECES = st.one_of(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(QUANTIFIERS)).map("".join), st.sampled_from(PLACES)
)
PATTERNS = st.lists(PIECES, min_size=1, max_size=5).map("".join)


@settings(max_examples=400)
@given(PATTERNS, st.text("ab1 A\n", max_size=9))
def test_python_finds_the_same(pattern, text):
    found = re.search(pattern.replace("$", r"\Z").replace(r"\z", r"\Z"), text, re.ASCII)
    assert find(pattern, text) == (found and found.group())


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        pytest.param("a*", "baaac", ["", "aaa", ""], id="no empty match after another match"),
        pytest.param("", "ab", ["", "", ""], id="empty"),
        pytest.param("[0-9]+", "a1b22", ["1", "22"], id="numbers"),
        pytest.param("(?m)^b$", "a\nb\nc", ["b"], id="lines"),
        pytest.param("(?i)É|a", "éA", ["é", "A"], id="any case"),
        pytest.param("a|ab", "ab", ["a"], id="the first alternative wins"),
        pytest.param("$", "a\n", [""], id="the end is the end of the text alone"),
        pytest.param("[[:alpha:]]+", "ab1c", ["ab", "c"], id="named sets"),
        pytest.param(r"\pL+", "aé1", ["aé"], id="letters of any script"),
        pytest.param(r"\Qa(b\E", "xa(ba(", ["a(b"], id="a text as it is"),
        pytest.param("(?U)a+", "aa", ["a", "a"], id="ungreedy"),
        pytest.param(r"\x{61}", "ba", ["a"], id="a character by number"),
        pytest.param(r"[](]+|\(", "a](", ["]("], id="brackets that open no group"),
        pytest.param("(?P<one>a)(?P<two>b)", "abab", ["ab", "ab"], id="groups with names"),
        pytest.param(r"\b\w", "ab cd", ["a", "c"], id="words, as they begin in the whole text"),
        pytest.param("^a", "aa", ["a"], id="the text begins once"),
        pytest.param("(?m)^a", "aa\na", ["a", "a"], id="lines begin after others"),
    ],
)
def test_all(pattern, text, found):
    assert list(find_all(pattern, text)) == found


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(a|a|a)*b", "a*a*a*a*a*b", "(.*)(.*)(.*)x"]
)
def test_the_time_grows_with_the_text_alone(pattern):
    start = time.process_time()
    assert find(pattern, "a" * 2_000 + "!") is None
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "pattern",
    ["((a{100}){100}){100}", "(?=a)", "a++", "(", r"\C", r"a\Q\C\E\C"],
)
def test_what_is_no_expression_of_re2_is_said(pattern):
    assert problem(pattern)
    with pytest.raises(RegexError):
        find(pattern, "a")
