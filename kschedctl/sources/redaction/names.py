"""The names of a snapshot: first all are collected, then each has a replacement."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct, field

from kschedctl.objects.names import label_value_problems
from kschedctl.objects.well_known import TOPOLOGY_LABELS, ZONE_SEPARATOR
from kschedctl.sources.redaction.derived import Derived, ordered_tokens
from kschedctl.sources.redaction.expressions import compared_texts, compares_alone, with_texts

_FIRST_NAMESPACES: Final = "a"
_NAMESPACES_AFTER: Final = {
    "default": "group",
    "kube-node-lease": "kube-node-lease-",
    "kube-public": "kube-public-",
    "kube-system": "ns",
}
"""Namespaces that every cluster has, and what replacements of those begin with that sort behind each."""
_LATEST = "latest"
_LIST_SEPARATOR = "/"
_MIN_DIGITS = 4
_WORDS_OF_HANDLES: Final = frozenset(
    {
        *(
            "",
            "aws:",
            "https:",
            "projects",
            "UNSPECIFIED",
            "zones",
            "regions",
            "disks",
            "subscriptions",
            "providers",
        ),
        *("resourceGroups", "resourcegroups", "Microsoft.Compute", "microsoft.compute"),
    }
)
_ZONES_OF_HANDLES: Final = frozenset({"zones", "regions"})
_VOLUME_PREFIX: Final = "vol-"
"""What identifiers of EBS begin with, by which they are told from other texts."""
_EVERY_ADDRESS: Final = frozenset({"", "0.0.0.0", "::", "127.0.0.1", "::1"})
_NUMBER = re.compile(r"-?[0-9]+")


class Sort(StrEnum):
    """Sorts of names that stand for themselves; the value begins their replacements."""

    NODE = "node"
    VOLUME = "pv"
    SLICE = "slice"
    POOL = "pool"
    OTHER = "object"


class Names(Protocol):
    """What a rewriting asks: the replacement of each name that it meets, `""` for `""`."""

    def plain(self, sort: Sort, name: str) -> str:
        """The replacement of a cluster-wide name."""

    def namespace(self, name: str) -> str:
        """The replacement of a namespace."""

    def local(self, namespace: str, name: str) -> str:
        """The replacement of the name of a namespaced object of any kind."""

    def derived(self, namespace: str, name: str, prefix: str, inner: str, suffix: str) -> None:
        """Say that `name` is made of another local name: `prefix + inner + suffix`."""

    def compared(self, key: str) -> None:
        """Say that values of a label are compared as numbers."""

    def value(self, key: str, value: str) -> str:
        """The replacement of the value of a label."""

    def image(self, image: str) -> str:
        """The replacement of an image name."""

    def text(self, text: str) -> str:
        """The replacement of a text of which nothing is known; equal ones have equal ones, in their order."""

    def handle(self, handle: str) -> str:
        """The replacement of what identifies a volume, part by part: its form decides what it is taken for."""

    def address(self, address: str) -> str:
        """The replacement of an address of a node."""

    def selector(self, expression: str) -> str:
        """A device selector with other texts to compare with."""

    def device_text(self, text: str) -> str:
        """The replacement of a text that selectors may compare with."""


class Collected(Struct):
    """The names that were met, and how some are made of others; each method returns what it is given."""

    plains: dict[Sort, set[str]] = field(default_factory=lambda: defaultdict(set))
    namespaces: set[str] = field(default_factory=set)
    locals: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By namespace."""
    derivations: dict[tuple[str, str], Derived] = field(default_factory=dict)
    """`(namespace, name)` -> what it is made of."""
    compared_keys: set[str] = field(default_factory=set)
    """Labels whose values are compared as numbers."""
    values: set[str] = field(default_factory=set)
    zones: set[str] = field(default_factory=set)
    """Values of topology labels, the zones of a volume apart."""
    repositories: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    device_texts: set[str] = field(default_factory=set)
    looks_into_texts: bool = False
    """Whether a device selector does more with texts than comparing them, so that they have to stay."""

    def plain(self, sort: Sort, name: str) -> str:
        """Note a cluster-wide name."""
        self.plains[sort].add(name)
        return name

    def namespace(self, name: str) -> str:
        """Note a namespace."""
        self.namespaces.add(name)
        return name

    def local(self, namespace: str, name: str) -> str:
        """Note the name of a namespaced object."""
        self.locals[namespace].add(name)
        return name

    def derived(self, namespace: str, name: str, prefix: str, inner: str, suffix: str) -> None:
        """Note what a name is made of, and both of the names."""
        self.locals[namespace] |= {name, inner}
        self.derivations.setdefault((namespace, name), Derived(prefix, inner, suffix))

    def compared(self, key: str) -> None:
        """Note a label whose values are compared as numbers."""
        self.compared_keys.add(key)

    def value(self, key: str, value: str) -> str:
        """Note the value of a label."""
        if key in TOPOLOGY_LABELS:
            self.zones |= {zone.strip() for zone in value.split(ZONE_SEPARATOR)}
        else:
            self.values.add(value)
        return value

    def image(self, image: str) -> str:
        """Note an image."""
        repository, tag = split_image(image.strip())
        self.repositories.add(repository)
        self.tags.add(tag)
        return image

    def text(self, text: str) -> str:
        """Note a text."""
        self.texts.add(text)
        return text

    def handle(self, handle: str) -> str:
        """Note the parts of what identifies a volume."""
        self.texts |= {_name_in(part) for part in handle.split(_LIST_SEPARATOR)}
        return handle

    def address(self, address: str) -> str:
        """Note an address."""
        self.addresses.add(address)
        return address

    def selector(self, expression: str) -> str:
        """Note what a selector compares with, and whether it does more than that."""
        self.looks_into_texts |= not compares_alone(expression)
        self.device_texts |= set(compared_texts(expression))
        return expression

    def device_text(self, text: str) -> str:
        """Note a text of a device."""
        self.device_texts.add(text)
        return text


class Replacements:
    """The replacements of collected names.

    Attributes:
        originals: replacement -> name, for each that is replaced as a whole.
    """

    def __init__(self, collected: Collected) -> None:
        self.originals: dict[str, str] = {}
        self._plains = {sort: self._ranked(sort, names) for sort, names in collected.plains.items()}
        self._namespaces = self._ranked_between(collected.namespaces)
        self._locals = self._local_names(collected)
        nodes = self._plains.get(Sort.NODE, {})
        parts = {part for zone in collected.zones - nodes.keys() for part in zone.split("-")}
        # Together, since domains are taken in the order of their names, be they zones or not.
        self._domains = self._ranked("v", parts | collected.values - nodes.keys() - collected.zones)
        self._zones = collected.zones
        self._compared = collected.compared_keys
        self._values = self._domains | nodes
        self._repositories = self._ranked("image", collected.repositories)
        self._tags = self._ranked("t", collected.tags - {_LATEST})
        self._texts = self._ranked("text", collected.texts - _WORDS_OF_HANDLES)
        self._addresses = self._counted_addresses(collected.addresses)
        device_texts = set() if collected.looks_into_texts else collected.device_texts
        self._device_texts = self._ranked("w", device_texts - nodes.keys()) | nodes

    def plain(self, sort: Sort, name: str) -> str:
        """The replacement of a cluster-wide name."""
        return self._plains[sort][name] if name else ""

    def namespace(self, name: str) -> str:
        """The replacement of a namespace."""
        return self._namespaces.get(name, name)

    def local(self, namespace: str, name: str) -> str:
        """The replacement of the name of a namespaced object."""
        return self._locals[namespace, name] if name else ""

    def derived(self, namespace: str, name: str, prefix: str, inner: str, suffix: str) -> None:
        """Nothing more to learn."""

    def compared(self, key: str) -> None:
        """Nothing more to learn."""

    def value(self, key: str, value: str) -> str:
        """The replacement of the value of a label; what is no label value decides by that, and stays."""
        if key in TOPOLOGY_LABELS:
            return ZONE_SEPARATOR.join(map(self._zone, value.split(ZONE_SEPARATOR)))
        if not value or (key in self._compared and _NUMBER.fullmatch(value)) or label_value_problems(value):
            return value
        return self._zone(value) if value in self._zones else self._values[value]

    def image(self, image: str) -> str:
        """The replacement of an image name; what makes it none, spaces around it or no repository, stays."""
        name = image.strip()
        if not name:
            return image
        before, _, after = image.partition(name)
        repository, tag = split_image(name)
        separator = name[len(repository) : len(name) - len(tag)]
        replaced = self._repositories[repository] if repository else ""
        return f"{before}{replaced}{separator}{self._tags.get(tag, tag)}{after}"

    def text(self, text: str) -> str:
        """The replacement of a text."""
        return self._texts.get(text, text)

    def handle(self, handle: str) -> str:
        """The replacement of what identifies a volume: zones in it are zones, and words of clouds stay."""
        parts = handle.split(_LIST_SEPARATOR)
        found = []
        for before, part in zip(["", *parts], parts, strict=False):
            name = _name_in(part)
            replaced = self._zone(name) if before in _ZONES_OF_HANDLES else self._texts.get(name, name)
            found.append(f"{part[: len(part) - len(name)]}{replaced}")
        return _LIST_SEPARATOR.join(found)

    def address(self, address: str) -> str:
        """The replacement of an address."""
        return self._addresses.get(address, address)

    def selector(self, expression: str) -> str:
        """The selector with replacements of what it compares with."""
        return with_texts(expression, self.device_text)

    def device_text(self, text: str) -> str:
        """The replacement of a text of a device."""
        return self._device_texts.get(text, text)

    def _counted_addresses(self, addresses: set[str]) -> dict[str, str]:
        """Addresses of a network for tests, in the order of the texts."""
        ordered = sorted(addresses - _EVERY_ADDRESS)
        found = {
            one: f"198.{18 + (i >> 16)}.{i >> 8 & 255}.{i & 255}" for i, one in enumerate(ordered, start=1)
        }
        self.originals |= {token: name for name, token in found.items()}
        return found

    def _zone(self, value: str) -> str:
        """A zone or region, part by part: a region is the first parts of its zones."""
        zone = value.strip()
        if label_value_problems(zone):
            return value
        node = self._plains.get(Sort.NODE, {}).get(zone)
        return node or "-".join(self._domains.get(part, part) for part in zone.split("-"))

    def _ranked(self, prefix: str, names: Iterable[str], end: str = "") -> dict[str, str]:
        """Replacements whose order is that of the names with this end."""
        ordered = sorted(set(names) - {""}, key=lambda name: name + end)
        width = max(_MIN_DIGITS, len(str(len(ordered))))
        ranked = {name: f"{prefix}{i:0{width}d}" for i, name in enumerate(ordered, start=1)}
        self.originals |= {token: name for name, token in ranked.items()}
        return ranked

    def _ranked_between(self, namespaces: set[str]) -> dict[str, str]:
        """Replacements in the order of the names, around those that are kept."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in namespaces - {*_NAMESPACES_AFTER, ""}:
            kept = [known for known in _NAMESPACES_AFTER if _list_key(known) < _list_key(name)]
            groups[_NAMESPACES_AFTER[kept[-1]] if kept else _FIRST_NAMESPACES].append(name)
        found: dict[str, str] = {}
        for prefix, names in groups.items():
            found |= self._ranked(prefix, names, _LIST_SEPARATOR)
        return found

    def _local_names(self, collected: Collected) -> dict[tuple[str, str], str]:
        count = sum(map(len, collected.locals.values()))
        width = max(_MIN_DIGITS, len(str(count)))
        found: dict[tuple[str, str], str] = {}
        first = 1
        for namespace in sorted(collected.locals, key=_list_key):
            names = sorted(collected.locals[namespace] - {""})
            derivations = {
                name: collected.derivations[namespace, name]
                for name in names
                if (namespace, name) in collected.derivations
            }
            tokens = ordered_tokens(names, derivations, first, width)
            first += len(names)
            self.originals |= {token: name for name, token in tokens.items()}
            found |= {(namespace, name): token for name, token in tokens.items()}
        return found


def _list_key(namespace: str) -> str:
    """What an API server's lists are ordered by comes first in the key of each object: `NAMESPACE/`."""
    return namespace + _LIST_SEPARATOR


def _name_in(part: str) -> str:
    """What is replaced of a part of what identifies a volume."""
    return part.removeprefix(_VOLUME_PREFIX)


def split_image(image: str) -> tuple[str, str]:
    """Return repository and tag or digest; a colon before the last slash belongs to a port."""
    repository, at, digest = image.partition("@")
    if at:
        return repository, digest
    if image.rfind(":") > image.rfind("/"):
        repository, _, tag = image.rpartition(":")
        return repository, tag
    return image, ""
