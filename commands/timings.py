"""What is measured of a run: a table on stderr, and metrics in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .options import TimingOptions

if TYPE_CHECKING:
    from kschedctl.framework.timings import Timings


@contextmanager
def measuring(options: TimingOptions) -> Iterator[Timings | None]:
    """Where the times of the block go, which are told when it ends well; None: nothing is measured.

    Raises:
        InputError: the file with the metrics cannot be written.
    """
    if not options.timings and options.metrics_file is None:
        yield None
        return
    from kschedctl.framework.timings import Timings

    from .messages import say

    timings = Timings()
    yield timings
    from kschedctl.sources.atomic import replacing
    from kschedctl.writers.timings import metrics_text, timings_lines

    sys.stdout.flush()
    if options.timings:
        for line in timings_lines(timings):
            say(line)
    if options.metrics_file is not None:
        with replacing(str(options.metrics_file)) as sink:
            sink.write(metrics_text(timings).encode())
