"""Output formats, and what a writer has to know of the place where its text will be read."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from kschedctl.framework.registry import Registry


class Format(StrEnum):
    """The formats of all verbs; each verb has some of them."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    NAME = "name"
    MARKDOWN = "markdown"
    HTML = "html"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


class Look(Struct, frozen=True):
    """How text is to look.

    Attributes:
        width: columns of the screen.
        color: whether ANSI colours are understood.
        unicode: whether marks beyond ASCII can be shown.
        quiet: the verdict alone.
        now: the time, for ages; None: times are told as they are.
        registry: the plugins that the report may name, which say how they are titled; None: those of kube-scheduler.
    """

    width: int = 80
    color: bool = False
    unicode: bool = True
    quiet: bool = False
    now: datetime | None = None
    registry: Registry | None = None
