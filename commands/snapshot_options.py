"""The options of `kschedctl snapshot`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from .options import TIMEOUT, AsGroups, AsUser, Kubeconfig, KubeContext, Timeout


class LiveOptions(Struct, frozen=True):
    """Which cluster is read, and how."""

    kubeconfig: Kubeconfig = None
    kube_context: KubeContext = None
    as_user: AsUser = None
    as_groups: AsGroups = None
    chunk_size: Annotated[
        int, typer.Option("--chunk-size", min=0, metavar="N", help="Objects asked for at once; 0: all.")
    ] = 500
    timeout: Timeout = TIMEOUT


class Redact(StrEnum):
    """What can be replaced."""

    NAMES = "names"


class RedactOptions(Struct, frozen=True):
    """Whether names are replaced."""

    redact: Annotated[
        Redact | None,
        typer.Option("--redact", help="Replace names consistently; decisions stay the same."),
    ] = None
    names_to: Annotated[
        Path | None,
        typer.Option(
            "--names-to", metavar="FILE", help="With --redact: write which name stands for which, to keep."
        ),
    ] = None


class ConversionTarget(StrEnum):
    """What `snapshot convert` makes."""

    SNAPSHOT = "snapshot"
    LIST = "list"
    DIRECTORY = "directory"
