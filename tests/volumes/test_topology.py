import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_builders import bare_node, cluster, storage_class

from kschedctl.objects.meta import LabelSelector, NodeSelector
from kschedctl.objects.selectors import Requirement
from kschedctl.volumes.topology import (
    EVERYWHERE,
    NodeTopology,
    affinity_terms,
    class_terms,
    selector_terms,
)

LABELS = {"a1": {"a": "1"}, "a2b": {"a": "2", "b": "x"}, "bare": {}}


def topology(labels=LABELS):
    return NodeTopology(cluster(*(bare_node(name, own) for name, own in labels.items())).nodes)


def names(terms, labels=LABELS):
    nodes = cluster(*(bare_node(name, own) for name, own in labels.items())).nodes
    return {nodes.names[row] for row in NodeTopology(nodes).rows(terms)}


def expression(key, operator, *values):
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param(None, {"a1", "a2b", "bare"}, id="no selector matches all"),
        pytest.param([], set(), id="no term matches none"),
        pytest.param([{}], set(), id="an empty term matches none"),
        pytest.param([{"matchExpressions": [expression("a", "In", "1", "2")]}], {"a1", "a2b"}, id="In"),
        pytest.param([{"matchExpressions": [expression("a", "NotIn", "1")]}], {"a2b", "bare"}, id="NotIn"),
        pytest.param([{"matchExpressions": [expression("a", "Gt", "1")]}], {"a2b"}, id="Gt"),
        pytest.param(
            [{"matchExpressions": [expression("a", "Exists"), expression("b", "Exists")]}],
            {"a2b"},
            id="expressions are ANDed",
        ),
        pytest.param(
            [
                {"matchExpressions": [expression("a", "In", "1")]},
                {"matchExpressions": [expression("b", "Exists")]},
            ],
            {"a1", "a2b"},
            id="terms are ORed",
        ),
        pytest.param(
            [{"matchFields": [expression("metadata.name", "In", "a1")]}],
            {"a1", "a2b", "bare"},
            id="fields are not looked at",
        ),
        pytest.param(
            [{"matchFields": [expression("metadata.name", "Exists")]}], set(), id="but must be well-formed"
        ),
        pytest.param(
            [
                {"matchExpressions": [expression("a", "Near", "1")]},
                {"matchExpressions": [expression("b", "Exists")]},
            ],
            {"a2b"},
            id="a malformed term is void",
        ),
    ],
)
def test_affinity_of_a_volume(terms, expected):
    selector = None if terms is None else msgspec.convert({"nodeSelectorTerms": terms}, NodeSelector)
    assert names(affinity_terms(selector)) == expected


@pytest.mark.parametrize(
    ("topologies", "expected"),
    [
        pytest.param([], {"a1", "a2b", "bare"}, id="none"),
        pytest.param([[]], set(), id="a term without expressions"),
        pytest.param([[("a", ["1"])]], {"a1"}, id="one value"),
        pytest.param([[("a", ["1", "2"]), ("b", ["x"])]], {"a2b"}, id="keys are ANDed"),
        pytest.param([[("a", ["1"])], [("b", ["x"])]], {"a1", "a2b"}, id="terms are ORed"),
        pytest.param([[("a", [])], [("b", ["x"])]], {"a2b"}, id="an expression without values is malformed"),
    ],
)
def test_topologies_of_a_class(topologies, expected):
    allowed = [{"matchLabelExpressions": [{"key": k, "values": v} for k, v in term]} for term in topologies]
    assert names(class_terms(storage_class("fast", allowedTopologies=allowed))) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param(None, set(), id="none"),
        pytest.param({}, {"a1", "a2b", "bare"}, id="empty"),
        pytest.param({"matchLabels": {"a": "1"}}, {"a1"}, id="label"),
        pytest.param({"matchExpressions": [expression("a", "Near")]}, set(), id="malformed"),
    ],
)
def test_topology_of_a_capacity(selector, expected):
    parsed = None if selector is None else msgspec.convert(selector, LabelSelector)
    assert names(selector_terms(parsed)) == expected


def test_the_mask_of_everywhere_is_full():
    assert topology().mask(EVERYWHERE).tolist() == [True, True, True]


VALUES = st.sampled_from(["1", "2", "3"])
KEYS = st.sampled_from(["a", "b"])
REQUIREMENTS = st.one_of(
    st.builds(
        Requirement,
        KEYS,
        st.sampled_from(["In", "NotIn"]),
        st.lists(VALUES, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Requirement, KEYS, st.sampled_from(["Exists", "DoesNotExist"])),
)
TERMS = st.lists(st.lists(REQUIREMENTS, max_size=3).map(tuple), max_size=3).map(tuple)
NODE_LABELS = st.lists(st.dictionaries(KEYS, VALUES, max_size=2), min_size=1, max_size=6)


@given(NODE_LABELS, TERMS)
def test_terms_match_as_if_each_node_were_asked(labels, terms):
    index = topology({f"n{i}": own for i, own in enumerate(labels)})
    asked = [any(all(r.accepts(own.get(r.key)) for r in term) for term in terms) for own in labels]
    assert index.mask(terms).tolist() == asked
    assert index.rows(terms).tolist() == np.flatnonzero(asked).tolist()
