"""A scripted HTTP server for extenders: the rules of a scenario answer, and the calls are kept (spec 08 §6)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from kschedctl.extenders.call import Call, CallError, ExtenderVerb, Reply
from kschedctl.framework.configuration import Extender
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod

Json = Mapping[str, Any]

_BIND: Final = "bind"
_EXTRA_SCORE: Final = 10
_MILLISECOND: Final = 10**6


class ExtenderScript:
    """Answers the calls to all extenders of a scenario by its `extenderReplies`.

    Args:
        rules: the first one whose url, verb and pods fit answers.
        objects: the cluster, for the labels of nodes.
        pods: the candidates, for their labels.

    Attributes:
        calls: those that were to be kept, as the golden files have them.
    """

    def __init__(self, rules: Sequence[Json], objects: Sequence[TopLevel], pods: Sequence[Pod]) -> None:
        self._rules = rules
        self._nodes = {node.name: node.metadata.labels for node in objects if isinstance(node, Node)}
        self._pods = {pod.name: pod.metadata.labels for pod in pods}
        self._kept: frozenset[str] = frozenset()
        self.calls: list[dict[str, Any]] = []

    @contextmanager
    def keeping(self, *verbs: ExtenderVerb) -> Iterator[None]:
        """Keep the calls of some verbs meanwhile, and no others."""
        before, self._kept = self._kept, frozenset(verbs)
        try:
            yield
        finally:
            self._kept = before

    def told(self, order: Sequence[str]) -> list[dict[str, Any]]:
        """The calls; those to prioritize go out at once, and are told in the order of the configuration file."""
        found: list[dict[str, Any]] = []
        for verb, calls in groupby(self.calls, itemgetter("verb")):
            told = list(calls)
            if verb == ExtenderVerb.PRIORITIZE:
                told.sort(key=lambda call: order.index(call["url"]))
            found += told
        return found

    def send(self, call: Call) -> Reply:
        """The reply of the rules to a call."""
        pod = call.request["Pod"]["metadata"]
        told: dict[str, Any] = {
            "url": call.extender.url_prefix,
            "verb": str(call.verb),
            "pod": f"{pod['namespace']}/{pod['name']}",
        }
        told |= _victims(call.request) if call.verb is ExtenderVerb.PREEMPT else _nodes(call.request)
        if call.verb in self._kept:
            self.calls.append(told)
        rule = self._rule(call.extender, call.verb, pod["name"], pod.get("labels") or {})
        if (reply := _plain(rule, call.extender, call.url)) is not None:
            return reply
        match call.verb:
            case ExtenderVerb.FILTER:
                answer: Any = self._filter(rule, told, call.request)
            case ExtenderVerb.PRIORITIZE:
                answer = self._prioritize(rule, told["nodes"])
            case ExtenderVerb.PREEMPT:
                answer = self._preempt(rule, told["victims"])
        return Reply(200, json.dumps(answer).encode())

    def bind(self, extender: Extender, pod: str, node: str) -> str | None:
        """The error with which an extender refuses to bind a pod, `namespace/name`; None: it is bound."""
        self.calls.append({"url": extender.url_prefix, "verb": _BIND, "pod": pod, "node": node})
        name = pod.split("/")[1]
        rule = self._rule(extender, _BIND, name, self._pods.get(name, {}))
        url = f"{extender.url_prefix.rstrip('/')}/{extender.bind_verb}"
        try:
            reply = _plain(rule, extender, url)
        except CallError as error:
            return str(error)
        if reply is None:
            return rule.get("error")
        if reply.code != 200:
            return f"failed {extender.bind_verb} with extender at URL {url}, code {reply.code}"
        body = reply.body.decode()
        return None if body.startswith("{") else f"no ExtenderBindingResult: {body}"

    def _rule(self, extender: Extender, verb: str, pod: str, labels: Mapping[str, str]) -> Json:
        for rule in self._rules:
            fits = (rule["url"], rule["verb"]) == (extender.url_prefix, verb)
            if fits and _matches(rule.get("pods"), pod, labels):
                return rule
        return {}

    def _node(self, rule: Json, name: str) -> Json:
        """The first part of a rule that is about a node."""
        labels = self._nodes.get(name, {})
        parts = rule.get("nodes") or ()
        return next((part for part in parts if _matches(part.get("match"), name, labels)), {})

    def _filter(self, rule: Json, told: Json, request: Json) -> Json:
        kept, failed, unresolvable = [], {}, {}
        for name in told["nodes"]:
            part = self._node(rule, name)
            if part.get("fail"):
                failed[name] = part["fail"]
            if part.get("unresolvable"):
                unresolvable[name] = part["unresolvable"]
            if part.get("keep") or not (part.get("fail") or part.get("unresolvable") or part.get("drop")):
                kept.append(name)
        kept += rule.get("extra") or ()
        if rule.get("order") == "reverse":
            kept.reverse()
        form = rule.get("form") or told["form"]
        sent = {item["metadata"]["name"]: item for item in (request["Nodes"] or {}).get("items", ())}
        items = [sent.get(name, {"metadata": {"name": name}}) for name in kept]
        return {
            "Nodes": {"metadata": {}, "items": items} if form == "nodes" else None,
            "NodeNames": kept if form == "names" else None,
            "FailedNodes": failed,
            "FailedAndUnresolvableNodes": unresolvable,
            "Error": rule.get("error") or "",
        }

    def _prioritize(self, rule: Json, nodes: Sequence[str]) -> list[Json]:
        parts = [
            (name, self._node(rule, name)) for name in nodes
        ]  # a node may be named twice, and counts twice
        found = [
            {"Host": name, "Score": part.get("score") or 0} for name, part in parts if not part.get("drop")
        ]
        return found + [{"Host": name, "Score": _EXTRA_SCORE} for name in rule.get("extra") or ()]

    def _preempt(self, rule: Json, victims: Mapping[str, Json]) -> Json:
        found = {}
        for name in sorted(victims):
            part = self._node(rule, name)
            if part.get("drop"):
                continue
            pods: list[str] = victims[name]["pods"]
            some = {"none": [], "first": pods[:1], "last": pods[-1:]}
            pods = some.get(part.get("victims") or "all", pods)
            violations = victims[name]["pdbViolations"] if part.get("pdb") is None else part["pdb"]
            uids = [{"UID": pod} for pod in [*pods, *rule.get("extra", ())]]
            found[name] = {"Pods": uids, "NumPDBViolations": violations}
        return {"NodeNameToMetaVictims": found}


def _plain(rule: Json, extender: Extender, url: str) -> Reply | None:
    """The reply of a rule that does not look at the request.

    Raises:
        CallError: the reply comes too late.
    """
    if (rule.get("delayMs") or 0) * _MILLISECOND > extender.http_timeout:
        why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        raise CallError(f'Post "{url}": {why}')
    if rule.get("status"):
        return Reply(rule["status"], b"")
    body = rule.get("body")
    return None if body is None else Reply(200, body.encode())


def _matches(match: Json | None, name: str, labels: Mapping[str, str]) -> bool:
    if match is None:
        return True
    if match.get("names") and name not in match["names"]:
        return False
    if not name.startswith(match.get("prefix") or ""):
        return False
    if not (match.get("labels") or {}).items() <= labels.items():
        return False
    return match.get("not") is None or not _matches(match["not"], name, labels)


def _nodes(request: Json) -> dict[str, Any]:
    if request["NodeNames"] is not None:
        return {"form": "names", "nodes": list(request["NodeNames"])}
    return {"form": "nodes", "nodes": [item["metadata"]["name"] for item in request["Nodes"]["items"]]}


def _victims(request: Json) -> dict[str, Any]:
    by_uid = request["NodeNameToMetaVictims"]
    victims = {
        node: {
            "pods": [pod["UID"] if by_uid is not None else _full_name(pod) for pod in part["Pods"]],
            "pdbViolations": part["NumPDBViolations"],
        }
        for node, part in (request["NodeNameToVictims"] if by_uid is None else by_uid).items()
    }
    return {"form": "pods" if by_uid is None else "meta", "victims": victims}


def _full_name(pod: Json) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
