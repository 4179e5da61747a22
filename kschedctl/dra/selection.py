"""Which devices the selectors of a request select, found out once per kind of claims (spec 05 §4.4)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct

from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.constraints import Value, attribute_value, typed
from kschedctl.dra.devices import DeviceEntry, DeviceFacts, Interner
from kschedctl.dra.problem import CelProblem
from kschedctl.dra.requests import Ask, ClaimAsk


class Verdict(Struct, frozen=True):
    """What the selectors of a request say of a device."""

    selector: int = -1
    """Position of the first selector that does not select it, -1 where all do."""
    problem: CelProblem | None = None
    """Why that selector has no answer, None where it says no."""


SELECTED = Verdict()


class Selection:
    """Verdicts on devices, and what all requests together can tell of a device.

    It serves all claims of one kind: those that are equal but for their names.
    """

    def __init__(self, claims: Sequence[ClaimAsk], selectors: DeviceSelectors) -> None:
        self._asks = [ask for claim in claims for request in claim.requests for ask in request.asks]
        constraints = [constraint for claim in claims for constraint in claim.constraints]
        names = (c.match_attribute or c.distinct_attribute for c in constraints)
        self._attributes = tuple(dict.fromkeys(name for name in names if name))
        self._selectors = selectors
        self._verdicts: dict[tuple[int, DeviceFacts], Verdict] = {}
        self._aspects: dict[int, int] = {}
        self._numbers = Interner()

    def verdict(self, ask: Ask, device: DeviceFacts) -> Verdict:
        """Whether the selectors of a class and of a request select a device; they stop at the first no.

        Raises:
            UnsupportedError: a selector needs something that is not there.
        """
        key = (ask.number, device)
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = self._judge(ask, device)
        return known

    def _judge(self, ask: Ask, device: DeviceFacts) -> Verdict:
        for i, selector in enumerate(ask.selectors):
            answer = self._selectors.matches(selector.expression, device)
            if answer is not True:
                return Verdict(i, answer or None)
        return SELECTED

    def attribute(self, ask: Ask, device: DeviceFacts, name: str) -> Value | CelProblem | None:
        """What a constraint compares of a device for a request: its attribute, or what the request derives.

        Raises:
            UnsupportedError: the derivation needs something that is not there.
        """
        expression = ask.derived.get(name)
        if expression is None:
            return attribute_value(device, name)
        found = self._selectors.derived(expression, device)
        return found if isinstance(found, CelProblem) else typed(found)

    def aspect(self, device: DeviceEntry) -> int:
        """Equal for devices that these claims cannot tell apart, whatever else their attributes say.

        Raises:
            UnsupportedError: a selector needs something that is not there.
        """
        known = self._aspects.get(device.content)
        if known is None:
            known = self._aspects[device.content] = self._numbers.number(self._look(device))
        return known

    def _look(self, device: DeviceEntry) -> Hashable:
        facts = device.facts
        verdicts = tuple(self.verdict(ask, facts) for ask in self._asks)
        values = tuple(self.attribute(ask, facts, name) for ask in self._asks for name in self._attributes)
        return (device.rest, verdicts, values)
