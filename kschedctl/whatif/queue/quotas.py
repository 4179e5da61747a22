"""Pods that the API server does not let controllers create, since a ResourceQuota of their namespace has no room."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.quota import counts, demanded, shortage, unseen_use, use_of, use_of_all
from kschedctl.objects.core import ResourceQuota
from kschedctl.objects.quantity import ZERO, Quantity
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.workloads import WorkloadKey

_Identity: TypeAlias = tuple[str, str]


class _Account(Struct):
    """What is used of a quota."""

    quota: ResourceQuota
    used: dict[str, Quantity]

    def use(self, pod: AdmittedPod) -> dict[str, Quantity]:
        if not counts(self.quota, pod):
            return dict.fromkeys(self.used, ZERO)
        return {name: use_of(name, pod.spec) for name in self.used}

    def add(self, pod: AdmittedPod, *, sign: int = 1) -> None:
        for name, amount in self.use(pod).items():
            self.used[name] = self.used[name] + amount if sign > 0 else self.used[name] - amount

    def refusal(self, pod: AdmittedPod) -> str:
        """What a pod would have to wait for; empty where there is room."""
        name = self.quota.full_name
        if counts(self.quota, pod) and (lacking := next(demanded(self.quota, pod.spec), None)) is not None:
            return f"{lacking[0]} of its container {lacking[1]}, which ResourceQuota {name} demands"
        short = shortage(self.quota, self.used, self.use(pod))
        if short is None:
            return ""
        allowed, used, wanted = short.texts
        return f"room in ResourceQuota {name} ({short.name}: {used} of {allowed} used, {wanted} wanted)"


class QuotaLedger:
    """Counts the pods of namespaces with quotas, and holds back those that would be too many.

    A controller that is refused a pod tries again: as soon as another pod is gone there may be room. Pods that take
    the place of others are not held: they need no more than what these had.

    Args:
        session: the cluster of the run, before any pod is created in it.
        loaded: the cluster as loaded, whose pods the stated use of quotas counts.
    """

    def __init__(self, session: Session, loaded: Session) -> None:
        self._accounts: Final[dict[str, list[_Account]]] = {}
        self._charged: set[_Identity] = set()
        self._held: list[Task] = []
        self._delays: dict[WorkloadKey, str] = {}
        quotas = session.cluster.objects.all(ResourceQuota).values()
        if not quotas:
            return
        before, now = _by_namespace(loaded), _by_namespace(session)
        for quota in quotas:
            unseen = unseen_use(quota, before.get(quota.namespace, ()))
            there = use_of_all(quota, now.get(quota.namespace, ()))
            used = {name: unseen[name] + there[name] for name in there}
            self._accounts.setdefault(quota.namespace, []).append(_Account(quota, used))
        self._charged.update(_identity(p) for name in self._accounts for p in now.get(name, ()))

    def admits(self, task: Task) -> bool:
        """Whether the API server lets a pod be created; else it is held, and says what it waits for."""
        record = task.record
        accounts = None if record is None else self._accounts.get(record.namespace)
        if record is None or not accounts or _identity(record.pod) in self._charged:
            return True
        task.waits_for = next(filter(None, (account.refusal(record.pod) for account in accounts)), "")
        if task.waits_for:
            self._delays.setdefault(task.workload, task.waits_for)
            self._held.append(task)
            return False
        self.take(record.pod)
        return True

    def take(self, pod: AdmittedPod) -> None:
        """Count a pod that is there."""
        if pod.namespace in self._accounts and _identity(pod) not in self._charged:
            self._charged.add(_identity(pod))
            for account in self._accounts[pod.namespace]:
                account.add(pod)

    def gone(self, pod: AdmittedPod) -> list[Task]:
        """Count a pod no more; returns the pods that can be created now, in order."""
        if _identity(pod) not in self._charged:
            return []
        self._charged.discard(_identity(pod))
        for account in self._accounts[pod.namespace]:
            account.add(pod, sign=-1)
        waiting, self._held = self._held, []
        return [task for task in waiting if self.admits(task)]

    def forget(self, task: Task) -> None:
        """A pod is wanted no more."""
        if task in self._held:
            self._held.remove(task)

    @property
    def notes(self) -> list[str]:
        """Who had to wait, and is there at last."""
        waiting = {task.workload for task in self._held}
        return [
            f"{workload}: a pod was refused until another one was gone: it waited for {why}"
            for workload, why in self._delays.items()
            if workload not in waiting
        ]


def _by_namespace(session: Session) -> dict[str, list[AdmittedPod]]:
    """The pods of a cluster as loaded."""
    found: dict[str, list[AdmittedPod]] = {}
    new = {record.id for record in session.entered}
    for record in session.cluster.pods.records:
        if record.id not in new:
            found.setdefault(record.namespace, []).append(record.pod)
    return found


def _identity(pod: AdmittedPod) -> _Identity:
    return pod.full_name, pod.uid
