import gc
from collections.abc import Callable

import pytest

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pod_class import PodClass
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.capacity import FillingQuestion, RepeatedFilling
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate
from kschedctl.whatif.world.replicas import WantedPods

from .builders import CONFIGURATION, node, objects, replica, workload

OPTIONS = SchedulingOptions()
CLUSTER = [
    node("n1"),
    node("n2"),
    workload("ReplicaSet", "web-abc", 3),
    *(replica(f"web-{i}", "n1", labels={"app": "web"}, cpu="100m") for i in range(3)),
]
LIMITS = {
    "apiVersion": "v1",
    "kind": "LimitRange",
    "metadata": {"name": "limits", "namespace": "default"},
    "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]},
}


def alive(kind: type) -> int:
    gc.collect()
    return sum(isinstance(found, kind) for found in gc.get_objects())


def draining(session: Session) -> None:
    drain(session, OPTIONS, ["n1"])


def releasing(session: Session) -> None:
    simulate(session, OPTIONS, Plan(objects(workload("Deployment", "api", 3))))


def other_admission(session: Session) -> None:
    simulate(session, OPTIONS, Plan(objects(LIMITS, workload("Deployment", "api", 3))))


def counting(session: Session) -> None:
    (obj,) = objects(workload("Deployment", "api", 3))
    RepeatedFilling(session, OPTIONS).capacity(FillingQuestion([WantedPods(obj, 1, False)], limit=20))


@pytest.mark.parametrize("ask", [draining, releasing, other_admission, counting])
def test_what_ifs_in_a_row_keep_no_pods(ask: Callable[[Session], None]):
    session = Session(objects(CLUSTER), CONFIGURATION)
    ask(session)
    before = alive(AdmittedPod), alive(PodClass)
    for _ in range(3):
        ask(session)
    assert (alive(AdmittedPod), alive(PodClass)) == before


def test_a_what_if_takes_over_the_pods_that_are_the_same():
    session = Session(objects(CLUSTER), CONFIGURATION)
    twin = session.with_objects([*session.objects, *objects(replica("web-9", "n2"))], OPTIONS)
    mine, theirs = ({r.name: r.pod for r in one.cluster.pods.records} for one in (session, twin))
    assert theirs.keys() - mine.keys() == {"web-9"}
    assert all(theirs[name] is pod for name, pod in mine.items())
