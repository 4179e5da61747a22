"""The log of changes is followed from where one stopped, and forgets what is too old to be worth following."""

from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.cluster.build import build_cluster
from kschedctl.cluster.change_log import ChangeLog, PodMove
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod

NODES = 20
BOUND = 2 * 4 * NODES
(POD,) = build_cluster([Pod(metadata=ObjectMeta(name="p"))], Admission(AdmissionContext.of())).pods.records


def change(number: int) -> PodMove:
    return PodMove(row=number % NODES, pod=POD, sign=1)


def test_followers_read_on_from_where_they_stopped():
    log = ChangeLog(NODES)
    log.append(change(0))
    seen = log.end
    log.append(change(1))
    log.append(change(2))

    assert log.since(seen) == [change(1), change(2)]
    assert log.since(log.end) == []


def test_who_is_too_far_behind_starts_anew():
    log = ChangeLog(NODES)
    for number in range(1000):
        log.append(change(number))

    assert log.end == 1000
    assert log.since(0) is None
    assert log.since(998) == [change(998), change(999)]
    followed = [seen for seen in range(1000) if log.since(seen) is not None]
    assert BOUND // 2 <= len(followed) <= BOUND
