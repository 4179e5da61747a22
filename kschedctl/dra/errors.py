"""How an allocation fails: the pod's scheduling attempt ends with this text."""

from __future__ import annotations


class AllocationError(Exception):
    """The allocator cannot go on; it unwinds the search and becomes an `error` verdict at its border."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
