"""How changes are written, and in what ways they happen: what a command line has to know before one is made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct


class FailMode(StrEnum):
    """What becomes of nodes that fail."""

    GONE = "gone"
    """They and their pods are no longer there."""
    UNREACHABLE = "unreachable"
    """They stay, tainted; pods that do not tolerate that for ever are evicted but cannot be deleted."""


class RolloutMode(StrEnum):
    """What happens to the running pods of a workload that a manifest replaces."""

    RECREATE = "recreate"
    """They are gone before the new ones come: the room they hold is free."""
    ROLLING = "rolling"
    """New ones come and old ones go step by step, as the controller would do it."""
    ADD = "add"
    """They stay beside the new ones."""


class ChangeForm(Struct, frozen=True):
    """How a kind of change is written.

    Attributes:
        form: how it is written.
        example: one of them.
        help: what it does.
    """

    form: str
    example: str
    help: str

    @property
    def quoted_example(self) -> str:
        """The example as a shell takes it."""
        return shlex.quote(self.example)


CHANGES: Final[Mapping[str, ChangeForm]] = MappingProxyType(
    {
        "drain": ChangeForm("NODE|SELECTOR", "zone=eu-1b", "Cordon nodes and evict their pods, all at once."),
        "remove-node": ChangeForm("NODE|SELECTOR", "n4", "Take nodes away with all that runs on them."),
        "cordon": ChangeForm("NODE|SELECTOR", "n4", "Nodes take no new pods."),
        "uncordon": ChangeForm("NODE|SELECTOR", "n4", "Nodes take new pods again."),
        "fail-domain": ChangeForm(
            "KEY=VALUE",
            "topology.kubernetes.io/zone=eu-1b",
            "All nodes with this label fail (see --fail-mode).",
        ),
        "add-node": ChangeForm(
            "FILE[=N]|like=NODE[=N]",
            "like=n4=3",
            "Add nodes: those of a file, or copies of a node, N of each.",
        ),
        "scale": ChangeForm("KIND/NAME=N", "deployment/web=5", "Give a workload another number of replicas."),
        "priority": ChangeForm(
            "KIND/NAME=CLASS|NUMBER",
            "deployment/web=urgent",
            "Give a pod or the pods of a workload another priority, where they are.",
        ),
        "delete": ChangeForm("KIND/NAME", "deployment/web", "Delete an object, a workload with its pods."),
        "taint": ChangeForm(
            "'NODE|SELECTOR KEY[=VALUE]:EFFECT[-]'",
            "n4 dedicated=gpu:NoSchedule",
            "Taint nodes; - at the end removes.",
        ),
        "label": ChangeForm(
            "'NODE|SELECTOR KEY=VALUE|KEY-'", "n4 disk=ssd", "Label nodes; - at the end removes."
        ),
        "patch": ChangeForm(
            "FILE", "patch.yaml", "Apply JSON merge patches to objects, by kind and metadata.name."
        ),
    }
)
"""Kind of change -> how it is written; the names are those of the options."""
