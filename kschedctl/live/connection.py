"""A connection to an API server that can send GET requests and no others.

The Kubernetes client makes it as it does for everybody: kubeconfig, context, certificates, tokens, exec
plugins, OIDC, or the service account of the pod we run in.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from kschedctl import __version__
from kschedctl.errors import ClusterError
from kschedctl.live.trouble import LostAnswer, tls_trouble

_CONNECT_SECONDS = 10.0
_CHUNK_BYTES = 2**18
_HEADERS = (
    ("Accept", "application/json"),
    ("Accept-Encoding", "gzip"),
    ("User-Agent", f"kschedctl/{__version__}"),
)
_NO_CLUSTER = "name a cluster with --kubeconfig FILE or --context NAME"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Reads from one API server.

    Args:
        client: an ApiClient of the Kubernetes client, configured.
        context: name of the kubeconfig context, "" in a pod.
        headers: more headers for every request, as `(name, value)`.

    Attributes:
        server: URL of the API server.
        context: name of the kubeconfig context.
    """

    def __init__(self, client: Any, context: str = "", headers: Sequence[tuple[str, str]] = ()) -> None:
        self.server: str = client.configuration.host
        self.context = context
        self._configuration = client.configuration
        self._pool = client.rest_client.pool_manager
        self._headers = (*_HEADERS, *headers)
        self._credentials = threading.Lock()

    def __str__(self) -> str:
        return f"context {self.context} ({self.server})" if self.context else self.server

    def get(self, path: str, query: Mapping[str, str], seconds: float) -> Answer:
        """Send one GET request and read the whole answer.

        Raises:
            LostAnswer: no complete answer came within the time; it may be asked for again.
            ClusterError: the server is not the one it should be.
        """
        from urllib3.exceptions import HTTPError, SSLError

        url = self.server + path + ("?" + urlencode(query) if query else "")
        try:
            return self._get(url, seconds)
        except SSLError as error:
            raise tls_trouble(self.server, error) from None
        except (HTTPError, OSError) as error:
            raise LostAnswer(f"{type(error).__name__}: {error}") from error

    def _get(self, url: str, seconds: float) -> Answer:
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
        return Answer(answer.status, answer.headers, bytes(body))

    def _authorization(self) -> list[tuple[str, str]]:
        """The header of a token, which the client renews when it is about to expire."""
        with self._credentials:
            settings = self._configuration.auth_settings().values()
        return [(s["key"], s["value"]) for s in settings if s["in"] == "header" and s["value"]]


def connect(
    kubeconfig: str | None = None,
    context: str | None = None,
    *,
    as_user: str | None = None,
    as_groups: tuple[str, ...] = (),
) -> Connection:
    """Connect to the cluster of a kubeconfig context, else of the pod we run in. Nothing is sent yet.

    Args:
        kubeconfig: file; None: what KUBECONFIG names, else `~/.kube/config`.
        context: name of the context; None: the current one.
        as_user: user to impersonate.
        as_groups: groups to impersonate.

    Raises:
        ClusterError: there is no such file or context, or it cannot be used.
    """
    from kubernetes.client import ApiClient, Configuration
    from kubernetes.config import ConfigException
    from yaml import YAMLError

    configuration = Configuration()
    try:
        name = _load_configuration(configuration, kubeconfig, context)
    except ConfigException as error:
        raise ClusterError(str(error), hint=_NO_CLUSTER) from None
    except (YAMLError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ClusterError(f"the kubeconfig cannot be used: {error}", hint=_NO_CLUSTER) from None
    if urlsplit(configuration.host).scheme not in ("http", "https"):
        raise ClusterError(f"{configuration.host} is no URL of an API server", hint=_NO_CLUSTER)
    headers = [("Impersonate-User", as_user)] if as_user else []
    headers += [("Impersonate-Group", group) for group in as_groups]
    return Connection(ApiClient(configuration), name, headers)


def _load_configuration(configuration: Any, kubeconfig: str | None, context: str | None) -> str:
    """Fill the client's configuration and return the name of the context."""
    from pathlib import Path

    import kubernetes

    config: Any = kubernetes.config
    if kubeconfig is None and not _has_default_kubeconfig():
        if context is not None:
            raise ClusterError(f"there is no kubeconfig in which {context} is looked for", hint=_NO_CLUSTER)
        try:
            config.load_incluster_config(client_configuration=configuration)
        except config.ConfigException:
            raise ClusterError(
                "there is no kubeconfig, and this is not run in a cluster", hint=_NO_CLUSTER
            ) from None
        return ""
    if kubeconfig is not None and not Path(kubeconfig).expanduser().is_file():
        raise ClusterError(f"{kubeconfig}: there is no such kubeconfig", hint=_NO_CLUSTER)
    contexts, current = config.list_kube_config_contexts(kubeconfig)
    names = sorted(entry["name"] for entry in contexts)
    if context is not None and context not in names:
        raise ClusterError(f"there is no context {context}", hint=f"the kubeconfig has {', '.join(names)}")
    config.load_kube_config(kubeconfig, context, client_configuration=configuration)
    return context or str(current["name"])


def _has_default_kubeconfig() -> bool:
    import os

    from kubernetes.config import KUBE_CONFIG_DEFAULT_LOCATION

    paths = str(KUBE_CONFIG_DEFAULT_LOCATION).split(os.pathsep)
    return any(os.path.exists(os.path.expanduser(path)) for path in paths if path)
