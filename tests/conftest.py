"""Makes the builders beside this file importable from every folder of tests; stored outputs; hypothesis."""

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A merge must not depend on luck or on a slow machine: every run tries the same examples, without a time
# limit. `pytest --hypothesis-profile explore` looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")


def pytest_configure():
    """Look for garbage rarely; and let programs under test be interrupted.

    A job that a shell starts in the background ignores interrupts, and so would they.
    """
    gc.set_threshold(1_000_000)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption(
        "--regenerate", action="store_true", help="write stored outputs and schemas anew instead of comparing"
    )
    parser.addoption(
        "--worlds", type=int, default=40, help="random worlds in which what is known of equal pods is tried"
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


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the test runs, its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
