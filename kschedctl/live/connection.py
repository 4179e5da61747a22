"""A connection to an API server that can send GET requests and no others.

The Kubernetes client makes it as it does for everybody: kubeconfig, context, certificates, tokens, exec
plugins, OIDC, or the service account of the pod we run in.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from kschedctl import __version__
from kschedctl.errors import ClusterError
from kschedctl.live.kubeconfig import NO_CLUSTER, load_configuration
from kschedctl.live.trouble import LostAnswer, NoConnection, tls_trouble

_CONNECT_SECONDS = 10.0
_CHUNK_BYTES = 2**18
_HEADERS = (
    ("Accept", "application/json"),
    ("Accept-Encoding", "gzip"),
    ("User-Agent", f"kschedctl/{__version__}"),
)


class Response(Struct, frozen=True):
    """What the API server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Reads from one API server.

    Args:
        client: an ApiClient of the Kubernetes client, configured.
        context: name of the kubeconfig context, "" in a pod.
        as_user: user to impersonate.
        as_groups: groups to impersonate.

    Attributes:
        server: URL of the API server.
        context: name of the kubeconfig context.
        acts_as: whom it impersonates, "" where nobody.
    """

    def __init__(
        self, client: Any, context: str = "", *, as_user: str | None = None, as_groups: Sequence[str] = ()
    ) -> None:
        self.server: str = client.configuration.host
        self.context = context
        self.acts_as = ", ".join(filter(None, (as_user, *as_groups)))
        self._configuration = client.configuration
        self._pool = client.rest_client.pool_manager
        user = [("Impersonate-User", as_user)] if as_user else []
        self._headers = (*_HEADERS, *user, *(("Impersonate-Group", group) for group in as_groups))
        self._credentials = threading.Lock()

    def __str__(self) -> str:
        return f"context {self.context} ({self.server})" if self.context else self.server

    def get(self, path: str, query: Mapping[str, str], seconds: float) -> Response:
        """Send one GET request and read the whole answer.

        Raises:
            NoConnection: nobody answers at the address of the server.
            LostAnswer: no complete answer came within the time; it may be asked for again.
            ClusterError: the server is not the one it should be.
        """
        from urllib3.exceptions import HTTPError, NewConnectionError, ProxyError, SSLError

        url = self.server + path + ("?" + urlencode(query) if query else "")
        try:
            return self._get(url, seconds)
        except SSLError as error:
            raise tls_trouble(self.server, error) from None
        except NewConnectionError as error:
            raise NoConnection(_reason(error)) from error
        except ProxyError as error:
            if isinstance(error.original_error, NewConnectionError):
                reason = (
                    f"its proxy (proxy-url, HTTPS_PROXY) does not answer: {_reason(error.original_error)}"
                )
                raise NoConnection(reason) from error
            raise LostAnswer(f"{type(error).__name__}: {error}") from error
        except (HTTPError, OSError) as error:
            raise LostAnswer(f"{type(error).__name__}: {error}") from error

    def _get(self, url: str, seconds: float) -> Response:
        from urllib3 import HTTPHeaderDict, Timeout

        end = time.monotonic() + seconds
        answer = self._pool.request(
            "GET",
            url,
            headers=HTTPHeaderDict([*self._headers, *self._authorization()]),
            timeout=Timeout(connect=min(_CONNECT_SECONDS, seconds), read=seconds),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        body = bytearray()
        try:
            while chunk := answer.read(_CHUNK_BYTES, decode_content=True):
                body += chunk
                if time.monotonic() > end:
                    raise LostAnswer(f"only {len(body)} bytes came in {seconds:g} s")
        except BaseException:
            answer.close()  # there is more to come on it, so nobody else can use the connection
            raise
        answer.release_conn()
        return Response(answer.status, answer.headers, bytes(body))

    def _authorization(self) -> list[tuple[str, str]]:
        """The header of a token, which the client renews when it is about to expire."""
        with self._credentials:
            settings = self._configuration.auth_settings().values()
        return [(s["key"], s["value"]) for s in settings if s["in"] == "header" and s["value"]]


def _reason(error: Exception) -> str:
    """Why no connection could be made, in the words of the system."""
    cause = error.__cause__
    return str(cause.strerror).lower() if isinstance(cause, OSError) and cause.strerror else str(error)


def connect(
    kubeconfig: str | None = None,
    context: str | None = None,
    *,
    as_user: str | None = None,
    as_groups: tuple[str, ...] = (),
    timeout: float = 120.0,
    interactive: bool = False,
) -> Connection:
    """Connect to the cluster of a kubeconfig context, else of the pod we run in. Nothing is sent yet.

    Args:
        kubeconfig: file; None: what KUBECONFIG names, else `~/.kube/config`.
        context: name of the context; None: the current one.
        as_user: user to impersonate.
        as_groups: groups to impersonate.
        timeout: seconds for a credential plugin.
        interactive: whether the plugin may ask somebody to log in, on stderr and stdin.

    Raises:
        ClusterError: there is no such file or context, it cannot be used, or its plugin gives no credentials.
    """
    from kubernetes.client import ApiClient, Configuration
    from urllib3 import disable_warnings
    from urllib3.exceptions import InsecureRequestWarning

    disable_warnings(InsecureRequestWarning)  # it is as the kubeconfig says, and kubectl is silent as well
    configuration = Configuration()
    name = load_configuration(configuration, kubeconfig, context, timeout, interactive=interactive)
    if urlsplit(configuration.host).scheme not in ("http", "https"):
        raise ClusterError(f"{configuration.host} is no URL of an API server", hint=NO_CLUSTER)
    return Connection(ApiClient(configuration), name, as_user=as_user, as_groups=as_groups)
