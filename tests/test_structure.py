"""The shape of the project: layers, docstrings, and that what README promises works."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from configparser import ConfigParser
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from grimp import build_graph

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "kschedctl").rglob("*.py"), *(ROOT / "commands").rglob("*.py")])
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^ {4}(?:\$ )?((?:python3 -m venv|bash) .*)$", README, re.MULTILINE)


def short(path):
    return path.relative_to(ROOT).as_posix()


def test_imports_go_one_way():
    from importlinter.cli import lint_imports

    assert lint_imports(config_filename=str(ROOT / ".importlinter"), no_cache=True) == 0


def test_modules_import_in_no_circle():
    """Imports for types alone count, too, but for that of the sums which a cluster holds."""
    imports = build_graph("kschedctl", cache_dir=None)
    imports.remove_import(importer="kschedctl.cluster.counts", imported="kschedctl.cluster.state")
    modules = imports.modules - {"kschedctl"}  # it loads the questions when they are used
    sorter = TopologicalSorter({m: imports.find_modules_directly_imported_by(m) & modules for m in modules})
    sorter.prepare()  # raises CycleError, which names the circle


def test_the_tiers_of_the_architecture_are_those_that_imports_are_held_to():
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    lines = contracts["importlinter:contract:layers"]["layers"].strip().splitlines()
    layers = [set(line.split(" | ")) for line in reversed(lines) if not line.startswith("#")]
    tiers = re.findall(r"^\| (?:what|how) [^|]+\|[^|]+\|([^|]+)\|$", ARCHITECTURE, re.MULTILINE)
    named = [set(entry.strip().split(" and ")) for tier in tiers for entry in tier.split(",")]
    assert len(tiers) == 3
    assert named == [*layers, {"commands"}]


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_a_public_class_name_stands_for_one_thing():
    """Kubernetes itself calls an API type and a plugin NodeAffinity."""
    places = defaultdict(list)
    for path in SOURCES:
        for part in ast.parse(path.read_text()).body:
            if isinstance(part, ast.ClassDef) and not part.name.startswith("_"):
                places[part.name].append(short(path))
    assert {name for name, paths in places.items() if len(paths) > 1} == {"NodeAffinity"}, places


def uses_of_the_process(tree):
    """Names by which code would write to a stream, read the environment or end the process."""
    for part in ast.walk(tree):
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id in ("print", "exit")
        ):
            yield part.func.id
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            name = f"{part.value.id}.{part.attr}"
            if name in (
                "sys.stdout",
                "sys.stderr",
                "sys.argv",
                "sys.exit",
                "os.environ",
                "os.getenv",
                "os._exit",
            ):
                yield name


@pytest.mark.parametrize("path", [p for p in SOURCES if p.is_relative_to(ROOT / "kschedctl")], ids=short)
def test_the_engine_is_a_library(path):
    assert list(uses_of_the_process(ast.parse(path.read_text()))) == []


def test_readme_begins_with_the_main_job_and_then_the_tests():
    main_job, tests = COMMANDS
    assert "kschedctl explain" in main_job
    assert tests == "bash .ci/run"


def test_the_first_command_of_readme_answers():
    """What comes after setting up is run with the program of this environment."""
    command = shlex.split(COMMANDS[0].rsplit("&&", 1)[1])
    program = shutil.which("kschedctl", path=str(Path(sys.executable).parent))
    assert program, "the project is not installed in this environment"
    done = subprocess.run(
        [program, *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "shop/web-5 goes to worker-5" in done.stdout


def test_local_links_of_the_documents_lead_somewhere():
    for document in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / document).read_text()):
            assert (ROOT / target).exists(), f"{document}: {target}"
