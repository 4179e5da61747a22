"""Plugins from outside that fail, or do not keep to the contract."""

import numpy as np
import pytest
from builders import decide, node, pod, session

from kschedctl.errors import InputError, PluginError
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code
from kschedctl.framework.verdicts import Verdicts

POINTS = frozenset({P.PRE_FILTER, P.FILTER, P.PRE_SCORE, P.SCORE})


def outside(**methods):
    """A plugin with these methods."""
    return type(
        "Outside", (Plugin,), {"spec": PluginSpec(name="Outside", points=POINTS), "score": zeros} | methods
    )


def zeros(self, state, rows):
    return np.zeros(len(rows), np.int64)


def fails(self, *args):
    raise LookupError("gone")


def gives(value):
    return lambda self, *args: value


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        pytest.param({"filter": fails}, "plugin Outside failed in filter: LookupError: gone", id="filter"),
        pytest.param(
            {"pre_score": fails}, "plugin Outside failed in pre_score: LookupError: gone", id="pre_score"
        ),
        pytest.param({"__init__": fails}, "plugin Outside failed in __init__: LookupError: gone", id="init"),
        pytest.param(
            {"pre_filter": gives(None)},
            "pre_filter of plugin Outside gives None, and not PreFilterResult",
            id="no result",
        ),
        pytest.param(
            {"filter": gives([0, 0])}, "filter of plugin Outside gives a list, and not Verdicts", id="a list"
        ),
        pytest.param(
            {"filter": gives(Verdicts(np.zeros(3, np.uint8)))},
            "filter of plugin Outside gives codes of shape (3,) for 2 rows",
            id="too many rows",
        ),
        pytest.param(
            {
                "filter": gives(
                    Verdicts.reject(np.ones(2, bool), Code.UNSCHEDULABLE, "no").__class__(
                        np.zeros(2, np.uint8), ((np.ones(3, bool), "no"),)
                    )
                )
            },
            "filter of plugin Outside gives a reason for rows of shape (3,), of 2",
            id="a reason for too many rows",
        ),
        pytest.param(
            {"score": gives(np.zeros(2))},
            "score of plugin Outside gives float64 of shape (2,), and not int64 of shape (2,)",
            id="floats",
        ),
        pytest.param(
            {"score": gives(7)}, "score of plugin Outside gives a int, and not an array", id="a number"
        ),
        pytest.param(
            {"normalize": gives(np.zeros(1, np.int64))},
            "normalize of plugin Outside gives int64 of shape (1,), and not int64 of shape (2,)",
            id="too few rows",
        ),
    ],
)
def test_the_blame_is_the_plugins_own(methods, message):
    with pytest.raises(PluginError) as caught:
        decide(session(node("n1"), node("n2"), plugins=[outside(**methods)]), pod("a"))
    assert caught.value.message == message


def test_the_place_is_where_it_failed():
    with pytest.raises(PluginError) as caught:
        decide(session(node("n1"), plugins=[outside(filter=fails)]), pod("a"))
    assert caught.value.place.file == __file__
    assert "lookup" not in str(caught.value.place).lower()


def test_errors_with_words_of_their_own_keep_them():
    def refuses(self, state, rows):
        raise InputError("the file of loads is missing")

    with pytest.raises(InputError, match="the file of loads is missing"):
        decide(session(node("n1"), plugins=[outside(filter=refuses)]), pod("a"))


def test_a_plugin_that_keeps_to_the_contract_is_left_alone():
    methods = {"pre_filter": gives(PreFilterResult(state=5)), "filter": gives(Verdicts(None))}
    assert decide(session(node("n1"), plugins=[outside(**methods)]), pod("a")).selected_node == "n1"
