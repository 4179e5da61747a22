"""A call of an extender and its reply, and what carries one to the other."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

from kschedctl.framework.configuration import Extender


class ExtenderVerb(StrEnum):
    """What an extender is asked for. `bind` is never asked: it would act on the cluster."""

    FILTER = "filter"
    PRIORITIZE = "prioritize"
    PREEMPT = "preempt"

    def action(self, extender: Extender) -> str:
        """The last part of the URL as the configuration names it, empty where the extender has none."""
        match self:
            case ExtenderVerb.FILTER:
                return extender.filter_verb
            case ExtenderVerb.PRIORITIZE:
                return extender.prioritize_verb
            case ExtenderVerb.PREEMPT:
                return extender.preempt_verb


class Call(Struct, frozen=True):
    """One request.

    Attributes:
        extender: who is asked.
        verb: for what.
        request: the JSON-like body.
    """

    extender: Extender
    verb: ExtenderVerb
    request: Mapping[str, Any]

    @property
    def action(self) -> str:
        """The last part of the URL."""
        return self.verb.action(self.extender)

    @property
    def url(self) -> str:
        """Where the request goes."""
        return f"{self.extender.url_prefix.rstrip('/')}/{self.action}"


class Reply(Struct, frozen=True):
    """What came back: the HTTP code and the body."""

    code: int
    body: bytes


class CallError(Exception):
    """No usable reply; the text is the one that kube-scheduler has for it."""


class Transport(Protocol):
    """Carries calls: over HTTP, from a recording, or to a script."""

    def send(self, call: Call) -> Reply:
        """The reply to a call.

        Raises:
            CallError: there is none.
        """
