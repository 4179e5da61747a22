"""Label columns answer as selectors do on each node or pod alone."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from kschedctl.cluster.label_groups import LabelledGroups
from kschedctl.cluster.labels import NodeLabels
from kschedctl.objects.selectors import NodeTerm, Requirement, Selector

KEYS, VALUES = ("a", "b", "c"), ("", "1", "2", "10", "x")
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))
SETS = st.builds(
    Requirement,
    st.sampled_from(KEYS),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
    st.lists(st.sampled_from(VALUES), max_size=2).map(tuple),
)
NUMBERS = st.builds(
    Requirement,
    st.sampled_from(KEYS),
    st.sampled_from(["Gt", "Lt"]),
    st.sampled_from(["0", "2", "5"]).map(lambda v: (v,)),
)
FIELDS = st.builds(
    Requirement,
    st.sampled_from(["metadata.name", "metadata.other"]),
    st.sampled_from(["In", "NotIn"]),
    st.sampled_from(["n0", "n1", "n9", ""]).map(lambda v: (v,)),
)
TERMS = st.builds(
    NodeTerm, st.lists(SETS | NUMBERS, max_size=3).map(tuple), st.lists(FIELDS, max_size=1).map(tuple)
)


@given(st.lists(LABELS, min_size=1, max_size=8), st.lists(TERMS, max_size=3))
def test_terms_over_nodes(labels, terms):
    names = [f"n{i}" for i in range(len(labels))]
    mask = NodeLabels(names, labels).mask_of_terms(terms)
    expected = [any(t.matches(own, name) for t in terms) for own, name in zip(labels, names, strict=True)]
    assert mask.tolist() == expected


@given(st.lists(LABELS, min_size=1, max_size=8), LABELS)
def test_equalities_over_nodes(labels, pairs):
    mask = NodeLabels([f"n{i}" for i in range(len(labels))], labels).mask_of_equalities(pairs)
    assert mask.tolist() == [pairs.items() <= own.items() for own in labels]


@given(st.lists(LABELS, max_size=6), st.lists(LABELS, max_size=6), st.lists(SETS, max_size=3).map(tuple))
def test_selectors_over_groups_that_grow(first, later, requirements):
    groups, selector = LabelledGroups(), Selector(requirements)
    seen = []
    for batch in (first, later):
        for own in batch:
            groups.add("default", own)
        seen += batch
        assert groups.matching(selector).tolist() == [selector.matches(own) for own in seen]


def test_columns_are_interned():
    column = NodeLabels(["n0", "n1", "n2", "n3"], [{"a": "x"}, {}, {"a": "y"}, {"a": "x"}]).column("a")
    assert column.values == ("x", "y")
    assert column.codes.tolist() == [0, -1, 1, 0]


def test_columns_cannot_be_written():
    column = NodeLabels(["n0"], [{"a": "x"}]).column("a")
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 5


def test_a_key_that_no_node_has():
    labels = NodeLabels(["n0", "n1"], [{}, {}])
    assert labels.column("a").codes.tolist() == [-1, -1]
    assert labels.mask(Requirement("a", "DoesNotExist", ())).tolist() == [True, True]


def test_namespaces_of_groups_are_asked_once_each():
    groups, asked = LabelledGroups(), []
    for namespace in ("b", "a", "b"):
        groups.add(namespace, {})
    mask = groups.in_namespaces(lambda n: asked.append(n) or n == "b")
    assert np.array_equal(mask, [True, False, True])
    assert sorted(asked) == ["a", "b"]
