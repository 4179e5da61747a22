"""Gates in Python: scenario files with expectations.

    from kschedctl import Cluster, gate

    answer = gate(["scenarios.yaml"], lambda paths: Cluster.load(*(paths or ["prod.json.gz"])))
    assert answer.passed

The answer is `kschedctl.reports.gate.model.Gate`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from io import BytesIO
from typing import BinaryIO

from msgspec.structs import replace

from kschedctl.errors import KschedError
from kschedctl.observer import SILENT, Observer
from kschedctl.parallel import ALONE, Workers
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.manifests import read_manifests
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.questions.simulate import SimulationQuestion, options_of, plan_of, run_question
from kschedctl.reports.gate.build import broken_scenario, checked_scenario, gate_report
from kschedctl.reports.gate.model import Gate, ScenarioResult
from kschedctl.reports.summaries import scheduler_summary
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.content import STDIN
from kschedctl.whatif.scenarios.expectations import check_all
from kschedctl.whatif.scenarios.purchases import Basis
from kschedctl.whatif.scenarios.scenario import Scenario, load_scenarios

ClusterLoader = Callable[[tuple[str, ...]], Cluster]
"""Loads the cluster of some paths; of no paths the one that scenarios without a cluster of their own are about."""


_DEFAULTS = SchedulingOptions()


def gate(
    files: Sequence[str],
    load: ClusterLoader,
    options: SchedulingOptions = _DEFAULTS,
    *,
    manifests: Sequence[str] = (),
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
    workers: Workers = ALONE,
) -> Gate:
    """Run scenarios and check their expectations; one that cannot be run does not stop the others.

    Args:
        files: scenario files.
        load: loads a cluster with the scheduler.
        options: what to do where the real scheduler leaves room, for the report.
        manifests: of scenarios that name none.
        stdin: the stream that `-` stands for; every scenario with such manifests gets what is in it.
        observer: is told the progress.
        workers: who tries failures that are to be survived.

    Raises:
        InputError: a scenario file cannot be used; nothing is run then.
        InputErrors: several such problems.
    """
    clusters: dict[tuple[str, ...], Cluster] = {}

    def cluster_of(paths: tuple[str, ...]) -> Cluster:
        if paths not in clusters:
            clusters[paths] = load(paths)
        return clusters[paths]

    scenarios = load_scenarios(files, stdin)
    stream = _KeptStream(None if STDIN in files else stdin)
    results = []
    for done, scenario in enumerate(scenarios):
        observer.progress("scenarios", done, len(scenarios))
        try:
            asked = scenario if scenario.manifests else replace(scenario, manifests=tuple(manifests))
            results.append(_run(asked, cluster_of(scenario.cluster), stream, observer, workers))
        except KschedError as error:
            results.append(broken_scenario(scenario, error))
    # The scheduler of the first scenario stands for all in the report.
    scheduler = next((cluster.scheduler for cluster in clusters.values()), None) or scheduler_of()
    return gate_report(results, scheduler_summary(scheduler, options, None))


class _KeptStream:
    """A stream that can be read once, for several readers.

    Args:
        stream: None: there is none, or somebody else reads it.
    """

    def __init__(self, stream: BinaryIO | None) -> None:
        self._stream = stream

    def again(self) -> BinaryIO | None:
        """What is in it, from the beginning."""
        return None if self._stream is None else BytesIO(self._content)

    @cached_property
    def _content(self) -> bytes:
        assert self._stream is not None
        return self._stream.read()


def _run(
    scenario: Scenario, cluster: Cluster, stream: _KeptStream, observer: Observer, workers: Workers
) -> ScenarioResult:
    release = read_manifests(
        cluster,
        scenario.manifests,
        namespace=scenario.namespace,
        stdin=stream.again() if STDIN in scenario.manifests else None,
        observer=observer,
    )
    question = SimulationQuestion(
        manifests=scenario.manifests,
        changes=scenario.parsed_changes(),
        change_texts=scenario.change_texts(),
        rollout=scenario.rollout,
        namespace=scenario.namespace,
        single_pass=scenario.single_pass,
        preemption=scenario.preemption,
        effects=scenario.effects,
    )
    expectations = scenario.expectations
    run = run_question(cluster, question, release, drains=expectations.drainable is not None)
    basis = Basis(cluster.session, options_of(cluster, question), plan_of(question, release))
    checks = check_all(expectations, run.found, release, basis, observer, workers)
    return checked_scenario(scenario, checks, run.report, release)
