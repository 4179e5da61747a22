"""What is installed: one package, in which the verbs are `kschedctl.commands`."""

import ast
import os
import runpy
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERBS = sorted((ROOT / "commands").glob("*.py"))


@pytest.mark.parametrize("path", VERBS, ids=lambda path: path.name)
def test_verbs_import_each_other_wherever_they_lie(path):
    """By relative names: the folder has another name once it is installed."""
    for part in ast.walk(ast.parse(path.read_text())):
        if isinstance(part, ast.ImportFrom) and not part.level:
            assert part.module is not None
            assert part.module.partition(".")[0] != "commands", part.lineno
        if isinstance(part, ast.Import):
            assert all(name.name.partition(".")[0] != "commands" for name in part.names), part.lineno


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The packages as setup.py lays them out."""
    folder = tmp_path_factory.mktemp("installed")
    given = {}
    tools = types.ModuleType("setuptools")
    tools.setup = lambda **parts: given.update(parts)
    tools.find_packages = lambda include: [
        path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for path in sorted((ROOT / include[0].removesuffix("*")).rglob("__init__.py"))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "setuptools", tools)
        runpy.run_path(str(ROOT / "setup.py"))
    places, packages = given["package_dir"], given["packages"]
    for package in packages:
        source = ROOT / places.get(package, package.replace(".", "/"))
        target = folder / package.replace(".", "/")
        target.mkdir(parents=True, exist_ok=True)
        for path in source.iterdir():
            if path.is_file() and path.suffix in (".py", ".json"):
                shutil.copy(path, target)
    return folder


@pytest.mark.parametrize(
    "start", [("-m", "kschedctl"), ("-c", "from kschedctl.commands.main import run; run()")]
)
def test_the_program_runs_as_it_is_installed(installed, tmp_path, start):
    fixture = ROOT / "fixtures/quickstart"
    done = subprocess.run(
        [
            sys.executable,
            *start,
            "explain",
            str(fixture / "pod.yaml"),
            "-c",
            str(fixture / "cluster.yaml"),
            "-q",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "✓ shop/web-5 goes to worker-5\n"), done.stderr


def test_no_other_name_is_taken(installed):
    assert os.listdir(installed) == ["kschedctl"]
    assert (installed / "kschedctl/commands/main.py").is_file()
