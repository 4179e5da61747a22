"""What is handed to a transaction, as the typed objects it works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kschedctl.errors import InputError, UsageError
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.sources.quantities import QuantityCheck, quantity_message


def pod_of(pod: Pod | Mapping[str, Any]) -> Pod:
    """The typed pod of a manifest.

    Raises:
        InputError: it is none, or a quantity in it is bad.
    """
    if isinstance(pod, Pod):
        return pod
    try:
        typed = msgspec.convert(dict(pod), Pod)
    except msgspec.ValidationError as error:
        raise InputError(f"the manifest is no pod: {error}") from error
    for path, raw in QuantityCheck().bad(typed):
        raise InputError(quantity_message(path, raw))
    return typed


def check_quantities(node: Node) -> None:
    """See that every quantity of a node can be read.

    Raises:
        UsageError: one cannot.
    """
    for path, raw in QuantityCheck().bad(node):
        raise UsageError(quantity_message(path, raw))
