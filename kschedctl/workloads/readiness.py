"""Whether a pod counts as available to the controllers."""

from __future__ import annotations

from kschedctl.objects.pod import Pod


def is_ready(pod: Pod) -> bool:
    """Whether a pod runs, does not end, and is not said to be unready; input written by hand rarely tells."""
    if pod.is_terminating or pod.status.phase not in ("", "Running"):
        return False
    return all(c.status == "True" for c in pod.status.conditions if c.type == "Ready")
