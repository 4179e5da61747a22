"""First decodes in several threads, which crash an interpreter whose decoders are not made before."""

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kschedctl.live

ROOT = Path(__file__).parents[2]
INTERPRETERS = 200


def test_first_decodes_of_four_kinds_in_four_threads():
    """One interpreter in ten used to die of SIGSEGV."""
    command = [sys.executable, str(Path(__file__).with_name("first_decodes.py"))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run(_: int) -> int:
        return subprocess.run(command, env=environment, stderr=subprocess.DEVNULL).returncode

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert Counter(pool.map(run, range(INTERPRETERS))) == {0: INTERPRETERS}


def test_nothing_is_decoded_by_its_type():
    sources = [path.read_text() for path in Path(kschedctl.live.__file__).parent.glob("*.py")]
    assert not any("type=" in source.partition('"""')[2].partition('"""')[2] for source in sources)
