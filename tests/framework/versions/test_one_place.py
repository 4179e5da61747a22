"""What differs between versions is said in `framework/versions` alone: no other code asks which version it is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOME = ROOT / "kschedctl" / "framework" / "versions"
SOURCES = [
    path
    for folder in ("kschedctl", "commands")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not path.is_relative_to(HOME)
]
MODULE = re.compile(r"\bv1_\d+$")
VALUE = re.compile(r"V1_\d+$|DEFAULT$|NEWEST$|OLDEST$|minor$|patch$")
TEXT = re.compile(r"v?1\.\d\d(\.\d+)?$")


def asked_versions(tree: ast.AST) -> Iterator[str]:
    """The places where code imports the file of one version, or compares versions."""
    for part in ast.walk(tree):
        match part:
            case ast.ImportFrom(module=str(module)) if MODULE.search(module):
                yield f"line {part.lineno}: imports {module}"
            case ast.Import(names=names) if any(MODULE.search(name.name) for name in names):
                yield f"line {part.lineno}: imports the file of a version"
            case ast.Compare(left=left, comparators=others):
                if any(_is_version(side) for whole in (left, *others) for side in _sides(whole)):
                    yield f"line {part.lineno}: compares versions"
            case ast.MatchValue(value=value) if _is_version(value):
                yield f"line {value.lineno}: compares versions"


def _sides(whole: ast.expr) -> list[ast.expr]:
    return whole.elts if isinstance(whole, ast.Tuple | ast.List | ast.Set) else [whole]


def _is_version(side: ast.expr) -> bool:
    match side:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return VALUE.match(name) is not None
        case ast.Constant(value=str(text)):
            return TEXT.match(text) is not None
    return False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_else_asks_which_version_it_is(path: Path) -> None:
    assert list(asked_versions(ast.parse(path.read_text()))) == []


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("from kschedctl.framework.versions.v1_36 import VERSION", id="the file of a version"),
        pytest.param("import kschedctl.framework.versions.v1_36", id="the same as a module"),
        pytest.param("if version is V1_36: pass", id="identity"),
        pytest.param("newest = context.version == versions.NEWEST", id="the newest"),
        pytest.param("if version.minor >= '1.36': pass", id="an order"),
        pytest.param("old = str(version) == '1.34.2'", id="a text"),
        pytest.param("old = text in ('1.34', '1.35')", id="one of several texts"),
        pytest.param("match text:\n    case '1.34': pass", id="a match"),
    ],
)
def test_a_question_for_the_version_is_found(code: str) -> None:
    assert len(list(asked_versions(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "from kschedctl.framework.versions import DEFAULT, SUPPORTED", id="the versions there are"
        ),
        pytest.param("if context.facts.ties_are_random: pass", id="a fact"),
        pytest.param("if api_version != 'v1': pass", id="the version of an API"),
    ],
)
def test_what_is_no_question_for_the_version_passes(code: str) -> None:
    assert list(asked_versions(ast.parse(code))) == []
