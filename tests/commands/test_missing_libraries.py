"""Verbs work without the libraries that they do not need, and say which one they lack."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
QUICK = ("-c", str(FIXTURES / "quickstart/cluster.yaml"))
WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("kubernetes", "networkx", "jsonschema", "cel_expr_python"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from commands.main import run
run(sys.argv[1:])
"""


def run(*arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KUBECONFIG": "kubeconfig"}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("explain", str(FIXTURES / "quickstart/pod.yaml"), *QUICK), id="explain"),
        pytest.param(("preempt", str(FIXTURES / "quickstart/trainer.yaml"), *QUICK), id="preempt"),
        pytest.param(("simulate", *QUICK), id="simulate"),
        pytest.param(("drain", "worker-1", *QUICK), id="drain"),
        pytest.param(("capacity", str(FIXTURES / "quickstart/pod.yaml"), *QUICK), id="capacity"),
        pytest.param(("snapshot", "info", str(FIXTURES / "snapshots/shop.json")), id="snapshot info"),
        pytest.param(("snapshot", "rbac"), id="snapshot rbac"),
        pytest.param(("config", "view"), id="config view"),
        pytest.param(("completion", "bash"), id="completion"),
        pytest.param(("--help",), id="help"),
    ],
)
def test_what_needs_none_works(tmp_path, arguments):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "library"),
    [
        pytest.param(
            ("preempt", str(FIXTURES / "quickstart/trainer.yaml"), *QUICK, "--graph", "g.dot"),
            "networkx",
            id="a graph",
        ),
        pytest.param(("gate", str(FIXTURES / "gate-release/room.yaml")), "jsonschema", id="a scenario"),
        pytest.param(("explain", str(FIXTURES / "quickstart/pod.yaml")), "kubernetes", id="a live cluster"),
        pytest.param(("snapshot", "take", "-o", "s.json"), "kubernetes", id="taking a snapshot"),
        pytest.param(
            ("explain", str(FIXTURES / "dra/pod.yaml"), "-c", str(FIXTURES / "dra/cluster.yaml")),
            "cel-expr-python",
            id="a device selector",
        ),
    ],
)
def test_what_needs_one_says_so(tmp_path, arguments, library):
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not installed" in done.stderr
    assert f"hint: pip install {library}\n" in done.stderr
    assert "internal error" not in done.stderr
    assert os.listdir(tmp_path) == []
