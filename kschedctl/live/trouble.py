"""What can go wrong between us and an API server, in words that say what to do."""

from __future__ import annotations

from kschedctl.errors import ClusterError
from kschedctl.live.decoders import STATUS, UNREADABLE, ApiStatus
from kschedctl.objects.kinds import Kind

RBAC_HINT = "`kschedctl snapshot rbac` prints the ClusterRole that it takes"


class LostAnswer(Exception):
    """No complete answer came; the question may be asked again."""


class NoConnection(LostAnswer):
    """There is nobody at the address of the server, so it is no matter of the question."""


class Unavailable(ClusterError):
    """The server answers, but fails on this question again and again: what it asks for stands behind is down."""


def status_of(body: bytes) -> ApiStatus:
    """Read the Status in a body; a proxy in between may send anything else, which gives an empty one."""
    try:
        return STATUS.decode(body)
    except UNREADABLE:
        return ApiStatus()


def tls_trouble(server: str, error: Exception) -> ClusterError:
    """The certificates do not fit: asking again would not help."""
    return ClusterError(
        f"{server}: the TLS connection was refused: {error}",
        hint="check certificate-authority and tls-server-name of the cluster, and the client certificate",
    )


def unreachable(who: str, reason: str) -> ClusterError:
    """Nobody has answered yet: kubectl gives up at once, too."""
    return ClusterError(
        f"{who} cannot be reached: {reason}",
        hint="check that the API server is up and its address right; `kubectl version` must work first",
    )


def impersonation(who: str, as_user: str, message: str) -> ClusterError:
    """The credentials are good, but not to act as somebody else."""
    return ClusterError(
        f"{who} does not allow to act as {as_user} (403): {message}",
        hint="--as and --as-group take a role with the verb impersonate on these users and groups",
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
        hint=f"it takes a ClusterRole with apiGroups [{group}], resources [{kind.plural}], verbs [list]; {RBAC_HINT}. "
        "With rights in one namespace alone: -n NAMESPACE, and --cluster FILE with the nodes beside --kubeconfig",
    )


def unexpected(who: str, path: str, status: int, body: bytes) -> ClusterError:
    """Any other answer that is not the list that was asked for."""
    return ClusterError(f"{who} answered GET {path} with {status}: {said_in(body) or 'nothing'}")


def said_in(body: bytes) -> str:
    """What an answer that is not the one that was asked for says: its Status, else its first line."""
    lines = body[:200].decode(errors="replace").strip().splitlines()
    return status_of(body).message or (lines[0] if lines else "")
