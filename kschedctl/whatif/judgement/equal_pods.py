"""Pending pods that nobody can tell apart: asked about alone, all of them get the same answer."""

from __future__ import annotations

from collections.abc import Iterable

from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod_requests import is_extended_resource
from kschedctl.objects.resource import DeviceClass
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session


def equal_pods(session: Session, pods: Iterable[PodRecord]) -> list[list[PodRecord]]:
    """The pods in groups of equal ones, in the order in which the first of each appears.

    Pods of one class differ in name and uid alone, and their owner is the same. A pod whose decision or its texts
    hang on its name is a group of its own.
    """
    groups: dict[object, list[PodRecord]] = {}
    devices = bool(session.cluster.objects.all(DeviceClass))
    by_chance = _draws_by_name(session.scheduler.options)
    for pod in pods:
        apart = by_chance or _is_known_by_name(pod, devices=devices)
        key = pod.id if apart else (pod.pod_class.index, pod.pod.is_terminating)
        groups.setdefault(key, []).append(pod)
    return list(groups.values())


def _draws_by_name(options: SchedulingOptions) -> bool:
    """Whether a node of a tie, or where preemption begins its search, is drawn for each pod by its name."""
    return options.tie_break is TieBreak.RANDOM or options.sampling is Sampling.UPSTREAM


def _is_known_by_name(pod: PodRecord, *, devices: bool) -> bool:
    """Whether other objects mean this very pod: nominations, and claims that were made for it."""
    spec = pod.pod.spec
    return (
        bool(pod.pod.nominated_node_name)
        or bool(spec.resource_claims)
        or any(volume.ephemeral is not None for volume in spec.volumes)
        or (devices and _asks_for_extended(pod.pod_class.requests))
    )


def _asks_for_extended(requests: Iterable[str]) -> bool:
    return any(is_extended_resource(name) for name in requests)
