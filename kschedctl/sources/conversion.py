"""From any input to a snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from kschedctl import __version__
from kschedctl.errors import shown_path
from kschedctl.sources.atomic import replacing
from kschedctl.sources.load import Loaded
from kschedctl.sources.narrow import narrow_note
from kschedctl.sources.reduction import reduced
from kschedctl.sources.snapshot import Header, RecordedOrigin, Snapshot


def snapshot_of(loaded: Loaded, source: Sequence[str]) -> Snapshot:
    """The snapshot of loaded objects, cut down to what scheduling reads.

    The header is that of the snapshot among the inputs, if there is just one; else it names the inputs.
    """
    if len(loaded.snapshots) == 1:
        header = loaded.snapshots[0]
    else:
        header = Header(
            taken_by=f"kschedctl {__version__}", origin=RecordedOrigin(files=tuple(map(shown_path, source)))
        )
        narrow = None if loaded.snapshots else narrow_note(loaded.objects)
        header = replace(
            header,
            missing=tuple(entry for part in loaded.snapshots for entry in part.missing),
            notes=(
                *(note for part in loaded.snapshots for note in part.notes),
                *([narrow] if narrow else []),
            ),
        )
    return Snapshot(header, [reduced(obj) for obj in loaded.objects])


def save_names(originals: Mapping[str, str], path: str) -> None:
    """Write which name each replacement stands for, so that answers about a redacted file can be read: by its owner.

    Raises:
        InputError: the file cannot be written.
    """
    with replacing(path, private=True) as file:
        file.write(
            msgspec.json.format(msgspec.json.encode(dict(sorted(originals.items()))), indent=2) + b"\n"
        )
