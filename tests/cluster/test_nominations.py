"""Nominations: who is nominated where, as a mapping and as a mask over rows, through changes and undo."""

from builders import node, pod, session


def two_waiting():
    asked = session([node(name) for name in ("n1", "n2", "n3")], [pod(name, nominated="n1") for name in "ab"])
    return asked.cluster, *(asked.find("default", name).id for name in "ab")


def crowded(cluster):
    return cluster.nominations.on_rows(cluster.nodes).tolist()


def test_rows_are_marked_as_long_as_somebody_is_nominated_there():
    cluster, first, second = two_waiting()
    assert crowded(cluster) == [True, False, False]
    start = cluster.mark()
    cluster.nominate(first, "n3")
    assert crowded(cluster) == [True, False, True]
    cluster.assume(second, 1)
    assert crowded(cluster) == [False, False, True]
    assert dict(cluster.nominations) == {"n3": [first]}
    cluster.undo_to(start)
    assert crowded(cluster) == [True, False, False]
    assert dict(cluster.nominations) == {"n1": [first, second]}


def test_rows_are_those_of_the_table_that_is_asked_about():
    cluster, first, _ = two_waiting()
    assert crowded(cluster) == [True, False, False]
    start = cluster.mark()
    cluster.set_nodes(cluster.nodes_by_addition(), ["n3", "n2", "n1"])
    assert crowded(cluster) == [False, False, True]
    cluster.nominate(first, "n2")
    assert crowded(cluster) == [False, True, True]
    cluster.undo_to(start)
    assert crowded(cluster) == [True, False, False]


def test_a_node_that_is_not_there_has_no_row():
    cluster, first, second = two_waiting()
    crowded(cluster)
    cluster.nominate(first, "gone")
    cluster.drop_nomination(second)
    assert crowded(cluster) == [False, False, False]
    assert cluster.nominated_node(first) == "gone"


def test_changes_tell_the_nodes_that_undo_touches_too():
    cluster, first, _ = two_waiting()
    follower = cluster.nominations.changes.follow()
    start = cluster.mark()
    cluster.nominate(first, "n2")
    assert follower.news() == ["n1", "n2"]
    cluster.undo_to(start)
    assert follower.news() == ["n2", "n1"]
