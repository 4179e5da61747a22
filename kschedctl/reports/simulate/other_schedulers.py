"""Pods of other schedulers: they are placed, but not by what is asked here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

_NO_PROFILE: Final = "no profile handles schedulerName "


class Left(Protocol):
    """Pods that find no node for the same reason."""

    @property
    def pods(self) -> list[str]:
        """Their names."""

    @property
    def message(self) -> str:
        """Why."""


def other_scheduler(message: str) -> str:
    """The scheduler to which a message leaves pods; empty where it says something else."""
    return message.removeprefix(_NO_PROFILE) if message.startswith(_NO_PROFILE) else ""


def told(message: str) -> str:
    """A message as people read it."""
    other = other_scheduler(message)
    return f"another scheduler places them ({other}); where is not known here" if other else message


def left_to_others(groups: Sequence[Left]) -> list[str]:
    """The pods that other schedulers place."""
    return [pod for group in groups if other_scheduler(group.message) for pod in group.pods]
