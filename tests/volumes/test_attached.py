"""Counts kept up to date must equal counts made anew, in the real cluster and in hypothetical rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storage_builders import attachment, claim, cluster, node, pod, pod_named, volume

from kschedctl.volumes.attached import AttachedVolumes
from kschedctl.volumes.attachment_worlds import AttachmentWorlds
from kschedctl.volumes.catalog import StorageCatalog

HOSTS = ("n1", "n2")
VOLUMES = ("a", "b", "c")
NAMES = [f"ebs/{name}" for name in VOLUMES]
STORAGE = [
    *(volume(f"pv-{name}", driver="ebs", handle=name) for name in VOLUMES),
    *(claim(name, volume=f"pv-{name}") for name in VOLUMES),
]


def attached_in(state):
    return AttachedVolumes(state, StorageCatalog.of(state.objects), [frozenset()] * len(HOSTS))


def built(*members):
    state = cluster(*(node(host) for host in HOSTS), *STORAGE, *members)
    return state, attached_in(state)


def seen(attached, rows=range(2)):
    """All that can be asked, per row."""
    return [
        (int(attached.used("ebs")[row]), [bool(attached.holds(name)[row]) for name in NAMES]) for row in rows
    ]


def test_a_shared_volume_counts_once():
    _, attached = built(pod("p", "a", on="n1"), pod("q", "a", "b", on="n1"))
    assert seen(attached)[0] == (2, [True, True, False])


def test_a_recorded_attachment_counts_but_nobody_holds_it():
    _, attached = built(pod("p", "a", on="n1"), attachment("n1", "pv-a"), attachment("n1", "pv-b"))
    assert seen(attached)[0] == (2, [True, False, False])


@pytest.mark.parametrize(
    "useless",
    [
        pytest.param(attachment("n1", "pv-a", attacher=""), id="no attacher"),
        pytest.param(attachment("n1", "absent"), id="no such volume"),
        pytest.param(attachment("elsewhere", "pv-a"), id="unknown node"),
    ],
)
def test_attachments_that_do_not_count(useless):
    _, attached = built(useless)
    assert seen(attached)[0][0] == 0


PODS = st.lists(st.lists(st.sampled_from(VOLUMES), max_size=3), min_size=1, max_size=5)
PLACES = st.lists(st.sampled_from(["", *HOSTS]), min_size=5, max_size=5)
RECORDED = st.lists(st.tuples(st.sampled_from(HOSTS), st.sampled_from(VOLUMES)), max_size=3, unique=True)
MOVES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0, 1, -1])), max_size=8)


@given(PODS, PLACES, RECORDED, MOVES, st.integers(0, 8))
@settings(max_examples=60)
def test_counts_follow_pods_that_come_go_and_are_undone(pods, places, recorded, moves, undo_at):
    records = [attachment(host, f"pv-{name}") for host, name in recorded]
    made = [pod(f"p{i}", *set(names), on=places[i]) for i, names in enumerate(pods)]
    state, attached = built(*made, *records)
    before = seen(attached)
    start = state.mark()
    for step, (which, target) in enumerate(moves):
        if which < len(made):
            move(state, which, target)
        if step == undo_at:
            state.undo_to(start)
            assert seen(attached.catch_up()) == before
    fresh = attached_in(state)
    assert seen(attached.catch_up()) == seen(fresh)


def move(state, which, target):
    here = int(state.pods.node[which])
    if target < 0 <= here:
        state.remove(which)
    elif target >= 0 and here < 0:
        state.assume(which, target)


@given(PODS, RECORDED, MOVES)
@settings(max_examples=60)
def test_a_hypothetical_row_counts_what_a_real_node_would(pods, recorded, moves):
    records = [attachment(host, f"pv-{name}") for host, name in recorded]
    made = [pod(f"p{i}", *set(names), on=HOSTS[0] if i % 2 else "") for i, names in enumerate(pods)]
    state, attached = built(*made, *records)
    before = seen(attached)
    # Two worlds of the first node; only the second one changes.
    worlds = AttachmentWorlds(attached, np.array([0, 0]))
    start = state.mark()
    for which, target in moves:
        here = int(state.pods.node[which]) if which < len(made) else 0
        if which < len(made) and (target < 0) == (here >= 0):
            worlds.change(np.array([-1, which]), -1 if target < 0 else 1)
            move(state, which, min(target, 0))
    expected = seen(attached_in(state))[0]
    state.undo_to(start)
    assert seen(worlds) == [before[0], expected]
    assert seen(worlds.take(np.array([1, 1, 0])), range(3)) == [expected, expected, before[0]]


BROKEN = {"name": "scratch", "ephemeral": {}}


def test_pods_whose_attachments_cannot_be_told():
    foreign = claim("p-scratch")
    state, attached = built(foreign, pod("p", BROKEN, on="n1"), pod("q", "a", on="n2"))
    worlds = AttachmentWorlds(attached, np.array([0, 1]))
    text = "PVC default/p-scratch was not created for pod default/p (pod is not owner)"
    broken = pod_named(state, "p").id
    assert worlds.failures() == {0: {broken: text}}
    worlds.change(np.array([broken, -1]), -1)
    worlds.change(np.array([-1, broken]), 1)
    assert worlds.failures() == {1: {broken: text}}
    assert worlds.take(np.array([1])).failures() == {0: {broken: text}}
