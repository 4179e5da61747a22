"""Golden scenarios for tests that need clusters of every kind."""

import random
from collections.abc import Iterator
from pathlib import Path

from kschedctl.conformance.scenario import GoldenCase, read_cases

CORPUS = Path(__file__).parents[2] / "fixtures" / "conformance"
CATEGORIES = sorted(path.name.removesuffix(".jsonl.gz") for path in CORPUS.glob("*.jsonl.gz"))


def some_cases(category: str, count: int, seed: int = 1) -> Iterator[GoldenCase]:
    """A few cases of a category, the same ones every time."""
    cases = list(read_cases(CORPUS / f"{category}.jsonl.gz"))
    yield from random.Random(seed).sample(cases, min(count, len(cases)))
