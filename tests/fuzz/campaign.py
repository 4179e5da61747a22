"""Inputs by number: the same number gives the same input, so that whatever is found can be made again."""

from __future__ import annotations

import gc
import gzip
import io
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import yaml

from kschedctl.errors import KschedError
from kschedctl.sources.load import load

from .asks import ASKS, arguments_of, whole, write_files
from .mutation import damaged_bytes, damaged_tree
from .program import SECONDS, OutOfTimeError, limited, run, violations
from .seeds import ROOT, Seed, seeds
from .served import served, unreadable
from .values import Maker, any_kind, encoded

_SNAPSHOT = (ROOT / "fixtures/snapshots/shop.json").read_bytes()


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that was broken, and by what."""

    generator: str
    number: int
    what: str
    arguments: Sequence[str] = ()


@dataclass(slots=True)
class Tally:
    """What a campaign did."""

    inputs: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    slowest: float = 0.0


Check = Callable[[int, Path, Tally], Iterator[tuple[str, Sequence[str]]]]


def generators() -> Mapping[str, Check]:
    """Name -> what makes input number N in a folder, tries it and yields what is broken."""
    return {"typed": _typed, "damaged": _damaged, "read": _read, "bytes": _bytes, "served": _served}


def campaign(
    names: Sequence[str], numbers: Sequence[int] | range, folder: Path, until: float = float("inf")
) -> Tally:
    """Try inputs, one of each generator a number.

    Args:
        names: generators.
        numbers: which inputs.
        folder: for files; the working directory.
        until: `time.monotonic()` after which no more are tried.
    """
    tally, known = Tally(), generators()
    for number in numbers:
        for name in names:
            tally.inputs[name] += 1
            for what, arguments in known[name](number, folder, tally):
                tally.findings.append(Finding(name, number, what, arguments))
        if time.monotonic() > until:
            break
    return tally


def _typed(number: int, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """A good scenario to which objects of our types are added, and in which fields are set anew by their types."""
    rng = Random(f"typed {number}")
    maker = Maker(rng, rng.choice((0.0, 0.0, 0.0, 0.01, 0.05)))
    seed = rng.choice(seeds())
    cluster, candidates = list(seed.cluster), list(seed.candidates)
    if rng.random() < 0.4:
        cluster = rng.sample(cluster, min(3, len(cluster)))
        cluster += [maker.top_level(any_kind(rng)) for _ in range(rng.choice((1, 2, 4)))]
    if rng.random() < 0.1:
        candidates = [maker.top_level(any_kind(rng))]
    for _ in range(rng.choice((1, 1, 2, 3))):
        changed = rng.choice((cluster, cluster, candidates))
        if changed:
            at = rng.randrange(len(changed))
            changed[at] = maker.changed(changed[at])
    yield from _ask(rng, Seed(seed.name, cluster, candidates, seed.config, seed.gates), folder, tally)


def _damaged(number: int, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """A good scenario with some fields changed."""
    rng = Random(f"damaged {number}")
    seed = rng.choice(seeds())
    where = rng.random()
    cluster, candidates, config = list(seed.cluster), list(seed.candidates), seed.config
    count = rng.choice((1, 1, 2, 4))
    if where < 0.6:
        cluster = damaged_tree(rng, cluster, count)
    if where > 0.4:
        candidates = damaged_tree(rng, candidates, count)
    if config is not None and rng.random() < 0.3:
        config = damaged_tree(rng, [config], count)[0]
    yield from _ask(rng, Seed(seed.name, cluster, candidates, config, seed.gates), folder, tally)


def _ask(rng: Random, seed: Seed, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """Put a scenario before a verb in a format."""
    ask = rng.choice(ASKS)
    output = rng.choice(ask.outputs)
    (folder / "cluster.json").write_bytes(encoded(list(seed.cluster)))
    (folder / "pod.json").write_bytes(encoded(list(seed.candidates)))
    arguments = arguments_of(rng, ask, seed.cluster)
    write_files(rng, ask, arguments, seed)
    if ask.decides:
        arguments += ["-c", "cluster.json"]
        if isinstance(seed.config, dict) and seed.config:
            (folder / "own.json").write_bytes(encoded([whole(seed.config)]))
            arguments += ["--scheduler-config", "own.json"]
        if seed.gates:
            gates = ",".join(f"{name}={str(on).lower()}" for name, on in seed.gates.items())
            arguments += ["--feature-gates", gates]
    arguments += ["-o", output]
    done = run(arguments)
    tally.codes[done.code] += 1
    tally.slowest = max(tally.slowest, done.seconds)
    for what in violations(done, output):
        yield what, arguments


def _read(number: int, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """Objects made from our types, as JSON or YAML, read as a cluster and as manifests."""
    rng = Random(f"read {number}")
    maker = Maker(rng, rng.choice((0.0, 0.01, 0.05)))
    objects = [maker.top_level(any_kind(rng)) for _ in range(rng.choice((1, 2)))]
    content = encoded(objects) if rng.random() < 0.8 else _as_yaml(objects)
    yield from _load(content, check_fields=rng.random() < 0.5)


def _as_yaml(objects: list[Any]) -> bytes:
    try:
        plain = json.loads(json.dumps(objects))
        return yaml.dump_all(plain, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)).encode(
            "utf-8", "surrogatepass"
        )
    except (UnicodeEncodeError, yaml.YAMLError):
        return encoded(objects)


def _bytes(number: int, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """A good text, plain or gzipped, with damaged bytes."""
    rng = Random(f"bytes {number}")
    kind = rng.random()
    if kind < 0.3:
        content = _SNAPSHOT
    elif kind < 0.6:
        content = encoded(list(rng.choice(seeds()).candidates))
    else:
        content = _as_yaml(list(rng.choice(seeds()).candidates))
    if rng.random() < 0.05:
        content = gzip.compress(content, mtime=0)
    yield from _load(damaged_bytes(rng, content, rng.choice((1, 2, 5))), check_fields=rng.random() < 0.3)


def _served(number: int, folder: Path, tally: Tally) -> Iterator[tuple[str, Sequence[str]]]:
    """A live cluster with answers that are generated or damaged."""
    done, arguments, output = served(number, folder)
    gc.collect()  # the client keeps connections, and the server a thread for each, until then
    tally.codes[done.code] += 1
    tally.slowest = max(tally.slowest, done.seconds)
    for what in (*violations(done, output), *unreadable(done, arguments)):
        yield what, arguments


def _load(content: bytes, *, check_fields: bool) -> Iterator[tuple[str, Sequence[str]]]:
    try:
        with limited(SECONDS):
            loaded = load(["-"], stdin=io.BytesIO(content), check_fields=check_fields)
            if loaded.objects:
                loaded.place_of(len(loaded.objects) - 1)
    except KschedError:
        return
    except OutOfTimeError:
        yield f"does not end within {SECONDS:g} s", ()
    except Exception as error:
        yield f"{type(error).__name__}: {str(error)[:200]}", ()
