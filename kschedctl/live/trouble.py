"""What can go wrong between us and an API server, in words that say what to do."""

from __future__ import annotations

import msgspec

from kschedctl.errors import ClusterError
from kschedctl.live.decoders import STATUS, Status
from kschedctl.objects.kinds import Kind

RBAC_HINT = "`kschedctl snapshot rbac` prints the ClusterRole that it takes"


class LostAnswer(Exception):
    """No complete answer came; the question may be asked again."""


def status_of(body: bytes) -> Status:
    """Read the Status in a body; a proxy in between may send anything else, which gives an empty one."""
    try:
        return STATUS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Status()


def tls_trouble(server: str, error: Exception) -> ClusterError:
    """The certificates do not fit: asking again would not help."""
    return ClusterError(
        f"{server}: the TLS connection was refused: {error}",
        hint="check certificate-authority and tls-server-name of the cluster, and the client certificate",
    )


def unauthorized(who: str) -> ClusterError:
    """The credentials are not accepted."""
    return ClusterError(
        f"{who} does not accept the credentials (401)",
        hint="log in again; `kubectl get nodes` must work first",
    )


def forbidden(who: str, kind: Kind, message: str) -> ClusterError:
    """A kind without which there is no answer cannot be listed."""
    group = kind.group or '""'
    return ClusterError(
        f"{who} does not allow to list {kind.plural} (403): {message}",
        hint=f"it takes a ClusterRole with apiGroups [{group}], resources [{kind.plural}], verbs [list]; {RBAC_HINT}",
    )


def unexpected(who: str, path: str, status: int, body: bytes) -> ClusterError:
    """Any other answer that is not the list that was asked for."""
    message = status_of(body).message or _first_line(body)
    return ClusterError(f"{who} answered GET {path} with {status}: {message}")


def _first_line(body: bytes) -> str:
    lines = body[:200].decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "nothing"
