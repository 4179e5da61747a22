"""What an answer does not take into account, and whether that can change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.versions import Version, is_version, parse_version
from kschedctl.objects.kinds import may_make_pods
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text
from kschedctl.reports.caveats.missing_kinds import unread_versions
from kschedctl.reports.model import Caveat
from kschedctl.reports.sentences import listed
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.node_search import sampling_target
from kschedctl.sources.narrow import narrow_note
from kschedctl.sources.podless_kinds import makes_no_pods
from kschedctl.sources.snapshot import NAMESPACE_ONLY, Header
from kschedctl.whatif.manifests import Release

if TYPE_CHECKING:
    from kschedctl.sources.unknown_fields import UnknownField

OTHER_VERSION: Final = "other-version"
"""Code of the caveat that the cluster runs another version than the one that decides."""
_LISTED: Final = 3


def caveats_of(
    cluster: ClusterState,
    configuration: SchedulerConfiguration,
    headers: Sequence[Header] = (),
    *,
    extenders_called: bool = False,
) -> list[Caveat]:
    """The caveats of every answer in this cluster with this configuration.

    Args:
        cluster: the cluster.
        configuration: the scheduler.
        headers: of the snapshots that the cluster was read from.
        extenders_called: whether the extenders of the configuration are asked.
    """
    return [
        *(caveat for header in headers for caveat in _of_snapshot(header, configuration)),
        *_unknown_version(configuration.version),
        *_extenders(configuration, called=extenders_called),
        *_ignored(configuration),
        *_orphans(cluster),
    ]


def narrow_caveats(objects: Iterable[TopLevel], headers: Sequence[Header]) -> list[Caveat]:
    """That a plain input has the pods of one namespace only, as it seems; snapshots say so themselves."""
    note = None if headers else narrow_note(objects)
    return [] if note is None else [Caveat(code=note.code, message=note.text, may_change_answer=True)]


def _of_snapshot(header: Header, configuration: SchedulerConfiguration) -> Iterator[Caveat]:
    """What happened while it was taken, and a cluster of another version."""
    for note in header.notes:
        grave = note.code == NAMESPACE_ONLY
        yield Caveat(code=note.code, message=note.text, may_change_answer=grave)
    running = header.kubernetes_version
    if is_version(running) and not configuration.version.answers_for(parse_version(running)):
        text = f"the cluster runs {running}; this is the answer of {configuration.version}"
        yield Caveat(code=OTHER_VERSION, message=text, may_change_answer=True)


def _unknown_version(version: Version) -> Iterator[Caveat]:
    if version.asked:
        text = (
            f"Kubernetes {version.asked} is not known here: this is the answer of {version}, "
            "the nearest version that is"
        )
        yield Caveat(code="unknown-version", message=text, may_change_answer=True)


def sampling_caveat(decision: Decision, percentage: int) -> Caveat | None:
    """That kube-scheduler would not look at all nodes, where some of them may make a difference.

    Args:
        decision: a decision that looked at all nodes.
        percentage: percentageOfNodesToScore of its profile; 0 adapts to the number of nodes.
    """
    nodes = decision.cluster.nodes.count
    target = sampling_target(nodes, percentage)
    if decision.feasible is None or len(decision.feasible) <= target:
        return None
    text = (
        f"kube-scheduler stops at {target} feasible nodes (percentageOfNodesToScore) and may not see the best; "
        f"here all {len(decision.feasible)} are scored (--sampling off)"
    )
    return Caveat(code="all-nodes-scored", message=text, may_change_answer=False)


def unsampled_note(nodes: int, percentage: int) -> str:
    """That a percentage of nodes to score changes nothing in a cluster of this size; empty where it may."""
    if not percentage or sampling_target(nodes, 1) < nodes:
        return ""
    return f"percentageOfNodesToScore: {percentage} changes nothing here: of fewer than 100 nodes all are looked at"


def _extenders(configuration: SchedulerConfiguration, *, called: bool) -> Iterator[Caveat]:
    urls = [extender.url_prefix for extender in configuration.extenders]
    binder = next((e.url_prefix for e in configuration.extenders if e.bind_verb), None)
    if called and binder is not None:
        text = f"extender {binder} is not asked to bind, which it may refuse: nothing is bound here"
        yield Caveat(code="extender-bind-not-called", message=text, may_change_answer=False)
    if urls and not called:
        plural = "s" if len(urls) > 1 else ""
        text = f"extender{plural} {', '.join(urls)} configured but not called"
        yield Caveat(code="extenders-not-called", message=text, may_change_answer=True)


def _ignored(configuration: SchedulerConfiguration) -> Iterator[Caveat]:
    names = configuration.ignored_plugins
    if names:
        many = "s" if len(names) > 1 else ""
        text = f"plugin{many} {names_text(names, _LISTED)} of the configuration not known, and left out"
        yield Caveat(code="plugins-ignored", message=text, may_change_answer=True)


def unread_versions_caveats(skipped: Mapping[tuple[str, str], int]) -> Iterator[Caveat]:
    """That manifests hold kinds that scheduling reads, in a version that this program does not.

    Args:
        skipped: `(apiVersion, kind)` of objects of the manifests that were not read -> how many.
    """
    for _, text in unread_versions(skipped):
        yield Caveat(code="version-not-read", message=text, may_change_answer=True)


def foreign_kinds_caveat(skipped: Mapping[tuple[str, str], int]) -> Caveat | None:
    """That manifests hold kinds of other makers, whose controllers may create pods that nobody counts here.

    Kinds that are known to make no pods cannot change the answer.

    Args:
        skipped: `(apiVersion, kind)` of objects of the manifests that were not read -> how many.
    """
    foreign = [
        f"{count} {kind} ({api_version})"
        for (api_version, kind), count in sorted(skipped.items())
        if may_make_pods(api_version, kind) and not makes_no_pods(api_version, kind)
    ]
    if not foreign:
        return None
    text = (
        f"not evaluated, nor any pods that their controllers would create: {', '.join(foreign)} "
        "(--pod-templates says where templates are)"
    )
    return Caveat(code="kinds-not-evaluated", message=text, may_change_answer=True)


def custom_pods_caveat(release: Release) -> Caveat | None:
    """That pods of custom resources are taken as their templates say, which is not all that their controllers do."""
    owners = {
        (owner.api_version, owner.kind, made.namespace, owner.name)
        for made in release.held_templates
        if (owner := made.metadata.controller) is not None
    }
    if not owners:
        return None
    kinds = Counter((kind, api_version) for api_version, kind, *_ in owners)
    told = ", ".join(f"{count} {kind} ({version})" for (kind, version), count in sorted(kinds.items()))
    text = (
        f"pods of {told} are made by their templates; what controllers add, and gangs of theirs, are not seen"
    )
    return Caveat(code="custom-pods", message=text, may_change_answer=False)


def left_out_caveat(directories: Sequence[str], *, of_cluster: bool = False) -> Caveat | None:
    """That directories below those that are named are not read, as kubectl leaves them out.

    Args:
        directories: those with manifests in them.
        of_cluster: whether they belong to the cluster, for which there is no option.
    """
    if not directories:
        return None
    verb, them = ("is", "it") if len(directories) == 1 else ("are", "them")
    how = f"name {them}, or write DIR/**" if of_cluster else f"-R searches {them}, as it does for kubectl"
    text = f"{listed(directories, _LISTED)} {verb} not read: {how}"
    return Caveat(code="directories-left-out", message=text, may_change_answer=True)


def unknown_fields_caveat(fields: Sequence[UnknownField]) -> Caveat | None:
    """That manifests have fields that the API does not: another pod is judged than their author means."""
    if not fields:
        return None
    told = listed([f"{f.place.field} ({f.place.without_field})" for f in fields], _LISTED + 1)
    text = f"unknown fields, for which the API server refuses a manifest, are ignored: {told}"
    return Caveat(code="unknown-fields", message=text, may_change_answer=True)


def _orphans(cluster: ClusterState) -> Iterator[Caveat]:
    """Pods on nodes that are not in the input: they take no room, as no node is there to hold them."""
    node = cluster.pods.node
    lost = sorted({r.pod.node_name for r in cluster.pods.records if r.pod.node_name and node[r.id] < 0})
    if lost:
        nodes = names_text(lost, _LISTED)
        text = f"pods on nodes that are not in the input are left out, as kube-scheduler does ({nodes})"
        yield Caveat(code="pods-on-unknown-nodes", message=text, may_change_answer=False)
