"""Nodes by name or by labels, and the words about those that are not there."""

import pytest

from kschedctl.errors import UsageError
from kschedctl.whatif.world.targets import find_nodes, find_object
from kschedctl.whatif.world.world import World

from .builders import node, objects, pod

NODES = [node("w1", labels={"zone": "a"}), node("w2", labels={"zone": "b", "disk": "ssd"}), node("w3")]


def names(target, nodes=NODES):
    return [found.name for found in find_nodes(World(objects(nodes)), target)]


@pytest.mark.parametrize("target", ["w2", "node/w2", "nodes/w2", "no/w2", "zone=b", "zone,zone!=a", "disk "])
def test_ways_of_naming_a_node(target):
    assert names(target) == ["w2"]


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("w1,w2", "'w1,w2' is no label selector, but names nodes", "w1, w2: name each node on its own"),
        ("w1 w2", "'w1 w2' is no label selector, but names nodes", "w1, w2: name each node on its own"),
        ("w1, w9", "'w1, w9' is no label selector, but names nodes", "w1: name each node on its own"),
        ("x1,x2", "no node matches 'x1,x2'", "No node has the label x1."),
        ("zone=c", "no node matches 'zone=c'", "The values of zone are a, b."),
        ("a in (b", "'a in (b' is no label selector", "Write key=value"),
        ("a=b,=c", "'a=b,=c' is no label selector: '=c' has no meaning", "Write key=value"),
        ("node/w11", "there is no node 'w11'", "Did you mean w1"),
    ],
)
def test_what_is_no_node(target, message, hint):
    with pytest.raises(UsageError) as raised:
        names(target)
    assert raised.value.message == message
    assert raised.value.hint.startswith(hint)


def test_no_node_at_all():
    with pytest.raises(UsageError, match="the cluster has no nodes"):
        names("*", [])


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("pod/web", "There is one in shop: use -n shop, or shop/pod/web."),
        ("pod/wed", "Did you mean web?"),
        ("pod/other", None),
    ],
)
def test_what_is_no_object_of_the_namespace(reference, hint):
    with pytest.raises(UsageError) as raised:
        find_object(World(objects([pod("web", namespace="shop")])), reference)
    assert raised.value.hint == hint
