"""Nominations: who is nominated where, as a mapping and by rows, through changes and undo."""

from builders import node, pod, session


def two_waiting():
    asked = session([node(name) for name in ("n1", "n2", "n3")], [pod(name, nominated="n1") for name in "ab"])
    return asked.cluster, *(asked.find("default", name).id for name in "ab")


def crowded(cluster):
    rows, pods = cluster.nominations.by_row(cluster.nodes)
    return list(zip(rows.tolist(), pods.tolist(), strict=True))


def test_pods_are_told_by_row_as_long_as_they_are_nominated():
    cluster, first, second = two_waiting()
    assert crowded(cluster) == [(0, first), (0, second)]
    start = cluster.mark()
    cluster.nominate(first, "n3")
    assert crowded(cluster) == [(0, second), (2, first)]
    cluster.assume(second, 1)
    assert crowded(cluster) == [(2, first)]
    assert dict(cluster.nominations) == {"n3": [first]}
    cluster.undo_to(start)
    assert crowded(cluster) == [(0, first), (0, second)]
    assert dict(cluster.nominations) == {"n1": [first, second]}


def test_rows_are_those_of_the_table_that_is_asked_about():
    cluster, first, second = two_waiting()
    crowded(cluster)
    start = cluster.mark()
    cluster.set_nodes(cluster.nodes_by_addition(), ["n3", "n2", "n1"])
    assert crowded(cluster) == [(2, first), (2, second)]
    cluster.nominate(first, "n2")
    assert crowded(cluster) == [(1, first), (2, second)]
    cluster.undo_to(start)
    assert crowded(cluster) == [(0, first), (0, second)]


def test_a_node_that_is_not_there_has_no_row():
    cluster, first, second = two_waiting()
    cluster.nominate(first, "gone")
    cluster.drop_nomination(second)
    assert crowded(cluster) == []
    assert cluster.nominated_node(first) == "gone"


def test_changes_tell_the_nodes_that_undo_touches_too():
    cluster, first, _ = two_waiting()
    follower = cluster.nominations.changes.follow()
    start = cluster.mark()
    cluster.nominate(first, "n2")
    assert follower.news() == ["n1", "n2"]
    cluster.undo_to(start)
    assert follower.news() == ["n2", "n1"]
