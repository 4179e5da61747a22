"""Good inputs to begin with: golden scenarios, fixtures, and what each field holds in them."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "kschedctl/conformance/golden"
_LARGEST_CASE = 20_000
_MOST_VALUES = 60

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seed:
    """A cluster and what is asked about it."""

    name: str
    cluster: Sequence[Data]
    candidates: Sequence[Data]
    config: Data | None = None
    gates: Mapping[str, bool] | None = None


@cache
def seeds() -> tuple[Seed, ...]:
    """All seeds, in the same order on every machine."""
    return (*_golden(), *_fixtures())


def _golden() -> Iterator[Seed]:
    for path in sorted(GOLDEN.rglob("*.jsonl.gz")):
        for i, line in enumerate(gzip.decompress(path.read_bytes()).splitlines()):
            scenario = json.loads(line)["scenario"]
            if len(line) > _LARGEST_CASE or not scenario.get("pods"):
                continue
            candidates = [{"apiVersion": "v1", "kind": "Pod"} | pod for pod in scenario["pods"][:3]]
            yield Seed(
                f"{path.relative_to(GOLDEN)}:{i}",
                scenario["objects"],
                candidates,
                scenario.get("config"),
                scenario.get("gates"),
            )


def _fixtures() -> Iterator[Seed]:
    for path in sorted((ROOT / "fixtures").rglob("cluster.yaml")):
        cluster = documents(path)
        for other in sorted(path.parent.rglob("*.yaml")):
            if other != path:
                yield Seed(str(other.relative_to(ROOT)), cluster, documents(other))


def documents(path: Path) -> list[Data]:
    """The objects of a YAML file, Lists opened."""
    found = [document for document in yaml.safe_load_all(path.read_text()) if isinstance(document, dict)]
    return [item for document in found for item in document.get("items", [document])]


@cache
def observed() -> Mapping[str, tuple[Any, ...]]:
    """Field -> values that it has somewhere in the seeds; an item of a list counts as its field's."""
    known: dict[str, dict[str, Any]] = defaultdict(dict)

    def note(key: str, value: Any) -> None:
        values = known[key]
        if len(values) < _MOST_VALUES:
            values.setdefault(json.dumps(value, sort_keys=True, default=str), value)
        if isinstance(value, dict):
            for inner, member in value.items():
                note(inner, member)
        elif isinstance(value, list):
            for member in value:
                note(key, member)

    for seed in seeds():
        for one in (*seed.cluster, *seed.candidates):
            note("", one)
    return {key: tuple(values.values()) for key, values in known.items()}
