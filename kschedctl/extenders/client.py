"""One extender: its calls, each from the values of the engine to those of the reply (spec 01 §11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.extenders.call import Call, CallError, ExtenderVerb, Transport
from kschedctl.extenders.replies import FilterReply, MetaVictims, filter_reply, preemption_reply, priorities
from kschedctl.extenders.requests import Json, nodes_request, pod_json, preemption_request
from kschedctl.framework.configuration import Extender
from kschedctl.objects.node import Node

_OK: Final = 200


class ExtenderClient(Struct, frozen=True):
    """An extender of the configuration, and what carries the calls to it."""

    extender: Extender
    transport: Transport

    def has(self, verb: ExtenderVerb) -> bool:
        """Whether the configuration gives the extender this part."""
        return bool(verb.action(self.extender))

    def is_interested(self, pod: AdmittedPod) -> bool:
        """Whether the pod asks for one of the resources that the extender manages, if it names any."""
        managed = {resource.name for resource in self.extender.managed_resources}
        if not managed:
            return True
        spec = pod.spec
        return any(
            not managed.isdisjoint(container.resources.requests)
            or not managed.isdisjoint(container.resources.limits)
            for container in (*spec.init_containers, *spec.containers)
        )

    def filter(self, pod: AdmittedPod, nodes: Sequence[Node]) -> FilterReply:
        """Which nodes are left.

        Raises:
            CallError: the extender gives no answer.
        """
        return filter_reply(self._send(ExtenderVerb.FILTER, self._nodes(pod, nodes)))

    def prioritize(self, pod: AdmittedPod, nodes: Sequence[Node]) -> list[tuple[str, int]]:
        """Host and score, in the order of the reply; 0 for all where the extender scores nothing.

        Raises:
            CallError: the extender gives no answer.
        """
        if not self.has(ExtenderVerb.PRIORITIZE):
            return [(node.name, 0) for node in nodes]
        return priorities(self._send(ExtenderVerb.PRIORITIZE, self._nodes(pod, nodes)))

    def preempt(
        self, pod: AdmittedPod, victims: Mapping[str, tuple[Iterable[AdmittedPod], int]]
    ) -> dict[str, MetaVictims]:
        """The victims that the extender would have, from those of kube-scheduler and the budgets they break.

        Raises:
            CallError: the extender gives no answer.
        """
        request = preemption_request(pod_json(pod), victims, by_uid=self.extender.node_cache_capable)
        return preemption_reply(self._send(ExtenderVerb.PREEMPT, request))

    def _nodes(self, pod: AdmittedPod, nodes: Sequence[Node]) -> Json:
        return nodes_request(pod_json(pod), nodes, by_name=self.extender.node_cache_capable)

    def _send(self, verb: ExtenderVerb, request: Json) -> bytes:
        call = Call(self.extender, verb, request)
        reply = self.transport.send(call)
        if reply.code != _OK:
            raise CallError(f"failed {call.action} with extender at URL {call.url}, code {reply.code}")
        return reply.body
