"""The entry point, which imports nothing: whoever interrupts the program while it still starts is told in a word."""

import sys
from collections.abc import Sequence


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the program and end the process with its exit code."""
    try:
        from .program import run as run_program

        run_program(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
