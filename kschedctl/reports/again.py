"""How to ask something else of the same cluster: commands that a report proposes can be pasted."""

from __future__ import annotations

import re
from shlex import quote
from typing import Final

from kschedctl.reports.model import ClusterSummary

_LIVE: Final = re.compile(r"(?:context (?P<context>\S+) \()?https?://")


def ask_again(command: str, cluster: ClusterSummary) -> str:
    """A command with the options that name the cluster: `kschedctl simulate -c prod.json.gz`.

    What came from stdin, and the live cluster that is read by default, need none.
    """
    options = (_option(source) for source in cluster.source)
    return " ".join(["kschedctl", command, *filter(None, options)])


def _option(source: str) -> str:
    live = _LIVE.match(source)
    if live is not None:
        return f"--context {quote(live['context'])}" if live["context"] else ""
    return "" if source == "-" else f"-c {quote(source)}"
