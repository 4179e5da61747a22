"""The versions that there are, and which one a text means."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from kschedctl.errors import UnsupportedError
from kschedctl.framework.versions.version import Version

_TEXT: Final = re.compile(
    r"v?(\d+)\.(\d{1,9})\+?(?:\.(\d{1,9}))?(?:[.+-]\S*)?(?:\s+emulating\s+v?1\.(\d{1,9}))?"
)
_OF_A_CLUSTER: Final = re.compile(r"^Server Version:.*?(v?\d+\.\d+\S*)", re.MULTILINE)


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


def _found() -> tuple[Version, ...]:
    """Every version that has a file in this package, oldest first."""
    names = (path.stem for path in Path(__file__).parent.glob("v1_*.py"))
    versions = (import_module(f"{__package__}.{name}").VERSION for name in names)
    return tuple(sorted(versions, key=lambda version: _number(version.minor)))


SUPPORTED: Final = _found()
OLDEST: Final = SUPPORTED[0]
NEWEST: Final = SUPPORTED[-1]
DEFAULT: Final = NEWEST
"""The version that decides where nothing else says which."""


def version_of(minor: str) -> Version:
    """The version of a minor release such as `1.36`.

    Raises:
        KeyError: it is not known.
    """
    return {version.minor: version for version in SUPPORTED}[minor]


def is_version(text: str) -> bool:
    """Whether a text names a version of Kubernetes, known or not."""
    return _match(text) is not None


def _match(text: str) -> re.Match[str] | None:
    match = _TEXT.fullmatch(text.strip())
    return match if match is not None and match[1] == "1" else None


def parse_version(text: str) -> Version:
    """The version that a text means: `1.36`, `v1.36.2`, `1.34.1-eks-1`, or what `kubectl version` prints.

    `1.37.2 emulating 1.36` is one that runs with `--emulated-version=1.36`. One that is not known is stood in for
    by the nearest one, which says so in `asked`.

    Raises:
        UnsupportedError: the text names no version of Kubernetes, or one that emulates a newer one.
    """
    server = _OF_A_CLUSTER.search(text)
    match = _match(server[1] if server else text)
    if match is None:
        raise UnsupportedError(
            f"{text!r} is no version of Kubernetes",
            hint=f"Write one such as {NEWEST} or v{NEWEST}.1; "
            f"the known ones are {', '.join(map(str, SUPPORTED))}.",
        )
    wanted, emulated = int(match[2]), int(match[4] or match[2])
    if emulated > wanted:
        raise UnsupportedError(f"Kubernetes 1.{wanted} cannot emulate 1.{emulated}, which is newer")
    found, older = _nearest(wanted), _nearest(emulated)
    if _number(found.minor) == wanted and match[3] is not None:
        found = found.at_patch(int(match[3]))
    if older.minor != found.minor:
        found = found.emulating(older)
    if _number(found.minor) == wanted and _number(older.minor) == emulated:
        return found
    return replace(found, asked=f"1.{wanted}" if emulated == wanted else f"1.{wanted} emulating 1.{emulated}")


def _nearest(number: int) -> Version:
    """The version that is nearest to a minor release, whether it is known or not."""
    return min(SUPPORTED, key=lambda version: abs(_number(version.minor) - number))
