"""A local HTTPS server that plays the recorded answers of a real API server, and any trouble a test wants.

The recording of 1.36 pages nodes by 20 and pods by 100, those of 1.37 nodes by 3 and pods by 5; here that happens
whatever limit is asked for.
"""

import base64
import gzip
import json
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kschedctl.live.parallel import READER

DATA = Path(__file__).parent / "data"
CERTIFICATE = DATA / "server-cert.pem"
TOKENS = {"admin": "admin-token", "viewer": "viewer-token", "invalid": "invalid-token"}
_VERSIONS = (744, 779, 305, 339)
_WHO = {token: who for who, token in TOKENS.items()}


@dataclass
class Reply:
    """An answer, or a way not to answer."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Close the connection in the middle of the body."""
    delay: float = 0.0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Seen:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


def status(code: int, reason: str, message: str, **meta: str) -> Reply:
    body = {"kind": "Status", "apiVersion": "v1", "metadata": meta, "status": "Failure"}
    return Reply(code, {**body, "message": message, "reason": reason, "code": code})


def items(kind: str, *objects: dict[str, Any], version: str = "v1") -> Reply:
    head = {"kind": f"{kind}List", "apiVersion": version, "metadata": {"resourceVersion": "744"}}
    return Reply(200, {**head, "items": list(objects)})


class Recording:
    """The recorded answers, found by who asks, path and page."""

    def __init__(self, name: str) -> None:
        self._answers: dict[tuple[str, str, str], Reply] = {}
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
            for line in lines:
                entry = json.loads(line)
                request, response = entry["request"], entry["response"]
                key = (request["token"], *_page_of(request["path"]))
                self._answers.setdefault(key, Reply(response["status"], response["body"]))

    def find(self, who: str, path: str) -> Reply:
        if who == "invalid":
            return status(401, "Unauthorized", "Unauthorized")
        place, page = _page_of(path)
        if who == "viewer":
            return self._answers.get((who, place, page)) or _forbidden(place)
        found = self._answers.get((who, place, page)) or self._answers.get((who, place, _start_of(page)))
        return found or status(404, "NotFound", "the server could not find the requested resource")


def _forbidden(path: str) -> Reply:
    plural = path.rpartition("/")[2]
    return status(403, "Forbidden", f'{plural} is forbidden: User "viewer" cannot list resource "{plural}"')


def _page_of(path: str) -> tuple[str, str]:
    parts = urlsplit(path)
    token = parse_qs(parts.query).get("continue", [""])[0]
    return parts.path, _start_of(token) if _is_live(token) else token


def _is_live(token: str) -> bool:
    """Tokens of the versions that the recordings are of, and of the inconsistent list, are told by their start."""
    return _decoded(token).get("rv") in _VERSIONS


def _start_of(token: str) -> str:
    return str(_decoded(token).get("start", token))


def _decoded(token: str) -> dict[str, Any]:
    try:
        data = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


class ApiServer:
    """The server: what it has seen, and what it is told to answer out of turn."""

    def __init__(self, url: str, recording: str) -> None:
        self.url = url
        self.seen: list[Seen] = []
        self.recording = Recording(recording)
        self._planned: dict[str, deque[Reply]] = {}
        self._always: dict[str, Reply] = {}
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self.hook: Callable[[Seen], None] | None = None

    def plan(self, path: str, *replies: Reply) -> None:
        """Give these answers to the next requests for a path, then the recorded ones."""
        self._planned[path] = deque(replies)

    def always(self, path: str, reply: Reply) -> None:
        self._always[path] = reply

    def paths(self, path: str) -> list[dict[str, str]]:
        """The queries of all requests for a path."""
        return [seen.query for seen in self.seen if seen.path == path]

    def reply(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            planned = self._planned.get(seen.path)
            if planned:
                return planned.popleft()
        if self.hook is not None:
            self.hook(seen)
        if seen.path in self._always:
            return self._always[seen.path]
        token = seen.headers.get("authorization", "").rpartition(" ")[2]
        query = "&".join(f"{key}={value}" for key, value in seen.query.items())
        return self.recording.find(_WHO.get(token, "none"), f"{seen.path}?{query}")


@contextmanager
def running(recording: str = "responses") -> Iterator[ApiServer]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.api = ApiServer(f"https://127.0.0.1:{server.server_address[1]}", recording)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.api
    finally:
        server.api.closing.set()
        _wait_for_clients()
        server.shutdown()
        server.server_close()
        thread.join()


def _wait_for_clients() -> None:
    """Readers that were given up finish their last request; a reset would leak a socket of theirs."""
    for thread in threading.enumerate():
        if thread.name == READER:
            thread.join(10)


class _Server(ThreadingHTTPServer):
    """Speaks TLS in the thread of each connection, so that no client holds up the others."""

    daemon_threads = True
    api: ApiServer

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(CERTIFICATE, DATA / "server-key.pem")

    def finish_request(self, request: Any, client_address: Any) -> None:
        with self._tls.wrap_socket(request, server_side=True) as connection:
            super().finish_request(connection, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave in the middle are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        headers = {key.lower(): value for key, value in self.headers.items()}
        seen = Seen(self.command, parts.path, query, headers)
        reply = self.server.api.reply(seen)
        self.server.api.closing.wait(reply.delay)  # type: ignore[attr-defined]
        content = reply.content
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        if not reply.cut and len(content) > 100_000 and "gzip" in headers.get("accept-encoding", ""):
            content = gzip.compress(content, 1)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if reply.cut else content)
        self.wfile.flush()
        if reply.cut:
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _answer  # noqa: N815

    def log_message(self, *args: Any) -> None:
        pass
