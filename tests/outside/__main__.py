"""Check random clusters from outside: `python -m tests.outside --count 100`; one again: `--first 17 --count 1`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .campaign import answers


def main() -> int:
    """Run, and return 1 where something was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--nodes", type=int, nargs=2, default=(60, 300))
    asked = parser.parse_args()
    least, most = asked.nodes
    started, found, nodes, pods = time.monotonic(), Counter[str](), 0, 0
    for seed in range(asked.first, asked.first + asked.count):
        with tempfile.TemporaryDirectory(prefix="kschedctl-outside-") as folder:
            try:
                for answer in answers(seed, Path(folder), least=least, most=most):
                    found[answer.verb] += len(answer.findings)
                    for text in answer.findings[:20]:
                        print(f"{seed} {answer.verb}: {text}", flush=True)
                nodes, pods = nodes + answer.nodes, pods + answer.pods
            except AssertionError as error:
                found["failed"] += 1
                print(f"{seed}: {error}", flush=True)
    seconds = time.monotonic() - started
    print(f"{asked.count} clusters, {nodes} nodes, {pods} pods, {seconds:.0f} s: {dict(found)}")
    return 1 if found.total() else 0


if __name__ == "__main__":
    sys.exit(main())
