"""One scenario of a sweep: what is asked, by which it is known again, and what comes of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kschedctl import __version__
from kschedctl.admission.invalid import Invalid
from kschedctl.errors import InputErrors, KschedError
from kschedctl.extenders.call import Call, ExtenderVerb, Reply, Transport
from kschedctl.extenders.client import ExtenderClient
from kschedctl.framework.configuration import Extender
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.simulate import SimulationQuestion, caveats_of_run, options_of, plan_of, run_of
from kschedctl.reports.sweep.model import SweepTrial
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.options import TieBreak
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.queue.task import pod_count
from kschedctl.whatif.scenarios.expectations import check_all
from kschedctl.whatif.scenarios.purchases import Basis
from kschedctl.whatif.scenarios.scenario import Expectations
from kschedctl.whatif.simulate import SimulationResult, changed_world

_MOST_FINDINGS: Final = 5
_encode: Final = msgspec.json.Encoder(order="deterministic", enc_hook=repr).encode


class Trial(Struct, frozen=True):
    """A scenario that is ready to be run.

    Attributes:
        place: which one it is.
        values: the value on each axis.
        cluster: number of its cluster with its scheduler.
        release: number of its manifests.
        question: what is asked.
        expectations: what is to hold.
        seed: by which ties are broken at random; None: they are not.
        key: of equal scenarios of any sweep.
    """

    place: int
    values: tuple[str, ...]
    cluster: int
    release: int
    question: SimulationQuestion
    expectations: Expectations
    seed: int | None = None
    key: str = ""


class SharedInputs(Struct, frozen=True):
    """What scenarios have in common, and share.

    Attributes:
        clusters: clusters, each with a scheduler.
        releases: manifests.
    """

    clusters: list[Cluster]
    releases: list[Release]


class Found(Struct, frozen=True):
    """What came of a scenario, with its place and its key."""

    place: int
    key: str
    trial: SweepTrial


def run_trial(shared: SharedInputs, trial: Trial) -> Found:
    """Run a scenario; whatever goes wrong in it is its result."""
    try:
        result = _run(shared.clusters[trial.cluster], shared.releases[trial.release], trial)
    except KschedError as error:
        result = broken(trial.values, error)
    except Exception as error:  # the others are run all the same
        result = _broken(trial.values, f"internal error: {type(error).__name__}: {error}")
    return Found(trial.place, trial.key, result)


def broken(values: Sequence[str], error: KschedError) -> SweepTrial:
    """A scenario that cannot be run."""
    problems = error.problems if isinstance(error, InputErrors) else (error,)
    return _broken(values, "; ".join(map(str, problems)))


def _broken(values: Sequence[str], why: str) -> SweepTrial:
    return SweepTrial(values=list(values), passed=False, error=why, load={}, findings=[], caveats=[])


def _run(cluster: Cluster, release: Release, trial: Trial) -> SweepTrial:
    before = _sent(cluster)
    decided = cluster
    if trial.seed is not None:
        decided = cluster.with_options(replace(cluster.options, tie_break=TieBreak.RANDOM, seed=trial.seed))
    found = run_of(decided, trial.question, release)
    basis = Basis(decided.session, options_of(decided, trial.question), plan_of(trial.question, release))
    checks = check_all(trial.expectations, found, release, basis)
    passed = all(check.passed for check in checks)
    caveats, unjudged = caveats_of_run(
        cluster, found, release, trial.question, drains=trial.expectations.drainable is not None
    )
    failed = any(task.outcome in (Outcome.INVALID, Outcome.ERROR) for task in found.tasks)
    return SweepTrial(
        values=list(trial.values),
        passed=passed,
        error=None,
        undecided=failed or (bool(unjudged) and not passed),
        nodes=found.session.cluster.nodes.count,
        wanted=pod_count(found.tasks),
        placed=sum(task.placed for task in found.tasks),
        evictions=len(found.evictions),
        lost=len(found.lost),
        seconds=found.seconds,
        load={name: round(use.share, 6) for name, use in found.after.total().items()},
        placements=_placements(found),
        requests=_sent(cluster) - before,
        findings=_first([finding.message for check in checks for finding in check.findings]),
        caveats=[caveat for caveat in caveats if caveat not in cluster.summary.caveats],
    )


class CountedTransport:
    """Counts the calls that another transport carries.

    Args:
        inner: carries them.

    Attributes:
        sent: how many there were.
    """

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.sent = 0

    def send(self, call: Call) -> Reply:
        """The reply to a call.

        Raises:
            CallError: there is none.
        """
        self.sent += 1
        return self._inner.send(call)


def _sent(cluster: Cluster) -> int:
    return cluster.transport.sent if isinstance(cluster.transport, CountedTransport) else 0


def _first(texts: Sequence[str]) -> list[str]:
    left = len(texts) - _MOST_FINDINGS
    return [*texts[:_MOST_FINDINGS], f"{left} more of the kind"] if left > 0 else list(texts)


def _placements(found: SimulationResult) -> str:
    """A digest of where every pod is that was to be scheduled."""
    pairs = sorted((task.name, task.node) for task in found.tasks if task.node is not None)
    waiting: Counter[str] = Counter()
    for task in found.tasks:
        if not task.placed:
            waiting[str(task.workload)] += pod_count([task])
    return hashlib.sha256(repr((pairs, sorted(waiting.items()))).encode()).hexdigest()[:16]


def costs(cluster: Cluster, release: Release, trial: Trial) -> Iterator[tuple[Extender, int]]:
    """The extenders, each with the requests that a scenario sends it at least.

    Every pod that an extender looks after is asked about once for each verb; preemption and further attempts ask
    again.

    Raises:
        KschedError: the scenario cannot be run.
    """
    if cluster.transport is None or not cluster.scheduler.extenders:
        return
    world = changed_world(cluster.session.objects, plan_of(trial.question, release))
    waiting = [pod for pod in world.all(Pod) if not pod.spec.node_name and not pod.is_terminating]
    admitted = map(cluster.session.admission.admit_candidate, [*waiting, *(one.pod for one in world.created)])
    pods = [pod for pod in admitted if not isinstance(pod, Invalid)]
    for extender in cluster.scheduler.extenders:
        client = ExtenderClient(extender, cluster.transport)
        verbs = sum(map(client.has, (ExtenderVerb.FILTER, ExtenderVerb.PRIORITIZE)))
        yield extender, verbs * sum(map(client.is_interested, pods))


class Keys:
    """Makes the keys of scenarios: equal ones have the same, in any sweep, as long as nothing they read changes.

    What plugins from outside do, and what extenders answer, is taken to be the same.
    """

    def __init__(self, shared: SharedInputs) -> None:
        objects: dict[int, str] = {}  # which the clusters of one input share
        self._clusters = []
        for cluster in shared.clusters:
            if id(cluster.objects) not in objects:
                absent = sorted(kind.__name__ for kind in cluster.absent)
                objects[id(cluster.objects)] = _digest(_typed(cluster.objects), cluster.headers, absent)
            self._clusters.append(_digest(objects[id(cluster.objects)], *_rules(cluster)))
        self._releases = [
            _digest(_typed(release.objects), release.at, release.unknown, sorted(release.skipped.items()))
            for release in shared.releases
        ]

    def key(self, trial: Trial) -> str:
        """The key of a scenario; empty for one that looks into a catalogue, which may change by itself."""
        if trial.expectations.cost is not None or trial.expectations.nodes_needed is not None:
            return ""
        return _digest(
            self._clusters[trial.cluster],
            self._releases[trial.release],
            replace(trial.question, manifests=(), changes=()),
            [(type(change).__name__, change) for change in trial.question.changes],
            trial.expectations,
            trial.seed,
        )


def _rules(cluster: Cluster) -> Iterator[object]:
    """By which rules is decided in a cluster."""
    scheduler = cluster.scheduler
    version = scheduler.version
    yield from (__version__, version.minor, version.patch, version.emulated)
    yield from (scheduler.gates.changed, scheduler.profiles)
    yield from (scheduler.percentage_of_nodes_to_score, scheduler.extenders, cluster.transport is not None)
    yield from (scheduler.pod_initial_backoff_seconds, scheduler.pod_max_backoff_seconds)
    yield replace(cluster.options, timings=None)


def _typed(objects: Sequence[TopLevel]) -> Iterator[tuple[str, TopLevel]]:
    return ((type(obj).__name__, obj) for obj in objects)


def _digest(*parts: object) -> str:
    found = hashlib.sha256()
    for part in parts:
        for one in part if isinstance(part, Iterator) else (part,):
            found.update(_encode(one))
            found.update(b"\n")
    return found.hexdigest()
