"""The live cluster of the options: connected, with everything that libraries have to say kept off stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .messages import say

if TYPE_CHECKING:
    from kschedctl.live import Connection


class LiveChoice(Protocol):
    """The options that say which live cluster is meant."""

    @property
    def kubeconfig(self) -> Path | None:
        """The kubeconfig."""

    @property
    def kube_context(self) -> str | None:
        """The context in it."""

    @property
    def as_user(self) -> str | None:
        """Whom to impersonate."""

    @property
    def as_groups(self) -> Sequence[str] | None:
        """Groups to impersonate."""

    @property
    def timeout(self) -> float:
        """Seconds for reading everything."""


def connected(options: LiveChoice, *, quiet: bool = False) -> Connection:
    """Connect, and say to whom.

    Args:
        options: which cluster.
        quiet: say nothing.

    Raises:
        ClusterError: there is no such cluster, or there are no credentials for it.
    """
    from kschedctl.live import connect

    logging.getLogger().addHandler(logging.NullHandler())  # else Python prints what no handler takes
    connection = connect(
        None if options.kubeconfig is None else str(options.kubeconfig),
        options.kube_context,
        as_user=options.as_user,
        as_groups=tuple(options.as_groups or ()),
        timeout=options.timeout,
        interactive=sys.stdin.isatty() and sys.stderr.isatty(),
    )
    if not quiet:
        say(f"reading {connection}")
    return connection
