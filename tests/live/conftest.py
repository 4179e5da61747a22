"""The server and a kubeconfig that leads to it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kschedctl.live import Connection, connect

from .server import CERTIFICATE, TOKENS, ApiServer, running


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    """The recording of 1.36, or the one that a test names as parameter."""
    with running(getattr(request, "param", "responses")) as api:
        yield api


@pytest.fixture
def kubeconfig(server: ApiServer, tmp_path: Path) -> Path:
    """A context for each of those whom the recording knows; admin is the current one."""
    cluster = {"server": server.url, "certificate-authority": str(CERTIFICATE)}
    users = [{"name": who, "user": {"token": token}} for who, token in TOKENS.items()]
    contexts = [{"name": who, "context": {"cluster": "c", "user": who}} for who in TOKENS]
    path = tmp_path / "kubeconfig"
    path.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": users,
                "contexts": contexts,
                "current-context": "admin",
            }
        )
    )
    return path


@pytest.fixture
def as_(kubeconfig: Path) -> Callable[[str], Connection]:
    """A connection in somebody's name."""
    return lambda who: connect(str(kubeconfig), who)


@pytest.fixture
def admin(as_: Callable[[str], Connection]) -> Connection:
    return as_("admin")
