"""The order that Go's unstable `sort.Slice` and `sort.Sort` leave (spec 01 §9.8 and Appendix A).

Victims of equal importance and claims of equal size come out in an order that only this procedure gives, and the
comparison of two pods without start time says "less" both ways; so the procedure itself has to be followed, step
by step.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

T = TypeVar("T")

INSERTION_LIMIT = 12
"""Up to this length the procedure is a plain insertion sort."""

_MASK64 = 2**64 - 1


class _Hint(Enum):
    UNKNOWN = auto()
    INCREASING = auto()
    DECREASING = auto()


def go_sort(items: list[T], less: Callable[[T, T], bool]) -> None:
    """Sort in place by `less`, which need not be a consistent order."""
    _Sorter(items, less).sort(0, len(items), len(items).bit_length())


class _Sorter(Generic[T]):
    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self._items = items
        self._compare = less

    def _less(self, i: int, j: int) -> bool:
        return self._compare(self._items[i], self._items[j])

    def _swap(self, i: int, j: int) -> None:
        items = self._items
        items[i], items[j] = items[j], items[i]

    def sort(self, a: int, b: int, limit: int) -> None:
        """Sort [a, b); `limit` counts the unbalanced splits that are left before it gives up on splitting."""
        balanced = partitioned = True
        while (length := b - a) > INSERTION_LIMIT:
            if limit == 0:
                self._heap_sort(a, b)
                return
            if not balanced:
                self._shuffle(a, length)
                limit -= 1
            pivot, hint = self._choose_pivot(a, b)
            if hint is _Hint.DECREASING:
                self._items[a:b] = self._items[a:b][::-1]
                pivot = (b - 1) - (pivot - a)
                hint = _Hint.INCREASING
            if balanced and partitioned and hint is _Hint.INCREASING and self._partial_insertion(a, b):
                return
            if a > 0 and not self._less(a - 1, pivot):
                a = self._split_equal(a, b, pivot)
                continue
            middle, partitioned = self._partition(a, b, pivot)
            left, right = middle - a, b - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(a, middle, limit)
                a = middle + 1
            else:
                self.sort(middle + 1, b, limit)
                b = middle
        self._insertion_sort(a, b)

    def _insertion_sort(self, a: int, b: int) -> None:
        for i in range(a + 1, b):
            j = i
            while j > a and self._less(j, j - 1):
                self._swap(j, j - 1)
                j -= 1

    def _heap_sort(self, a: int, b: int) -> None:
        length = b - a
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, a)
        for end in range(length - 1, -1, -1):
            self._swap(a, a + end)
            self._sift_down(0, end, a)

    def _sift_down(self, root: int, length: int, first: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child

    def _shuffle(self, a: int, length: int) -> None:
        random, mask = length, (1 << length.bit_length()) - 1
        start = a + 2 * (length // 4) - 1
        for position in range(start, start + 3):
            random ^= (random << 13) & _MASK64
            random ^= random >> 7
            random ^= (random << 17) & _MASK64
            other = random & mask
            if other >= length:
                other -= length
            self._swap(position, a + other)

    def _choose_pivot(self, a: int, b: int) -> tuple[int, _Hint]:
        length = b - a
        i, j, k = (a + length // 4 * quarter for quarter in (1, 2, 3))
        swaps = [0]
        if length >= 50:
            i = self._median(i - 1, i, i + 1, swaps)
            j = self._median(j - 1, j, j + 1, swaps)
            k = self._median(k - 1, k, k + 1, swaps)
        j = self._median(i, j, k, swaps)
        most = 12
        hint = {0: _Hint.INCREASING, most: _Hint.DECREASING}.get(swaps[0], _Hint.UNKNOWN)
        return j, hint

    def _median(self, x: int, y: int, z: int, swaps: list[int]) -> int:
        if self._less(y, x):
            swaps[0] += 1
            x, y = y, x
        if self._less(z, y):
            swaps[0] += 1
            y, z = z, y
        if self._less(y, x):
            swaps[0] += 1
            x, y = y, x
        return y

    def _partial_insertion(self, a: int, b: int) -> bool:
        """Whether the range is sorted after at most five repairs."""
        i = a + 1
        for _ in range(5):
            while i < b and not self._less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < 50:
                return False
            self._swap(i, i - 1)
            if i - a >= 2:
                for j in range(i - 1, 0, -1):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
            if b - i >= 2:
                for j in range(i + 1, b):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
        return False

    def _split_equal(self, a: int, b: int, pivot: int) -> int:
        """Put what equals the pivot first; returns where the rest begins."""
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self._less(a, i):
                i += 1
            while i <= j and self._less(a, j):
                j -= 1
            if i > j:
                return i
            self._swap(i, j)
            i, j = i + 1, j - 1

    def _partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        """Split around the pivot; returns its place and whether nothing had to move."""
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        untouched = True
        while True:
            while i <= j and self._less(i, a):
                i += 1
            while i <= j and not self._less(j, a):
                j -= 1
            if i > j:
                self._swap(j, a)
                return j, untouched
            self._swap(i, j)
            i, j = i + 1, j - 1
            untouched = False
