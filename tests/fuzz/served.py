"""A live cluster that answers as it likes: recorded answers of an API server, some of them generated or damaged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from kschedctl.errors import KschedError
from kschedctl.objects.kinds import KINDS, Kind
from kschedctl.sources.load import load

from .mutation import damaged_bytes, damaged_tree
from .program import Done, run
from .seeds import seeds
from .values import Maker, encoded, hostile

if TYPE_CHECKING:
    from live.server import ApiServer, Reply

TIMEOUT = "1"
"""Seconds: servers that fail are asked again until it is over."""
_VERBS = (
    *(("snapshot", "take", "-o", "taken.json"),) * 4,
    ("snapshot", "take", "-o", "taken.json", "--redact", "names", "--names-to", "names.json"),
    ("snapshot", "take", "-o", "-"),
    ("explain", "pod.json", "-o", "json"),
    ("drain", "n1", "-o", "table"),
)
_DISCOVERY = ("/version", "/api", "/apis", "/apis/resource.k8s.io", "/apis/scheduling.k8s.io")


def served(number: int, folder: Path) -> tuple[Done, Sequence[str], str]:
    """Ask the cluster of a number: what the run left, its arguments, and the format that was asked for.

    The tests of the client have the server, in a folder that is on the path.
    """
    from live.server import CERTIFICATE, TOKENS, running

    rng = Random(f"served {number}")
    with contextlib.suppress(FileNotFoundError):
        (folder / "taken.json").unlink()
    (folder / "pod.json").write_bytes(encoded(list(rng.choice(seeds()).candidates)))
    with running(rng.choice(("responses", "responses-1.37", "responses-1.37-workload"))) as api:
        _upset(rng, api)
        user = {"token": TOKENS[rng.choice(("admin",) * 9 + ("viewer",))]}
        cluster = {"server": api.url, "certificate-authority": str(CERTIFICATE)}
        config = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}],
            "current-context": "x",
        }
        (folder / "config").write_text(json.dumps(config))
        words = rng.choice(_VERBS)
        arguments = [*words, "--kubeconfig", "config", "--timeout", TIMEOUT]
        if words[0] == "snapshot":
            arguments += rng.choice(((), ("--chunk-size", "0"), ("--chunk-size", "3")))
        done = run(arguments)
    output = words[-1] if words[0] != "snapshot" else "-"
    return done, arguments, output


def unreadable(done: Done, arguments: Sequence[str]) -> Iterator[str]:
    """Why what was taken cannot be read, if it cannot."""
    if done.code == 0 and "taken.json" in arguments:
        try:
            load(["taken.json"])
        except KschedError as error:
            yield f"a snapshot that cannot be read: {str(error)[:200]}"


def _upset(rng: Random, api: ApiServer) -> None:
    """Let the server answer some requests in another way."""
    for kind in rng.sample(KINDS, rng.choice((1, 1, 2, 5))):
        version = rng.choice(kind.api_versions)
        path = f"/{'apis' if kind.group else 'api'}/{version}/{kind.plural}"
        if rng.random() < 0.2:
            api.plan(path, *(_reply(rng, kind) for _ in range(rng.choice((1, 2, 4)))))
        else:
            api.always(path, _reply(rng, kind))
    if rng.random() < 0.1:
        path = rng.choice(_DISCOVERY)
        found = api.recording.find("admin", path)
        api.always(path, _with(rng, damaged_tree(rng, [found.body], 2)[0], found.status))


def _reply(rng: Random, kind: Kind) -> Reply:
    if rng.random() < 0.06:
        code = rng.choice((201, 204, 301, 400, 401, 403, 404, 410, 429, 500, 503, 599))
        message = rng.choice(("no", "", "\x1b[2J", hostile(rng, "message")))
        status = {"kind": "Status", "code": code, "message": message, "metadata": {"continue": "x"}}
        return _with(rng, damaged_tree(rng, [status], rng.choice((0, 1)))[0], code)
    body = {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_versions[0],
        "metadata": {"resourceVersion": "744"},
    }
    body["items"] = damaged_tree(rng, _items(rng, kind), rng.choice((0, 0, 0, 1, 2)))
    if rng.random() < 0.08:
        body["metadata"] |= {"continue": rng.choice(("x", "", hostile(rng, "continue")))}
    if rng.random() < 0.08:
        body["metadata"] |= {"remainingItemCount": rng.choice((0, -1, 2**63, 1e300, "7", None))}
    return _with(rng, damaged_tree(rng, [body], 1)[0] if rng.random() < 0.1 else body, 200)


def _items(rng: Random, kind: Kind) -> list[Any]:
    """Objects of a good scenario, some of them changed by their types, or made."""
    maker = Maker(rng, rng.choice((0.0, 0.0, 0.0, 0.02)))
    found = [one for one in rng.choice(seeds()).cluster if one.get("kind") == kind.kind]
    items = [maker.changed(one) if rng.random() < 0.3 else one for one in found]
    items += [maker.top_level(kind) for _ in range(rng.choice((0, 1, 2)))]
    return [
        {field: value for field, value in one.items() if field not in ("apiVersion", "kind")} for one in items
    ]


def _with(rng: Random, body: Any, code: int) -> Reply:
    from live.server import Reply

    content = encoded([body])
    if rng.random() < 0.05:
        content = damaged_bytes(rng, content, rng.choice((1, 2)))
    headers = {}
    if code in (429, 503):
        headers["Retry-After"] = rng.choice(
            ("0", "1", "-1", "99999999999", "soon", "Wed, 21 Oct 2015 07:28:00 GMT")
        )
    if rng.random() < 0.02:
        headers["Content-Type"] = rng.choice(("text/html", "application/yaml", ""))
    return Reply(code, content, headers, cut=rng.random() < 0.01)
