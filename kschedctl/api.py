"""kschedctl in Python: load a cluster, explain pods, read typed results.

    from kschedctl.api import Cluster, scheduler_of

    cluster = Cluster.load("prod.json.gz")
    for answer in cluster.explain("trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.selected_node)
        for group in answer.reasons:
            print(group.text, group.nodes)

A pod of the cluster is asked about by its name: `cluster.explain_existing("web-7", namespace="shop")`; a pod
made in Python by itself: `cluster.explain_pod(Pod(...))`. Another scheduler:
`Cluster.load("prod.json.gz", scheduler=scheduler_of("scheduler.yaml", version="1.34"))`.

Answers are `kschedctl.reports.explanation.Explanation`, the same that `-o json` prints. That a pod does not fit
is an answer; that no answer can be given is a `kschedctl.errors.KschedError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import BinaryIO

import msgspec

from kschedctl.admission.invalid import Invalid
from kschedctl.asking import Asked, asked_by_manifests, asked_existing, asked_pending
from kschedctl.errors import ConfigurationError, Place
from kschedctl.framework.configuration import Profile, SchedulerConfiguration, field_of, load_configuration
from kschedctl.framework.versions import NEWEST, feature_gates, parse_version
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.reports.absent_kinds import Effects, absent_kinds_caveats
from kschedctl.reports.caveats import caveats_of, sampling_caveat
from kschedctl.reports.explanation import Explanation
from kschedctl.reports.from_decision import ReportHead, explanation_of, refusal_of
from kschedctl.reports.model import Caveat, ClusterSummary, SchedulerSummary
from kschedctl.reports.summaries import cluster_summary, scheduler_summary, with_caveats
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import Sampling, SchedulingOptions
from kschedctl.sources.document import load_document
from kschedctl.sources.load import Loaded, load
from kschedctl.sources.snapshot import Header
from kschedctl.whatif.explain import judging, running_on
from kschedctl.whatif.session import Session

EVERY_FAILURE = SchedulingOptions(every_failure=True)
"""Ask every plugin of every node: what explanations are made of."""


def scheduler_of(
    path: str | None = None,
    *,
    version: str = NEWEST,
    gates: Mapping[str, bool] | None = None,
    stdin: BinaryIO | None = None,
) -> SchedulerConfiguration:
    """A scheduler: a KubeSchedulerConfiguration file (None: the defaults) in a version with feature gates.

    Raises:
        ConfigurationError: kube-scheduler would not start with the file.
        InputError: the file cannot be read.
        UnsupportedError: the version is not verified.
        UsageError: a gate is unknown or locked.
    """
    known = parse_version(version)
    features = feature_gates(known, gates or {})
    if path is None:
        return load_configuration(None, known, features)
    document = load_document(path, stdin)
    try:
        return load_configuration(document.data, known, features, origin=path)
    except ConfigurationError as error:
        place = document.position.place_of_object(field_of(error.message))
        raise ConfigurationError(error.message, place=place, hint=error.hint) from error


@dataclass(frozen=True)
class Cluster:
    """Loaded objects and the scheduler that is asked about them.

    Attributes:
        objects: everything in the cluster, as loaded.
        scheduler: profiles, version and gates.
        options: what to do where kube-scheduler leaves room.
        source: what reports say of where it comes from.
        skipped: `(apiVersion, kind)` of what scheduling does not read -> how many.
        headers: of the snapshots among the inputs.
        absent: kinds of which a plain input has no object, so that nobody knows whether the cluster has any.
    """

    objects: Sequence[TopLevel]
    scheduler: SchedulerConfiguration
    options: SchedulingOptions = EVERY_FAILURE
    source: tuple[str, ...] = ()
    skipped: Mapping[tuple[str, str], int] | None = None
    headers: tuple[Header, ...] = ()
    absent: frozenset[type[TopLevel]] = frozenset()

    @classmethod
    def load(
        cls,
        *paths: str,
        scheduler: SchedulerConfiguration | None = None,
        options: SchedulingOptions = EVERY_FAILURE,
        stdin: BinaryIO | None = None,
        observer: Observer = SILENT,
    ) -> Cluster:
        """Load a cluster from files, directories and, for `-`, a stream.

        Raises:
            InputError: the only problem of the inputs.
            InputErrors: all problems of the inputs.
        """
        return cls.of(load(paths, stdin=stdin, observer=observer), paths, scheduler, options)

    @classmethod
    def of(
        cls,
        loaded: Loaded,
        source: Sequence[str],
        scheduler: SchedulerConfiguration | None = None,
        options: SchedulingOptions = EVERY_FAILURE,
    ) -> Cluster:
        """The cluster of loaded objects; `source` says where they come from."""
        scheduler = scheduler or scheduler_of()
        return cls(
            loaded.objects,
            scheduler,
            options,
            tuple(source),
            loaded.skipped,
            loaded.snapshots,
            loaded.absent,
        )

    @cached_property
    def session(self) -> Session:
        """The engine over these objects."""
        return Session(self.objects, self.scheduler, self.options)

    def explain(
        self,
        *paths: str,
        namespace: str | None = None,
        stdin: BinaryIO | None = None,
        observer: Observer = SILENT,
    ) -> list[Explanation]:
        """Explain the pods of manifests, and one pod of each workload, each alone.

        Other objects of the manifests are there when the pods are judged, as after `kubectl apply`, and so are
        the claims that controllers make for them.

        Raises:
            InputError: the manifests cannot be used, or hold no pod.
            InputErrors: several such problems.
            UnsupportedError: the answer would need something that is not evaluated.
        """
        asked = asked_by_manifests(self, paths, namespace=namespace, stdin=stdin, observer=observer)
        return [explain_asked(one) for one in asked]

    def explain_pending(self, namespace: str | None = None) -> Iterator[Explanation]:
        """Explain every pod of the cluster that waits for a node, each alone; None: of all namespaces.

        Pods that nobody can tell apart have one answer, with their names in `answer.pod.equal_pods`. Answers are
        made one by one: thousands of pods on thousands of nodes need not be in memory together.
        """
        return map(explain_asked, asked_pending(self, namespace))

    def explain_existing(self, name: str, namespace: str = "default", kind: str = "pod") -> Explanation:
        """Explain a pod of the cluster, pending as it is or running as if placed anew, or a new pod of a workload.

        Raises:
            UsageError: there is no such object.
            UnsupportedError: it is a daemon set.
        """
        return explain_asked(asked_existing(self, name, namespace, kind))

    def explain_pod(self, pod: Pod, place: Place | None = None) -> Explanation:
        """Explain a pod that might be created; `place` says where it was read."""
        return explain_asked(Asked(self, pod, place))

    @property
    def place(self) -> Place | None:
        """Where pods of the cluster stand; their lines are not looked up, since the file may be large."""
        return Place(file=", ".join(self.source)) if self.source else None

    def with_objects(self, objects: Sequence[TopLevel]) -> Cluster:
        """The same with other objects in it."""
        return self if objects is self.objects else replace(self, objects=objects)

    @cached_property
    def summary(self) -> ClusterSummary:
        """What reports say of the cluster; made once, before candidates enter it."""
        state = self.session.cluster
        caveats = caveats_of(state, self.scheduler, self.skipped or {}, self.headers)
        taken_at = min((header.taken_at for header in self.headers if header.taken_at), default=None)
        return cluster_summary(state, self.source, caveats, taken_at)

    def absent_kinds(self, decision: Decision) -> list[Caveat]:
        """The caveats about kinds that a decision has read, and that are not in the input."""
        effects = Effects(preempts=decision.preemption is not None and bool(decision.preemption.candidates))
        scheduler = self.session.scheduler
        return absent_kinds_caveats(self.absent, scheduler, decision.cluster, [decision.pod], effects)

    def scheduler_summary(self, profile: Profile | None) -> SchedulerSummary:
        """What reports say of the scheduler, with the profile that decided."""
        return scheduler_summary(self.scheduler, self.options, profile.scheduler_name if profile else None)


def explain_asked(asked: Asked) -> Explanation:
    """Explain a pod that somebody asks about."""
    cluster, summary = asked.cluster, asked.cluster_summary  # before the candidate enters
    node = running_on(cluster.session, asked.pod)
    with judging(cluster.session, asked.pod) as found:
        if isinstance(found, Invalid):
            head = ReportHead(cluster.scheduler_summary(None), summary)
            return refusal_of(found, head, asked.pod_summary(running_on=node))
        profile = found.framework.profile if found.framework else None
        if profile is not None and cluster.options.sampling is Sampling.OFF:
            summary = with_caveats(summary, sampling_caveat(found, _percentage(cluster.scheduler, profile)))
        summary = with_caveats(summary, *cluster.absent_kinds(found))
        head = ReportHead(cluster.scheduler_summary(profile), summary)
        report = explanation_of(found, head, asked.pod_summary(priority=found.pod.priority, running_on=node))
        if node is None and (written := asked.compared_with_written(found)) is not None:
            report = msgspec.structs.replace(report, written=written)
        return report


def _percentage(scheduler: SchedulerConfiguration, profile: Profile) -> int:
    own = profile.percentage_of_nodes_to_score
    return scheduler.percentage_of_nodes_to_score if own is None else own
