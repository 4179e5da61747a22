"""The controllers of a run: what they make anew of pods that end (spec 02 E.1, spec 08 §1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.run.entries import as_written
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import successor
from kschedctl.workloads import with_generated_claims
from kschedctl.workloads.controllers import is_daemon, is_static
from kschedctl.workloads.daemon_set import pinned
from kschedctl.workloads.succession import is_replaced_once_gone, named_node


class Replacing:
    """Controllers that make every pod of theirs anew: at once, or once the old one is gone.

    A pod that comes while the old one still ends has a name of its own: that of the first one and a number.

    Args:
        session: the cluster, in which they are.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._first: dict[tuple[str, str], str] = {}
        self._made: Counter[tuple[str, str]] = Counter()

    def replacements(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod | TopLevel]:
        """The pod to be created now that the deletion of one has begun, or that it is gone, and its claims."""
        old, find = as_written(pod), self._session.cluster.objects.find
        if old.metadata.controller is None or is_static(old):
            return
        daemon = is_daemon(old)
        late = daemon or is_replaced_once_gone(old, find)
        if late != gone:
            return
        fresh = successor(old, old.name if late else self._next_name(old), node=named_node(old, find))
        if daemon:
            fresh = replace(fresh, spec=pinned(fresh.spec, old.spec.node_name))
        fresh, claims = with_generated_claims(fresh, find)
        yield from claims
        yield self._session.admission.admit_existing(fresh)

    def _next_name(self, pod: Pod) -> str:
        first = self._first.get((pod.namespace, pod.name), pod.name)
        self._made[pod.namespace, first] += 1
        name = f"{first}-{self._made[pod.namespace, first]}"
        self._first[pod.namespace, name] = first
        return name
