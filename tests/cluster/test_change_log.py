"""The log of changes is followed from where one stopped, and forgets what is too old to be worth following."""

from builders import admission_context

from kschedctl.admission.chain import Admission
from kschedctl.cluster.build import build_cluster
from kschedctl.cluster.change_log import Follower, PodMove, pod_moves
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod

NODES = 20
BOUND = 2 * 4 * NODES
(POD,) = build_cluster([Pod(metadata=ObjectMeta(name="p"))], Admission(admission_context())).pods.records


def change(number: int) -> PodMove:
    return PodMove(row=number % NODES, pod=POD, sign=1)


def test_followers_read_on_from_where_they_stopped():
    log = pod_moves(NODES)
    log.append(change(0))
    follower = log.follow()
    log.append(change(1))
    log.append(change(2))

    assert follower.news() == [change(1), change(2)]
    assert follower.news() == []
    log.append(change(3))
    assert follower.news() == [change(3)]


def test_who_is_too_far_behind_starts_anew():
    log = pod_moves(NODES)
    follower = log.follow()
    for number in range(1000):
        log.append(change(number))

    assert follower.news() is None
    log.append(change(1000))
    assert follower.news() == [change(1000)]
    followed = [seen for seen in range(log.end) if Follower(log, seen).news() is not None]
    assert BOUND // 2 <= len(followed) <= BOUND


def test_many_changes_at_once_count_like_one_by_one():
    log = pod_moves(NODES)
    log.extend(change(number) for number in range(1000))

    assert log.end == 1000
    assert Follower(log, 998).news() == [change(998), change(999)]
    assert Follower(log, 0).news() is None
