"""Extenders that answer what a test wants, and the configurations that name them."""

import json
from collections.abc import Mapping
from typing import Any

from kschedctl.extenders.call import Call, CallError, Reply

Data = dict[str, Any]
URL = "http://x.example/sched"
CONFIGURATION: Data = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}


def extender(url: str = URL, **fields: Any) -> Data:
    """An extender with all three verbs, called by names; other fields go by their own names."""
    verbs = {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "weight": 1}
    return {"urlPrefix": url, "nodeCacheCapable": True} | verbs | fields


def with_extenders(*extenders: Data) -> Data:
    """The default configuration with extenders."""
    return CONFIGURATION | {"extenders": list(extenders)}


def names(*left: str, **parts: Any) -> Data:
    """A reply to `filter` by names."""
    return {"NodeNames": list(left)} | parts


class Answers:
    """Answers by verb, or by URL prefix and verb: a value as JSON, bytes as they are, an exception as it is.

    Where nothing is said `filter` keeps all, scores are 0 and victims stay.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.calls: list[Call] = []

    def send(self, call: Call) -> Reply:
        """The reply."""
        self.calls.append(call)
        answer = self.answers.get(f"{call.extender.url_prefix} {call.verb}", self.answers.get(call.verb))
        if isinstance(answer, CallError):
            raise answer
        if isinstance(answer, Reply):
            return answer
        if answer is None:
            answer = _default(call)
        return Reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())


def _default(call: Call) -> Any:
    match call.verb:
        case "filter":
            return {"Nodes": call.request["Nodes"], "NodeNames": call.request["NodeNames"]}
        case "prioritize":
            return []
        case _:
            return {"NodeNameToMetaVictims": call.request["NodeNameToMetaVictims"]}
