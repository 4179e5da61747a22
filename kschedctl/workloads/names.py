"""Names that the API server and controllers make up, chosen in a way that is the same in every run."""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterator

import msgspec
from msgspec.structs import replace

from kschedctl.objects.pod import PodTemplateSpec
from kschedctl.objects.written import as_read

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""What generated names are made of: no vowels, nothing that looks like something else."""

_SUFFIX_LENGTH = 5
_SUFFIXES = len(ALPHABET) ** _SUFFIX_LENGTH
_STRIDE = 8_191_111  # shares no factor with the number of suffixes, so that every suffix occurs once
_PREFIX_LIMIT = 63 - _SUFFIX_LENGTH
NAME_LIMIT = 253

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


def generated_names(prefix: str, taken: Container[str] = frozenset()) -> Iterator[str]:
    """Names made of a `generateName` and five letters, none twice and none of those taken.

    The real suffixes are random; these are decided by the prefix and by how many came before.
    """
    start = zlib.crc32(prefix.encode())
    base = prefix[:_PREFIX_LIMIT]
    for turn in range(_SUFFIXES):
        name = base + _suffix((start + turn * _STRIDE) % _SUFFIXES)
        if name not in taken:
            yield name


def template_hash(template: PodTemplateSpec) -> str:
    """A stable stand-in for `pod-template-hash`, whose real value needs Go's printer (spec 02 E.1)."""
    digits = str(zlib.crc32(_encode(replace(template, spec=as_read(template.spec)))))
    return "".join(ALPHABET[ord(digit) % len(ALPHABET)] for digit in digits)


def _suffix(number: int) -> str:
    letters = []
    for _ in range(_SUFFIX_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)
