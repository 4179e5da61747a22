"""Standard streams that are closed, full, or left by their reader: as a user's shell makes them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kschedctl.conformance.golden_files import SHIPPED

ROOT = Path(__file__).parents[2]
GOLDEN = str(SHIPPED / "1.34" / "misc.jsonl.gz")
QUICKSTART = ("-c", "fixtures/quickstart/cluster.yaml")
COMMANDS = {
    "explain": ("explain", "fixtures/quickstart/pod.yaml", *QUICKSTART),
    "preempt": ("preempt", "fixtures/quickstart/trainer.yaml", *QUICKSTART),
    "simulate": ("simulate", "fixtures/quickstart/trainer.yaml", *QUICKSTART),
    "drain": ("drain", "worker-1", *QUICKSTART),
    "capacity": ("capacity", "fixtures/quickstart/pod.yaml", *QUICKSTART),
    "gate": ("gate", "fixtures/gate-release/room.yaml"),
    "conformance": ("conformance", GOLDEN),
    "emit": ("conformance", "--emit", GOLDEN),
    "config view": ("config", "view"),
    "config validate": ("config", "validate"),
    "config translate": ("config", "translate", "fixtures/old-configurations/policy.yaml"),
    "snapshot info": ("snapshot", "info", QUICKSTART[1]),
    "snapshot diff": ("snapshot", "diff", QUICKSTART[1], "fixtures/explain-tie/cluster.yaml"),
    "snapshot convert": ("snapshot", "convert", QUICKSTART[1]),
    "list": ("snapshot", "convert", QUICKSTART[1], "--to", "list"),
    "rbac": ("snapshot", "rbac"),
    "completion": ("completion", "zsh"),
    "help": ("--help",),
    "help of a verb": ("drain", "--help"),
    "version": ("--version",),
}
PROGRAM = (sys.executable, "-m", "kschedctl")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def shell(line, *arguments):
    """Run `line`, in which "$@" is the program with its arguments."""
    command = ["sh", "-c", line, "sh", *PROGRAM, *arguments]
    environment = {**os.environ, "COLUMNS": "80"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(params=COMMANDS)
def arguments(request):
    return COMMANDS[request.param]


@pytest.fixture
def plain(arguments):
    return shell('"$@"', *arguments)


def test_readers_may_leave_and_other_streams_be_closed(arguments, plain):
    assert plain.returncode in (0, 1)
    left = shell('{ "$@"; echo $? >&2; } | true', *arguments)
    assert left.stderr.splitlines() == [str(plain.returncode)]
    closed = shell('"$@" <&- 2>&-', *arguments)
    assert (closed.returncode, closed.stdout) == (plain.returncode, plain.stdout)


@pytest.mark.parametrize(
    ("where", "reason"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")]
)
def test_output_that_cannot_be_written_is_no_answer(arguments, where, reason):
    if "full" in where and not Path("/dev/full").exists():
        pytest.skip("needs a device that is always full")
    done = shell(f'"$@" {where}', *arguments)
    assert done.returncode == 2
    assert done.stderr == f"error: the report cannot be written: {reason}\n"


@pytest.mark.parametrize(
    "line", ['"$@" 2>&-; echo $?', '"$@" 2>/dev/full; echo $?', '{ "$@" 2>&1; echo $? >&2; } | true']
)
def test_errors_that_nobody_reads_keep_their_exit_code(line):
    done = shell(line, "nope")
    assert done.stdout + done.stderr == "2\n"


def test_an_interrupt_is_one_line_and_130():
    command = [*PROGRAM, "conformance", "--emit"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"interrupted\n")


def test_an_interrupted_file_is_not_there(tmp_path):
    """The cluster comes from a pipe that never ends; what is interrupted is the reading."""
    command = [*PROGRAM, "snapshot", "convert", "-", "-o", str(tmp_path / "out.json.gz")]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        for _ in range(20):  # a pipe holds 64 KiB: when all is written, reading has begun
            process.stdin.write(b"# " + b"x" * 16000 + b"\n")
            process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"interrupted\n")
    assert list(tmp_path.iterdir()) == []
