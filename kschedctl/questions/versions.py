"""One question asked of two versions of kube-scheduler.

Answers are `kschedctl.reports.versions.model`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from kschedctl.observer import SILENT, Observer
from kschedctl.questions.ask import PodQuestion, questions_of_pending
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain_question
from kschedctl.questions.manifests import read_manifests
from kschedctl.questions.simulate import SimulationQuestion, run_question
from kschedctl.reports.versions.api_changes import api_changes
from kschedctl.reports.versions.build import explanation_versions, simulation_versions
from kschedctl.reports.versions.model import ApiChange, ExplanationVersions, SimulationVersions
from kschedctl.whatif.manifests import load_release

Both = tuple[Cluster, Cluster]
"""The same objects, with two schedulers."""


def questions_of_both_pending(
    both: Both, namespace: str | None = None
) -> tuple[list[PodQuestion], list[PodQuestion]]:
    """The pending pods of a cluster, those together that nobody can tell apart in either version."""
    sides = [questions_of_pending(cluster, namespace) for cluster in both]
    groups = [{name: i for i, one in enumerate(side) for name in _names(one)} for side in sides]
    together: dict[tuple[int, int], list[str]] = {}
    for name, group in groups[0].items():
        together.setdefault((group, groups[1][name]), []).append(name)
    found = [[_question(cluster, pods) for pods in together.values()] for cluster in both]
    return found[0], found[1]


def _names(question: PodQuestion) -> list[str]:
    return [question.pod.full_name, *(record.full_name for record in question.equals)]


def _question(cluster: Cluster, names: Sequence[str]) -> PodQuestion:
    found = [cluster.session.find(*name.split("/", 1)) for name in names]
    first, *others = (record for record in found if record is not None)
    return PodQuestion(cluster, first, cluster.place, equals=others)


def explain_in_versions(
    questions: tuple[Sequence[PodQuestion], Sequence[PodQuestion]], api: Sequence[ApiChange] = ()
) -> list[ExplanationVersions]:
    """Where pods go in two versions.

    Args:
        questions: the same pods, asked about in one version and in the other.
        api: what of their manifests one of the two does not take; told with the first pod.
    """
    told: Sequence[ApiChange] = api
    answers = []
    for before, after in zip(*questions, strict=True):
        answers.append(
            explanation_versions(
                explain_question(before, rooms=False), explain_question(after, rooms=False), told
            )
        )
        told = ()
    return answers


def simulate_in_versions(
    both: Both, question: SimulationQuestion, stdin: bytes = b"", observer: Observer = SILENT
) -> SimulationVersions:
    """What happens to many pods in two versions.

    Args:
        both: the clusters.
        question: what is asked.
        stdin: what the stream that `-` stands for holds.
        observer: is told the progress.

    Raises:
        KschedError: as `simulate`.
    """
    answers = []
    for cluster in both:
        release = read_manifests(
            cluster, question.manifests, namespace=question.namespace, stdin=BytesIO(stdin), observer=observer
        )
        answers.append(run_question(cluster, question, release, observer, BytesIO(stdin)).report)
    changes = api_changes(release.objects, [cluster.scheduler.gates for cluster in both])
    return simulation_versions(answers[0], answers[1], changes)


def api_changes_of(both: Both, paths: Sequence[str], namespace: str | None, stdin: bytes) -> list[ApiChange]:
    """What of manifests one of two versions does not take as it is written."""
    release = load_release(paths, namespace=namespace, stdin=BytesIO(stdin))
    return api_changes(release.objects, [cluster.scheduler.gates for cluster in both])
