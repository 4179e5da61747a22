"""Makes the builders beside this file importable from every folder of tests; stored outputs."""

from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--regenerate", action="store_true", help="write stored outputs and schemas anew instead of comparing"
    )


@pytest.fixture
def golden(request):
    """A function that compares a text with a stored one, or stores it under `--regenerate`.

    The text must not hold absolute paths: they differ from clone to clone, and so does where lines wrap.
    """

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--regenerate"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.read_text() == text

    return check
