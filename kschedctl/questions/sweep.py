"""Sweeps in Python: a grid of scenarios, in several processes.

    from kschedctl import SweepQuestion, clusters_at, sweep
    from kschedctl.parallel import Workers

    answer = sweep("sweep.yaml", clusters_at("prod.json.gz"), SweepQuestion(workers=Workers(jobs=4)))
    for trial in answer.failed:
        print(trial.values, trial.findings)

The answer is `kschedctl.reports.sweep.model.SweepReport`, the same that `-o json` prints.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import BinaryIO, Final, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import KschedError, UsageError
from kschedctl.observer import SILENT, Observer
from kschedctl.parallel import ALONE, Workers, each
from kschedctl.plugins.registry import IN_TREE
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.manifests import read_manifests
from kschedctl.questions.scheduler import WrittenScheduler, written_scheduler
from kschedctl.questions.simulate import SimulationQuestion
from kschedctl.questions.trial_results import TrialResults
from kschedctl.questions.trials import CountedTransport, Keys, SharedInputs, Trial, broken, costs, run_trial
from kschedctl.reports.sweep.build import sweep_report
from kschedctl.reports.sweep.model import ExtenderCost, SweepMap, SweepReport, SweepTrial
from kschedctl.sources.load import Loaded, load
from kschedctl.whatif.scenarios.scenario import ALL, Expectations, Scenario
from kschedctl.whatif.sweeps.grid import Axis, Setting, WrittenChange, combinations, in_order, load_sweep
from kschedctl.whatif.world.change_context import ChangeContext
from kschedctl.whatif.world.change_text import parse_change
from kschedctl.whatif.world.changes import Change

T = TypeVar("T")

ClusterOf = Callable[[tuple[str, ...], WrittenScheduler], Cluster]
"""Makes the cluster of some paths with a scheduler; of no paths that of sweeps that name none."""

_ALL_FIND_A_NODE: Final = Expectations(schedulable=ALL)


class SweepQuestion(Struct, frozen=True, kw_only=True):
    """How a sweep is run.

    Attributes:
        workers: who runs the scenarios.
        results: a file in which results are kept; None: nowhere.
        resume: take what it holds already.
        plan_only: run nothing, tell what would be run.
        shown: what a heat map of it shows.
    """

    workers: Workers = ALONE
    results: str | None = None
    resume: bool = False
    plan_only: bool = False
    shown: SweepMap = SweepMap()


_AT_ONCE: Final = SweepQuestion()


def sweep(
    file: str,
    cluster_of: ClusterOf,
    question: SweepQuestion = _AT_ONCE,
    *,
    scheduler: WrittenScheduler | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> SweepReport:
    """Run a grid of scenarios; one that cannot be run does not stop the others.

    Args:
        file: the sweep.
        cluster_of: makes the clusters, such as `clusters_at`.
        question: how it is run.
        scheduler: who decides where the sweep does not say otherwise.
        stdin: the stream that `-` stands for.
        observer: is told the plan and the progress.

    Raises:
        InputError: the sweep cannot be used, or the file of results.
        InputErrors: several such problems.
        UsageError: a library is not installed that several processes need.
        WorkerError: a process has ended before its time.
    """
    found = load_sweep(file, stdin)
    written = scheduler or written_scheduler()
    home = cluster_of(found.base.cluster, written)
    axes = found.axes(home.objects)
    _check_map(question.shown, axes)
    table = _Preparing(found.base, cluster_of, written, observer)
    done: dict[int, SweepTrial] = {}
    trials: list[Trial] = []
    for place, settings in enumerate(combinations(axes)):
        values = tuple(setting.label for setting in settings)
        try:
            trials.append(table.trial(place, values, in_order(axes, settings)))
        except KschedError as error:
            done[place] = broken(values, error)
    total = len(trials) + len(done)
    keys = Keys(table.shared)
    trials = [replace(trial, key=keys.key(trial)) for trial in trials]
    with TrialResults(question.results, resume=question.resume) as results:
        known = {
            t.place: replace(results.known[t.key], values=list(t.values))
            for t in trials
            if t.key in results.known
        }
        left = [trial for trial in trials if trial.place not in known]
        extenders = _costs(table.shared, left)
        for cost in extenders:
            observer.warning(f"{len(left)} scenarios send about {cost.requests:,} requests to {cost.url}")
        done |= known
        if not question.plan_only:
            # Those of one cluster and scheduler follow one another: a worker keeps what it knows of them.
            left.sort(key=lambda trial: trial.cluster)
            modules = _own_modules(table.shared)
            for came in each(run_trial, table.shared, left, question.workers, by_value=modules):
                results.keep(came)
                done[came.place] = came.trial
                observer.progress("scenarios", len(done), total)
    return sweep_report(
        found,
        home.scheduler_summary(None),
        home.summary,
        axes,
        [] if question.plan_only else [done[place] for place in range(total)],
        scenarios=total,
        resumed=len(known),
        extenders=extenders,
        shown=question.shown,
    )


def clusters_at(*paths: str) -> ClusterOf:
    """Makes clusters of files and directories, which are read once."""
    read: dict[tuple[str, ...], Loaded] = {}

    def cluster_of(own: tuple[str, ...], scheduler: WrittenScheduler) -> Cluster:
        where = own or paths
        if where not in read:
            read[where] = load(where)
        return Cluster.of(read[where], where, scheduler)

    return cluster_of


def _check_map(shown: SweepMap, axes: Sequence[Axis]) -> None:
    names = [axis.name for axis in axes]
    for wanted in (shown.rows, shown.columns):
        if wanted is not None and wanted not in names:
            raise UsageError(f"there is no axis {wanted!r}", hint=f"The axes are {', '.join(names)}.")
    if shown.rows is not None and shown.rows == shown.columns:
        raise UsageError("a heat map has two axes", hint="Name another axis for the columns.")


class _Preparing:
    """Makes scenarios ready, and what they share: files are read once, and what is wrong with one is known then."""

    def __init__(
        self, base: Scenario, cluster_of: ClusterOf, scheduler: WrittenScheduler, observer: Observer
    ) -> None:
        self.shared = SharedInputs([], [])
        self._base = base
        self._cluster_of = cluster_of
        self._scheduler = scheduler
        self._observer = observer
        self._known: dict[object, object] = {}

    def trial(self, place: int, values: tuple[str, ...], settings: Sequence[Setting]) -> Trial:
        """The scenario of some settings, in the order in which they are applied.

        Raises:
            KschedError: it cannot be run.
        """
        base = self._base
        model = next((one.scenario for one in settings if one.scenario is not None), base)
        cluster = self._cluster(model.cluster or base.cluster, settings)
        namespace = model.namespace or base.namespace
        manifests, changes = list(base.manifests), self._parsed(base.changes, base.context)
        for one in settings:
            source, context = (one.scenario, one.scenario.context) if one.scenario else (one, base.context)
            manifests += source.manifests
            changes += self._parsed(source.changes, context)
        question = SimulationQuestion(
            changes=changes,
            rollout=model.rollout,
            namespace=namespace,
            single_pass=model.single_pass,
            preemption=model.preemption,
            effects=model.effects,
        )
        release = self._release(tuple(manifests), namespace, cluster)
        expectations = next((e for e in (model.expectations, base.expectations) if e != Expectations()), None)
        seed = next((one.seed for one in settings if one.seed is not None), None)
        return Trial(place, values, cluster, release, question, expectations or _ALL_FIND_A_NODE, seed)

    def _cluster(self, paths: tuple[str, ...], settings: Sequence[Setting]) -> int:
        chosen = [one for one in settings if one.scheduler or one.version or one.weights]
        key = (paths, *((one.scheduler, one.version, tuple(one.weights.items())) for one in chosen))

        def make() -> int:
            scheduler = self._scheduler
            for one in chosen:
                if one.scheduler:
                    other = self._once(one.scheduler, partial(written_scheduler, one.scheduler))
                    scheduler = replace(scheduler, path=other.path, document=other.document)
                if one.version:
                    scheduler = replace(scheduler, version=one.version)
                scheduler = replace(scheduler, weights={**scheduler.weights, **one.weights})
            cluster = self._cluster_of(paths, scheduler)
            if cluster.transport is not None:
                cluster = replace(cluster, transport=CountedTransport(cluster.transport))
            self.shared.clusters.append(cluster)
            return len(self.shared.clusters) - 1

        return self._once(key, make)

    def _release(self, paths: tuple[str, ...], namespace: str | None, cluster: int) -> int:
        def make() -> int:
            release = read_manifests(
                self.shared.clusters[cluster], paths, namespace=namespace, observer=self._observer
            )
            self.shared.releases.append(release)
            return len(self.shared.releases) - 1

        # The version may refuse groups in them.
        return self._once((paths, namespace, cluster if paths else None), make)

    def _parsed(self, changes: Sequence[WrittenChange], context: ChangeContext) -> list[Change]:
        def parse(kind: str, what: str) -> list[Change]:
            return parse_change(kind, what, context)

        found: list[Change] = []
        for kind, what in changes:
            if isinstance(what, str):
                found += self._once((kind, what, context), partial(parse, kind, what))
            else:
                found.append(context.patch(what))
        return found

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """What was made before of this key, or was wrong with it.

        Raises:
            KschedError: it was, or is.
        """
        if key not in self._known:
            try:
                self._known[key] = make()
            except KschedError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, KschedError):
            raise found
        return cast("T", found)


def _costs(shared: SharedInputs, trials: Sequence[Trial]) -> list[ExtenderCost]:
    """What scenarios cost each extender; those that cannot be run cost nothing."""
    known: dict[object, dict[str, int]] = {}
    sums: dict[str, int] = {}
    for trial in trials:
        cluster, release = shared.clusters[trial.cluster], shared.releases[trial.release]
        key = (trial.cluster, trial.release, repr(trial.question.changes))
        if key not in known:
            try:
                known[key] = {one.url_prefix: count for one, count in costs(cluster, release, trial)}
            except KschedError:
                known[key] = {}
        for url, count in known[key].items():
            sums[url] = sums.get(url, 0) + count
    return [ExtenderCost(url=url, requests=count) for url, count in sums.items()]


def _own_modules(shared: SharedInputs) -> list[ModuleType]:
    """Modules of plugins from outside."""
    plugins = {
        plugin
        for cluster in shared.clusters
        for name, plugin in cluster.scheduler.registry.items()
        if name not in IN_TREE
    }
    return [sys.modules[name] for name in sorted({plugin.__module__ for plugin in plugins})]
