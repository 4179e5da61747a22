"""Whether a simulation is as it was expected to be, and what is wrong where it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from kschedctl.objects.phrases import and_more, names_text, plural
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.parallel import ALONE, Workers
from kschedctl.sources.lines import FieldPath
from kschedctl.whatif.disruption.survival import FailureUnit, FatalFailure, fatal_losses, too_few
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.queue.task import Eviction, Task, pod_count
from kschedctl.whatif.scenarios.checks import Check, Finding, Rule, why_of
from kschedctl.whatif.scenarios.drains import check_drainable
from kschedctl.whatif.scenarios.purchases import Basis, check_cost, check_nodes_needed
from kschedctl.whatif.scenarios.scenario import ALL, MANIFESTS, Expectations, OnNodes, Spread
from kschedctl.whatif.scenarios.unread import check_served, check_unread
from kschedctl.whatif.simulate import SimulationResult, settled_session
from kschedctl.whatif.world.targets import find_nodes, find_object
from kschedctl.workloads import WORKLOADS, WorkloadKey, key_of, replicas_of
from kschedctl.workloads.ownership import adopts
from kschedctl.workloads.template import template_path

_MOST_LOSSES = 20
_MOST_NAMES = 5
NOTHING = Release()


def check_all(
    expectations: Expectations,
    found: SimulationResult,
    release: Release = NOTHING,
    basis: Basis | None = None,
    observer: Observer = SILENT,
    workers: Workers = ALONE,
) -> list[Check]:
    """Check every expectation, in a fixed order.

    Args:
        expectations: what is to hold.
        found: the simulation.
        release: the manifests.
        basis: what it was made from; None: nobody asks what would have to be bought.
        observer: is told how many failures are tried.
        workers: who tries failures.

    Raises:
        UsageError: an expectation is about something that is not there.
    """
    judge = _Judge(found, list(release.places), observer, workers)
    checks: list[Check] = []
    if expectations.schedulable:
        checks.append(judge.schedulable(expectations.schedulable))
    if expectations.max_pending is not None:
        checks.append(judge.max_pending(expectations.max_pending))
    if expectations.no_preemption:
        checks.append(judge.no_preemption())
    checks += [judge.on_nodes(i, wanted) for i, wanted in enumerate(expectations.on_nodes)]
    checks += [judge.spread(i, wanted) for i, wanted in enumerate(expectations.spread)]
    checks += [judge.headroom(name, share) for name, share in expectations.headroom.items()]
    if expectations.survives_nodes:
        checks.append(judge.survives(FailureUnit.NODES, expectations.survives_nodes))
    if expectations.survives_zones:
        checks.append(judge.survives(FailureUnit.ZONES, expectations.survives_zones))
    if expectations.drainable is not None:
        checks.append(check_drainable(expectations.drainable, found, observer))
    if expectations.nodes_needed is not None:
        assert basis is not None
        checks.append(check_nodes_needed(expectations.nodes_needed, basis, observer))
    if expectations.cost is not None:
        assert basis is not None
        checks.append(check_cost(expectations.cost, basis, observer))
    if expectations.no_unread:
        checks.append(check_unread(release))
    elif not (served := check_served(release)).passed:
        checks.append(served)  # nobody has to ask for it, and it is told where it does not hold
    return checks


class _Judge:
    """Checks expectations against one simulation."""

    def __init__(
        self,
        found: SimulationResult,
        manifests: Sequence[WorkloadKey],
        observer: Observer,
        workers: Workers,
    ) -> None:
        self._found = found
        self._observer = observer
        self._workers = workers
        self._manifests = manifests

    def schedulable(self, wanted: str | tuple[str, ...]) -> Check:
        findings: list[Finding] = []
        if isinstance(wanted, str):
            title = "every pod finds a node" if wanted == ALL else "every pod of the manifests finds a node"
            chosen = set(self._manifests) if wanted == MANIFESTS else None
            if wanted == MANIFESTS and not chosen:
                findings.append(Finding("the scenario has no manifests with pods"))
        else:
            chosen = {self._key(reference) for reference in wanted}
            title = f"every pod of {', '.join(wanted)} finds a node"
            findings += [finding for key in sorted(chosen) for finding in self._without_pods(key)]
        for tasks, tell in (
            (self._found.pending, _stays_pending),
            (self._found.not_created, _is_not_created),
            (self._found.refused, _is_refused),
        ):
            asked = [t for t in tasks if chosen is None or self._is_of_any(t, chosen)]
            findings += [tell(group) for group in _by_workload_and_reason(asked)]
        for update in self._found.stuck:
            if chosen is None or update.workload in chosen:
                text = f"the rolling update of {update.workload} is stuck on {update.stuck}"
                findings.append(Finding(text, update.workload))
        return Check(Rule.SCHEDULABLE, title, ("schedulable",), tuple(findings))

    def max_pending(self, most: int) -> Check:
        refused = self._found.refused
        pending = [*self._found.pending, *refused]
        what = "pending or refused by a kubelet" if refused else "pending"
        title = f"at most {most} pods stay pending" if most else "no pod stays pending"
        findings = []
        if (count := pod_count(pending)) > most:
            verb = "stays" if count == 1 else "stay"
            text = f"{plural(count, 'pod')} {verb} {what}, {most or 'none'} may: {_names(pending)}"
            findings.append(Finding(text))
        return Check(Rule.MAX_PENDING, title, ("maxPending",), tuple(findings))

    def no_preemption(self) -> Check:
        return Check(
            Rule.NO_PREEMPTION,
            "no pod is preempted",
            ("noPreemption",),
            tuple(map(self._preempts, self._found.evictions)),
        )

    def _preempts(self, eviction: Eviction) -> Finding:
        key = self._workload_named(eviction.by)
        text = f"{eviction.by} preempts {eviction.victim} (priority {eviction.priority}) on {eviction.node}"
        return Finding(text, key, field=() if key is None else _pod_field(key, "priorityClassName"))

    def on_nodes(self, index: int, wanted: OnNodes) -> Check:
        key = self._key(wanted.workload)
        allowed = {node.name for node in find_nodes(self._found.world, wanted.nodes)}
        astray = {name: node for name, node in self._pods_of(key).items() if node not in allowed}
        findings = self._on_no_node(key)
        if astray:
            change_texts = names_text([f"{name} on {node}" for name, node in astray.items()])
            verb = "is" if len(astray) == 1 else "are"
            text = f"{plural(len(astray), 'pod')} of {key} {verb} on other nodes than {wanted.nodes}: {change_texts}"
            findings.append(Finding(text, key, field=_pod_field(key, "nodeSelector")))
        title = f"{key} is on {wanted.nodes}"
        return Check(Rule.ON_NODES, title, ("onNodes", index), tuple(findings))

    def spread(self, index: int, wanted: Spread) -> Check:
        key = self._key(wanted.workload)
        domain = self._domains(wanted.over)
        on = self._pods_of(key).values()
        counts = Counter(dict.fromkeys(sorted(domain.values()), 0))
        counts.update(domain[node] for node in on if node in domain)
        change_texts = ", ".join(f"{value} {count}" for value, count in counts.items())
        empty = self._on_no_node(key)
        findings = empty.copy()
        if outside := [node for node in on if node not in domain]:
            verb = "is on a node" if len(outside) == 1 else "are on nodes"
            which = f": {names_text(sorted(set(outside)))}" if domain else ", which no node has"
            text = f"{plural(len(outside), 'pod')} of {key} {verb} without the label {wanted.over}{which}"
            findings.append(Finding(text, key, field=_pod_field(key, "topologySpreadConstraints")))
        skew = max(counts.values(), default=0) - min(counts.values(), default=0)
        if wanted.max_skew is not None and skew > wanted.max_skew:
            text = f"{key} has a skew of {skew} over {wanted.over}, {wanted.max_skew} is allowed ({change_texts})"
            findings.append(Finding(text, key, field=_pod_field(key, "topologySpreadConstraints")))
        used = sum(count > 0 for count in counts.values())
        if domain and not empty and wanted.min_domains is not None and used < wanted.min_domains:
            text = f"{key} is in {used} values of {wanted.over}, {wanted.min_domains} are wanted ({change_texts})"
            findings.append(Finding(text, key, field=_pod_field(key, "topologySpreadConstraints")))
        limits = [f"skew at most {wanted.max_skew}"] if wanted.max_skew is not None else []
        limits += [f"at least {wanted.min_domains} values"] if wanted.min_domains is not None else []
        title = f"{key} is spread over {wanted.over}, {', '.join(limits)}"
        return Check(Rule.SPREAD, title, ("spread", index), tuple(findings))

    def headroom(self, resource: str, percent: int) -> Check:
        usage = self._found.after.total().get(resource)
        title = f"{percent} % of {resource} stay free"
        findings: list[Finding] = []
        if usage is None:
            findings.append(Finding(f"no node has any {resource}"))
        elif not usage.allocatable:
            findings.append(Finding(f"no node that takes pods has any {resource}"))
        elif (usage.allocatable - usage.requested) * 100 < percent * usage.allocatable:
            free = 100 * (1 - usage.share)
            where = " on nodes that take pods" if self._found.after.closed else ""
            findings.append(Finding(f"{free:.1f} % of {resource} stay free{where}, {percent} % are wanted"))
        return Check(Rule.HEADROOM, title, ("headroom", resource), tuple(findings))

    def survives(self, unit: FailureUnit, at_once: int) -> Check:
        title = f"any {unit.one} may fail" if at_once == 1 else f"any {at_once} {unit} may fail at once"
        settled = settled_session(self._found)
        if missing := too_few(unit, settled, at_once):
            return Check(Rule.SURVIVES, title, ("survives", unit.value), (Finding(missing),))
        workload_of = self._found.world.workload_of
        fatal = fatal_losses(unit, settled, workload_of, at_once, self._observer, workers=self._workers)
        found = list(islice(fatal, _MOST_LOSSES + 1))
        findings = [_loss(loss, unit.one) for loss in found[:_MOST_LOSSES]]
        if len(found) > _MOST_LOSSES:
            findings.append(Finding(f"more than {_MOST_LOSSES} failures leave pods without a node"))
        return Check(Rule.SURVIVES, title, ("survives", unit.value), tuple(findings))

    def _key(self, reference: str) -> WorkloadKey:
        known = next((t.workload for t in self._found.tasks if str(t.workload) == reference), None)
        if known is not None:
            return known
        found = find_object(self._found.world, reference)
        if isinstance(found, WORKLOADS):
            return key_of(found)
        return self._found.world.workload_of(found) if isinstance(found, Pod) else key_of(found)

    def _workload_named(self, pod: str) -> WorkloadKey | None:
        return next((task.workload for task in self._found.tasks if task.name == pod), None)

    def _is_of(self, pod: Pod, key: WorkloadKey) -> bool:
        """Whether a pod is one of a workload, which may have a controller itself or may adopt the pod."""
        ownership = self._found.world.ownership
        if key in ownership.chain(pod):
            return True
        workload = ownership.workload(key)
        return workload is not None and adopts(workload, pod)

    def _is_of_any(self, task: Task, keys: Iterable[WorkloadKey]) -> bool:
        return any(task.workload == key or self._is_of(task.pod, key) for key in keys)

    def _without_pods(self, key: WorkloadKey) -> list[Finding]:
        """What is wrong with a workload that has no pod at all: nothing that is said of its pods is tested."""
        workload = self._found.world.ownership.workload(key)
        if workload is not None and replicas_of(workload) == 0:
            return []
        if self._pods_of(key) or any(self._is_of_any(task, (key,)) for task in self._found.tasks):
            return []
        return [Finding(f"{key} has no pod", key)]

    def _on_no_node(self, key: WorkloadKey) -> list[Finding]:
        """What is wrong where pods are wanted and none is on a node: nothing that is said of their nodes is tested."""
        found = self._without_pods(key)
        first = next((task for task in self._found.tasks if self._is_of_any(task, (key,))), None)
        if found or first is None or self._pods_of(key):
            return found
        return [Finding(f"no pod of {key} is on a node: {why_of(first)}", key, task=first)]

    def _pods_of(self, key: WorkloadKey) -> dict[str, str]:
        """Pod -> node at the end, of those that are on one."""
        cluster = self._found.session.cluster
        workload = {t.record.id: t.workload for t in self._found.tasks if t.record is not None}
        names = cluster.nodes.names
        found = {}
        for record in cluster.pods.records:
            row, source = int(cluster.pods.node[record.id]), record.pod.source
            if row < 0 or source is None:
                continue
            if workload.get(record.id) == key or self._is_of(source, key):
                found[record.full_name] = names[row]
        return found

    def _domains(self, label: str) -> dict[str, str]:
        """Node -> its value of a label, of the nodes that have it."""
        return {
            node.name: node.metadata.labels[label]
            for node in self._found.session.cluster.nodes.objects
            if label in node.metadata.labels
        }


def _pod_field(key: WorkloadKey, name: str) -> FieldPath:
    """A field of the pods of a workload, in its manifest."""
    return (*template_path(key.kind), "spec", name)


def _by_workload_and_reason(tasks: Sequence[Task]) -> list[list[Task]]:
    groups: dict[tuple[WorkloadKey, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault((task.workload, why_of(task)), []).append(task)
    return list(groups.values())


def _stays_pending(tasks: Sequence[Task]) -> Finding:
    first = tasks[0]
    verb = "stays" if pod_count(tasks) == 1 else "stay"
    text = f"{_counted(tasks)} of {first.workload} {verb} pending: {why_of(first)}"
    return Finding(text, first.workload, task=first)


def _is_not_created(tasks: Sequence[Task]) -> Finding:
    first = tasks[0]
    one = pod_count(tasks) == 1
    waits = f"{'it waits' if one else 'they wait'} for {first.waits_for}"
    text = f"{_counted(tasks)} of {first.workload} {'is' if one else 'are'} not created: {waits}"
    return Finding(text, first.workload)


def _is_refused(tasks: Sequence[Task]) -> Finding:
    first = tasks[0]
    verb = "is" if pod_count(tasks) == 1 else "are"
    text = (
        f"{_counted(tasks)} of {first.workload} {verb} refused by the kubelet of {first.pod.spec.node_name}: "
    )
    return Finding(f"{text}{why_of(first)}", first.workload, task=first)


def _loss(loss: FatalFailure, one: str) -> Finding:
    first = loss.pending[0]
    failed = f"{one} {loss.failed[0]} fails" if len(loss.failed) == 1 else f"{' and '.join(loss.failed)} fail"
    others = {task.workload for task in loss.pending}
    who = names_text([str(workload) for workload in sorted(others)])
    workload = first.workload if len(others) == 1 else None
    verb = "finds" if len(loss.pending) == 1 else "find"
    text = f"when {failed}, {_counted(loss.pending)} of {who} {verb} no node: {why_of(first)}"
    return Finding(text, workload)


def _counted(tasks: Sequence[Task]) -> str:
    return plural(pod_count(tasks), "pod")


def _names(tasks: Sequence[Task]) -> str:
    return and_more([task.name for task in tasks[:_MOST_NAMES]], pod_count(tasks))
