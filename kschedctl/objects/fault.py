"""Faults of kube-scheduler that its decisions rest on: an exact answer repeats them, and says so."""

from __future__ import annotations

from msgspec import Struct


class Fault(Struct, frozen=True):
    """A rule of some versions that nobody wanted.

    Attributes:
        issue: where it is told of, such as `kubernetes/kubernetes#139016`.
        text: what happens, in a sentence without an end.
        mended: the first release without it.
    """

    issue: str
    text: str
    mended: str
