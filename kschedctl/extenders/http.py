"""Calls over HTTP(S), with the words that kube-scheduler has for what goes wrong (spec 01 §11)."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from kschedctl.extenders.call import Call, CallError, Reply
from kschedctl.framework.configuration import Extender
from kschedctl.framework.configuration.types import TlsConfig

_NANOSECONDS: Final = 10**9
_CHUNK: Final = 2**16
_HEADERS: Final = {"Content-Type": "application/json", "User-Agent": "kschedctl"}
_NO_HEADERS: Final = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
_NO_BODY: Final = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"


class HttpTransport:
    """Sends each call to its URL; connections stay open from one call to the next.

    Redirects are not followed and proxies are not used: a request goes where the configuration says, or nowhere.
    """

    def __init__(self) -> None:
        self._open: dict[Extender, _Connection] = {}

    def __reduce__(self) -> tuple[type[HttpTransport], tuple[()]]:
        """What travels: nothing; connections are opened anew."""
        return type(self), ()

    def close(self) -> None:
        """Close what is open; it is opened again when it is needed."""
        for connection in self._open.values():
            connection.close()

    def send(self, call: Call) -> Reply:
        """The reply to a call.

        Raises:
            CallError: there is none within the timeout of the extender.
        """
        connection = self._open.get(call.extender)
        if connection is None:
            connection = self._open[call.extender] = _Connection(call.extender)
        body = json.dumps(call.request, separators=(",", ":")).encode()
        try:
            return connection.post(urlsplit(call.url), body)
        except TimeoutError as error:
            why = _NO_BODY if str(error) == _NO_BODY else _NO_HEADERS
            raise CallError(why if why is _NO_BODY else f'Post "{call.url}": {why}') from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise CallError(f'Post "{call.url}": {_words(error)}') from error


def hosts(extenders: tuple[Extender, ...]) -> list[str]:
    """Whom requests go to, `host:port` as the URLs write it, each once."""
    return list(dict.fromkeys(urlsplit(extender.url_prefix).netloc for extender in extenders))


def _words(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connect: connection refused"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: {error.verify_message}"
    if isinstance(error, http.client.RemoteDisconnected):
        return "EOF"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


class _Connection(Struct):
    """The connection to one extender, opened when it is first used."""

    extender: Extender
    _client: http.client.HTTPConnection | None = None

    def post(self, url: SplitResult, body: bytes) -> Reply:
        """One exchange; on a connection that the server has closed meanwhile, once more on a new one."""
        deadline = time.monotonic() + int(self.extender.http_timeout) / _NANOSECONDS
        reused = self._client is not None
        try:
            return self._exchange(url, body, deadline)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self.close()
            if not reused:
                raise
            return self._exchange(url, body, deadline)
        except BaseException:
            self.close()
            raise

    def _exchange(self, url: SplitResult, body: bytes, deadline: float) -> Reply:
        client = self._client or self._connect(url, deadline)
        path = f"{url.path}?{url.query}" if url.query else url.path
        assert client.sock is not None
        channel: socket.socket = client.sock
        channel.settimeout(_left(deadline))
        client.request("POST", path, body, _HEADERS)
        channel.settimeout(_left(deadline))
        response = client.getresponse()
        parts = []
        try:
            while True:
                channel.settimeout(_left(deadline))
                part = response.read1(_CHUNK)
                if not part:
                    break
                parts.append(part)
        except TimeoutError:
            raise TimeoutError(_NO_BODY) from None
        response.close()  # it is read to its end, so that the connection can be used again
        if response.will_close:
            self.close()
        return Reply(response.status, b"".join(parts))

    def _connect(self, url: SplitResult, deadline: float) -> http.client.HTTPConnection:
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f'unsupported protocol scheme "{url.scheme}"')
        left = _left(deadline)
        if url.scheme == "https":
            tls = self.extender.tls_config or TlsConfig()
            context = _tls_context(tls, insecure=tls.insecure or self._trusts_all(tls))
            self._client = _NamedHttps(url.hostname, url.port, tls.server_name, context, left)
        else:
            self._client = http.client.HTTPConnection(url.hostname, url.port, timeout=left)
        self._client.connect()
        return self._client

    def _trusts_all(self, tls: TlsConfig) -> bool:
        """As in kube-scheduler: with enableHTTPS and without a CA no certificate is verified."""
        return self.extender.enable_https and not (tls.ca_file or tls.ca_data)

    def close(self) -> None:
        """Close it, if it is open."""
        if self._client is not None:
            self._client.close()
            self._client = None


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _NamedHttps(http.client.HTTPSConnection):
    """A connection to a server whose certificate may be for another name."""

    def __init__(
        self, host: str, port: int | None, name: str, context: ssl.SSLContext, timeout: float
    ) -> None:
        super().__init__(host, port, context=context, timeout=timeout)
        self._name, self._tls = name or host, context

    def connect(self) -> None:
        """Connect, and ask for the certificate of the name."""
        http.client.HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._name)


def _tls_context(tls: TlsConfig, *, insecure: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif tls.ca_data or tls.ca_file:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authorities = _decoded(tls.ca_data) if tls.ca_data else Path(tls.ca_file).read_bytes()
        context.load_verify_locations(cadata=authorities.decode())
    if tls.cert_data or tls.cert_file:
        with _as_file(tls.cert_data, tls.cert_file) as cert, _as_file(tls.key_data, tls.key_file) as key:
            context.load_cert_chain(cert, key)
    return context


@contextmanager
def _as_file(data: str, path: str) -> Iterator[str]:
    """A file with the data, where the configuration has it inline; OpenSSL reads certificates from files only."""
    if not data:
        yield path
        return
    with tempfile.NamedTemporaryFile() as file:  # readable by its owner alone
        file.write(_decoded(data))
        file.flush()
        yield file.name


def _decoded(data: str) -> bytes:
    return base64.b64decode(data, validate=True)
