"""Where the objects of an input were read, those that are passed over too."""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from kschedctl.errors import Place
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.position import Position


class DocumentOrigin(Struct):
    """Where the objects of one document come from."""

    first: int
    """Index of the first object of the document."""
    position: Position


class Provenance(Struct):
    """Where objects come from, by their index."""

    origins: list[DocumentOrigin] = field(default_factory=list)
    paths: list[FieldPath] = field(default_factory=list)
    """Of each object: its path in its document, `("items", 3)` in a List."""

    def place_of(self, index: int, field: FieldPath = ()) -> Place:
        """Return the place of an object, or of a field of it: of what is there on the way to the field."""
        after = bisect_right(self.origins, index, key=lambda origin: origin.first)
        return self.origins[after - 1].position.place_of_object(self.paths[index] + field)


class UnreadObject(Struct, frozen=True):
    """An object of manifests that scheduling does not read: its kind, or the kind in this API version.

    Attributes:
        api_version: as written.
        kind: as written.
        place: where it stands.
    """

    api_version: str
    kind: str
    place: Place
