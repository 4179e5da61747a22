"""Whatever a server does, at whatever question: a snapshot that says what it lacks, or an error; never more."""

import time
from random import Random

import pytest

from kschedctl.errors import ClusterError
from kschedctl.live import TakeOptions, patience, take_snapshot
from kschedctl.objects.kinds import KINDS
from kschedctl.sources.snapshot import Snapshot

from .server import Reply, items, status
from .test_take import NOW, OLD_TOKEN, PDBS, PODS

FAULTS = {
    "410": status(410, "Expired", "the provided continue parameter is too old"),
    "410 with a token": status(410, "Expired", "too old", **{"continue": OLD_TOKEN}),
    "429": Reply(429, {"message": "too many requests"}, {"Retry-After": "0"}),
    "429 for long": Reply(429, {}, {"Retry-After": "9" * 400}),
    "401": status(401, "Unauthorized", "Unauthorized"),
    "403": status(403, "Forbidden", "no"),
    "404": status(404, "NotFound", "no"),
    "500": status(500, "InternalError", "etcdserver: leader changed"),
    "503": Reply(503, b"upstream connect error"),
    "a redirect": Reply(302, b"", {"Location": "https://example.invalid/"}),
    "cut": Reply(200, {"items": [{"metadata": {"name": "a" * 1000}}]}, cut=True),
    "nothing": Reply(200, b""),
    "a page for people": Reply(200, b"<html>log in</html>"),
    "no UTF-8": Reply(200, b'{"items": [{"metadata": {"name": "\xff"}}]}'),
    "half of a pair": Reply(200, b'{"items": [{"metadata": {"name": "\\ud800"}}]}'),
    "nesting": Reply(200, b'{"items": [' + b"[" * 100_000),
    "nesting in an item": Reply(200, b'{"items": [' + b'{"spec":' * 50_000 + b"1" + b"}" * 50_000 + b"]}"),
    "a number": Reply(200, b"7"),
    "no list": Reply(200, {"items": "x"}),
    "a Status": Reply(200, status(500, "x", "y").body),
    "no object": items("Pod", 5),
    "a field of another type": items("Pod", {"metadata": {"name": "a", "labels": 7}}),
    "a number of more than 64 bits": items("Pod", {"metadata": {"name": "a"}, "spec": {"priority": 10**30}}),
    "a token that is no text": Reply(200, {"items": [], "metadata": {"continue": 5}}),
    "a list without end": Reply(200, {"items": [], "metadata": {"continue": "again"}}),
    "no gzip": Reply(200, b"{}", {"Content-Encoding": "gzip"}),
    "a length of which nothing comes": Reply(200, b"{}", {"Content-Length": "100"}),
}
PLACES = ["/version", PODS, PDBS, "/apis/resource.k8s.io"]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Pauses of hundredths of a second."""
    monkeypatch.setattr(patience, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(patience, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(patience, "_OPTIONAL_SECONDS", 0.1)
    monkeypatch.setattr(patience, "_FAILURES_SECONDS", 0.2)


def outcome(connection, seconds=3.0):
    begin = time.monotonic()
    try:
        return take_snapshot(connection, NOW, TakeOptions(timeout=seconds))
    except ClusterError as error:
        return error
    finally:
        assert time.monotonic() - begin < seconds + 7


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", FAULTS)
def test_once(admin, server, place, fault):
    server.plan(place, FAULTS[fault])
    assert isinstance(outcome(admin), Snapshot | ClusterError)


@pytest.mark.parametrize("fault", FAULTS)
def test_for_ever(admin, server, fault):
    for kind in KINDS:
        for version in kind.api_versions:
            server.always(f"/{'apis' if kind.group else 'api'}/{version}/{kind.plural}", FAULTS[fault])
    found = outcome(admin)
    assert isinstance(found, ClusterError) or fault in ("half of a pair", "a Status")
    assert len(str(found)) < 2_000 or isinstance(found, Snapshot)


@pytest.mark.parametrize("seed", range(8))
def test_in_any_order(admin, server, seed):
    rng = Random(seed)
    for kind in KINDS:
        path = f"/{'apis' if kind.group else 'api'}/{kind.api_versions[0]}/{kind.plural}"
        if rng.random() < 0.4:
            server.plan(path, *(FAULTS[rng.choice(list(FAULTS))] for _ in range(rng.choice((1, 2, 4)))))
    assert isinstance(outcome(admin), Snapshot | ClusterError)
