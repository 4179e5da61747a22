"""The Python API: what a notebook does."""

import json
from pathlib import Path

import pytest
from builders import node, pod

from kschedctl import (
    CapacityQuestion,
    DrainQuestion,
    SimulationQuestion,
    Transaction,
    capacity,
    drain,
    pods_in,
    simulate,
)
from kschedctl.errors import ConfigurationError, InputError, UsageError
from kschedctl.objects.containers import Container
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain, explain_existing, explain_pending, explain_pod
from kschedctl.questions.preempt import preempt_pending
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.world.changes import Cordon

FIXTURES = Path(__file__).parents[1] / "fixtures"
TIE = str(FIXTURES / "explain-tie" / "cluster.yaml")
ANY = str(FIXTURES / "explain-tie" / "pod.yaml")


def test_pods_of_manifests_are_explained():
    (answer,) = explain(Cluster.load(TIE), ANY)
    assert (answer.outcome, answer.selected_node) == ("Scheduled", "a")
    assert answer.ties is not None
    assert (answer.ties.nodes, answer.ties.random, answer.ties.chance) == (["a", "b", "c"], True, None)
    assert answer.pod.source is not None
    assert (answer.pod.source.file, answer.pod.source.line) == (ANY, 2)


def test_another_version_is_another_scheduler():
    cluster = Cluster.load(
        TIE, scheduler=scheduler_of(version="1.34", gates={"StorageCapacityScoring": True})
    )
    (answer,) = explain(cluster, ANY)
    assert answer.scheduler.version == "1.34"
    assert answer.scheduler.feature_gates == {"StorageCapacityScoring": True}
    assert answer.ties is not None
    assert answer.ties.chance == pytest.approx(1 / 3)


def test_a_refused_configuration_is_named_with_its_line(tmp_path):
    path = tmp_path / "scheduler.yaml"
    path.write_text("\n\nkind: KubeSchedulerConfiguration\n")
    with pytest.raises(ConfigurationError) as caught:
        scheduler_of(str(path))
    assert str(caught.value) == f"{path}, line 3: Object 'apiVersion' is missing"


def test_pods_made_in_python_are_explained():
    spec = PodSpec(containers=(Container(name="main", image="example.com/app:1"),))
    pod = Pod(api_version="v1", kind="Pod", metadata=ObjectMeta(name="made"), spec=spec)
    assert explain_pod(Cluster.load(TIE), pod).pod.full_name == "default/made"


@pytest.mark.parametrize("sampling", Sampling)
@pytest.mark.parametrize("rule", TieBreak)
def test_answers_do_not_depend_on_earlier_ones(rule, sampling):
    options = SchedulingOptions(tie_break=rule, sampling=sampling, every_failure=True)
    cluster = Cluster.load(str(FIXTURES / "quickstart" / "cluster.yaml"), options=options)
    pods = [str(FIXTURES / "quickstart" / name) for name in ("pod.yaml", "trainer.yaml")]
    first = explain(cluster, *pods)
    assert explain(cluster, *reversed(pods)) == first[::-1]


@pytest.mark.parametrize("rule", TieBreak)
def test_the_same_question_has_the_same_answer(rule):
    cluster = Cluster.load(TIE, options=SchedulingOptions(tie_break=rule, every_failure=True))
    first, *others = [explain(cluster, ANY) for _ in range(6)]
    assert others == [first] * 5


def test_pods_of_manifests_are_tried_and_the_cluster_stays_as_it_was():
    cluster = Cluster.load(str(FIXTURES / "quickstart" / "cluster.yaml"))
    before = explain(cluster, str(FIXTURES / "quickstart" / "pod.yaml"))
    (trainer,) = pods_in(cluster, str(FIXTURES / "quickstart" / "trainer.yaml"))
    with cluster.transaction() as trial:
        assert isinstance(trial, Transaction)
        assert not trial.place(trainer).is_placed
        trial.untaint("gpu-1", "dedicated")
        assert trial.place(trainer).node == "gpu-1"
        after = cluster.with_objects(trial.objects())
    assert explain(cluster, str(FIXTURES / "quickstart" / "pod.yaml")) == before
    assert explain_existing(after, "trainer", "ml").pod.running_on == "gpu-1"


def test_deployments_are_tried_by_one_pod():
    cluster = Cluster.load(str(FIXTURES / "release-shop" / "cluster.yaml"))
    found = pods_in(cluster, str(FIXTURES / "release-shop" / "manifests"))
    assert len({pod.full_name for pod in found}) == len(found) > 1
    with cluster.transaction(diagnose=False) as trial:
        assert {answer.outcome for answer in trial.place_all(found)} <= {"Scheduled", "Unschedulable"}


def test_running_pods_are_judged_with_themselves_taken_out():
    cluster = Cluster.load(str(FIXTURES / "explain-somewhere" / "cluster.yaml"))
    answer = explain_existing(cluster, "load-1")
    assert answer.pod.running_on == "n3"
    assert answer.outcome == "Scheduled"
    assert answer == explain_existing(cluster, "load-1")


@pytest.mark.parametrize("pending", [explain_pending, preempt_pending], ids=["explain", "preempt"])
def test_pending_pods_are_answered_one_by_one_and_equal_ones_once(pending, tmp_path):
    path = tmp_path / "cluster.json"
    waiting = [pod("a", cpu="1"), pod("b", cpu="1"), pod("c", cpu="9")]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1"), *waiting]}))
    answers = pending(Cluster.load(str(path)))
    first = next(answers)
    assert (first.outcome, first.pod.name, first.pod.equal_pods) == ("Scheduled", "a", ["b"])
    (second,) = answers
    assert (second.outcome, second.pod.name, second.pod.equal_pods) == ("Unschedulable", "c", [])


def test_changes_made_in_python_are_told_in_words():
    cluster = Cluster.load(TIE)
    change = Cordon("a")
    assert simulate(cluster, SimulationQuestion(changes=[change])).changes == ["cordon a"]
    assert drain(cluster, DrainQuestion(nodes=["b"], changes=[change])).changes == ["cordon a"]
    assert capacity(cluster, CapacityQuestion(manifests=[ANY], changes=[change])).changes == ["cordon a"]


def test_what_is_not_there_is_an_error():
    cluster = Cluster.load(TIE)
    with pytest.raises(UsageError):
        explain_existing(cluster, "none")
    with pytest.raises(InputError):
        explain(cluster, TIE)


def test_questions_leave_no_pod_behind():
    cluster = Cluster.load(TIE)
    state = cluster.session.cluster
    rows, revision = len(state.pods), state.journal.revision

    answers = [
        explain_pod(
            cluster,
            Pod(
                api_version="v1",
                kind="Pod",
                metadata=ObjectMeta(name=f"made-{i}"),
                spec=PodSpec(containers=(Container(name="main", image=f"example.com/app:{i % 3}"),)),
            ),
        )
        for i in range(60)
    ]

    assert {answer.selected_node for answer in answers} == {"a"}
    assert (len(state.pods), state.journal.revision) == (rows, revision)
