"""kschedctl in Python: load a cluster, ask, read typed results.

    from kschedctl import Cluster, explain, scheduler_of

    cluster = Cluster.load("prod.json.gz", scheduler=scheduler_of("scheduler.yaml", version="1.34"))
    for answer in explain(cluster, "trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.selected_node)

Every question is a function of a module beside this one; it takes the cluster and leaves it as it is.

Answers are the reports of `kschedctl.reports`, the same that `-o json` prints. That a pod does not fit is an answer;
that no answer can be given is a `kschedctl.errors.KschedError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.shown_gates import shown_gates
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.errors import Place, shown_path
from kschedctl.extenders.call import Transport
from kschedctl.framework.configuration import Profile, SchedulerConfiguration
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.scheduler import WrittenScheduler, running_version
from kschedctl.reports.caveats.absent_kinds import absent_kinds_caveats
from kschedctl.reports.caveats.cluster import caveats_of, left_out_caveat, narrow_caveats
from kschedctl.reports.caveats.created_pods import (
    empty_cluster_caveat,
    multi_attach_caveat,
    namespace_selector_caveats,
)
from kschedctl.reports.caveats.groups import shown_gates_caveats
from kschedctl.reports.caveats.kinds_read import Effects, readings_of
from kschedctl.reports.caveats.missing_kinds import (
    Gaps,
    gaps_of,
    missing_kinds_caveats,
    why_not_judged,
    why_refusal_not_judged,
)
from kschedctl.reports.caveats.not_judged import not_judged_caveats
from kschedctl.reports.caveats.quotas import quota_caveats
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.model import Caveat, ClusterSummary, SchedulerSummary
from kschedctl.reports.summaries import cluster_summary, scheduler_summary
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import Loaded, load
from kschedctl.sources.snapshot import Header
from kschedctl.whatif.session import Session

if TYPE_CHECKING:
    from kschedctl.sources.custom_workloads import PodTemplates
    from kschedctl.whatif.transaction.transaction import Transaction
    from kschedctl.whatif.world.changes import Prioritize

EVERY_FAILURE = SchedulingOptions(every_failure=True)
"""Ask every plugin of every node: what explanations are made of."""


class Cluster(Struct, frozen=True, dict=True):
    """Loaded objects and the scheduler that is asked about them.

    Attributes:
        objects: everything in the cluster, as loaded.
        scheduler: profiles, version and gates.
        options: what to do where kube-scheduler leaves room.
        source: what reports say of where it comes from.
        skipped: `(apiVersion, kind)` of what scheduling does not read -> how many.
        headers: of the snapshots among the inputs.
        absent: kinds of which a plain input has no object, so that nobody knows whether the cluster has any.
        transport: carries calls to the extenders of the scheduler; None: none of them is called.
        changes: what was changed in it before anything is asked, for reports.
        closed: nodes that these changes have closed.
        shown: feature gates that are on since the cluster shows them to be, each with what shows it.
        written: the scheduler as it was asked for; None: as a configuration.
        priorities: what manifests are to be read with, too: priorities of pods and workloads that may be in them.
        left_out: directories with manifests below those that were read, which are not searched.
        pod_templates: where custom resources of manifests hold templates of pods; None: as is known.
    """

    objects: Sequence[TopLevel]
    scheduler: SchedulerConfiguration
    options: SchedulingOptions = EVERY_FAILURE
    source: tuple[str, ...] = ()
    skipped: Mapping[tuple[str, str], int] | None = None
    headers: tuple[Header, ...] = ()
    absent: frozenset[type[TopLevel]] = frozenset()
    transport: Transport | None = None
    changes: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()
    shown: Mapping[str, str] = {}
    written: WrittenScheduler | None = None
    priorities: tuple[Prioritize, ...] = ()
    left_out: tuple[str, ...] = ()
    pod_templates: PodTemplates | None = None

    @classmethod
    def load(
        cls,
        *paths: str,
        scheduler: SchedulerConfiguration | WrittenScheduler | None = None,
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
        scheduler: SchedulerConfiguration | WrittenScheduler | None = None,
        options: SchedulingOptions = EVERY_FAILURE,
    ) -> Cluster:
        """The cluster of loaded objects; `source` says where they come from.

        A scheduler that hangs on the cluster, as the default one does, is that of the version that the cluster
        runs, with the feature gates that it shows to be on.
        """
        shown: Mapping[str, str] = {}
        written: WrittenScheduler | None = None
        if not isinstance(scheduler, SchedulerConfiguration):
            written = scheduler or WrittenScheduler()
            written = replace(written, version=written.version or running_version(loaded))
            shown = shown_gates(loaded.objects)
            scheduler = written.configuration(shown=shown)
            changed = scheduler.gates.changed
            shown = {
                name: why for name, why in shown.items() if changed.get(name) and name not in written.gates
            }
        return cls(
            loaded.objects,
            scheduler,
            options,
            tuple(map(shown_path, source)),
            loaded.skipped,
            loaded.snapshots,
            loaded.absent,
            shown=shown,
            written=written,
            left_out=loaded.left_out,
        )

    @cached_property
    def session(self) -> Session:
        """The engine over these objects."""
        at = start_of(self.taken_at)
        looked_at = None if at == NO_START else at
        return Session(
            self.objects, self.scheduler, self.options, looked_at=looked_at, transport=self.transport
        )

    @property
    def taken_at(self) -> str | None:
        """When the first of the snapshots was taken (RFC 3339); None: not known."""
        return min((header.taken_at for header in self.headers if header.taken_at), default=None)

    @property
    def place(self) -> Place | None:
        """Where pods of the cluster stand; their lines are not looked up, since the file may be large."""
        return Place(file=", ".join(self.source)) if self.source else None

    def transaction(self, *, diagnose: bool = True) -> Transaction:
        """Begin to try things on the cluster, which is left as it is; see `kschedctl.questions.transaction`.

        Args:
            diagnose: let every placement tell which nodes fit, and why the others do not.

        Raises:
            UsageError: another transaction of the cluster is open.
        """
        from kschedctl.whatif.transaction.transaction import Transaction  # nobody else needs it

        return Transaction(self.session, diagnose=diagnose)

    def with_objects(self, objects: Sequence[TopLevel]) -> Cluster:
        """The same with other objects in it."""
        return self if objects is self.objects else replace(self, objects=objects)

    def with_gates(self, changed: Mapping[str, bool]) -> Cluster | None:
        """The same with some feature gates set otherwise, kept; None where the scheduler cannot be written so.

        Raises:
            KschedError: kube-scheduler would not start with these gates.
        """
        if self.written is None:
            return None
        key = tuple(sorted(changed.items()))
        if key not in self._by_gates:
            gates = {**self.written.gates, **dict.fromkeys(self.shown, True), **changed}
            scheduler = replace(self.written, gates=gates).configuration()
            self._by_gates[key] = replace(self, scheduler=scheduler)
        return self._by_gates[key]

    @cached_property
    def _by_gates(self) -> dict[tuple[tuple[str, bool], ...], Cluster]:
        return {}

    def with_options(self, options: SchedulingOptions) -> Cluster:
        """The same cluster, columns and all, decided by other options."""
        other = replace(self, options=options)
        other.__dict__["session"] = self.session  # it takes the options of whoever decides
        return other

    @cached_property
    def summary(self) -> ClusterSummary:
        """What reports say of the cluster; made once, before candidates enter it."""
        state = self.session.cluster
        caveats = caveats_of(state, self.scheduler, self.headers, extenders_called=self.transport is not None)
        caveats += narrow_caveats(self.objects, self.headers)
        caveats += shown_gates_caveats(self.shown, self.scheduler.gates)
        empty = empty_cluster_caveat(state, pods_absent=Pod in self.absent)
        caveats += [] if empty is None else [empty]
        left_out = left_out_caveat(self.left_out, of_cluster=True)
        caveats += [] if left_out is None else [left_out]
        return cluster_summary(state, self.source, caveats, self.taken_at, self.changes)

    @cached_property
    def gaps(self) -> Gaps:
        """What could not be read of the cluster."""
        return gaps_of(self.headers, self.skipped or {})

    def kinds_caveats(self, decision: Decision) -> list[Caveat]:
        """The caveats about kinds that a decision has read, and that are not in the input or could not be read."""
        effects = Effects(preempts=decision.preemption is not None and bool(decision.preemption.candidates))
        scheduler, cluster, pods = self.session.scheduler, decision.cluster, [decision.pod]
        caveats = absent_kinds_caveats(self.absent, scheduler, cluster, pods, effects)
        caveats += namespace_selector_caveats(pods, cluster)
        caveats += quota_caveats(pods, cluster)
        if decision.selected is not None:
            shared = multi_attach_caveat(decision.pod, decision.selected, cluster)
            caveats += [] if shared is None else [shared]
        readings = readings_of(pods, scheduler, cluster, self.gaps, effects)
        caveats += missing_kinds_caveats(self.gaps, readings)
        if readings and decision.outcome is Outcome.UNSCHEDULABLE:
            why = why_not_judged(self.gaps, readings, node_reports(decision))
            caveats += not_judged_caveats({decision.pod.full_name: why})
        return caveats

    def refusal_caveats(self, pod: Pod) -> list[Caveat]:
        """The caveats about classes that could not be read, for the lack of which a pod is refused."""
        return not_judged_caveats({pod.full_name: why_refusal_not_judged(self.gaps, pod)})

    def scheduler_summary(self, profile: Profile | None) -> SchedulerSummary:
        """What reports say of the scheduler, with the profile that decided."""
        return scheduler_summary(self.scheduler, self.options, profile.scheduler_name if profile else None)
