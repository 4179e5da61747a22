"""Parts that pods have in common become one object: replicas differ in little more than their names and nodes."""

from __future__ import annotations

from operator import attrgetter
from sys import intern
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from kschedctl.objects.pod import Pod

_SPEC: Final = ("containers", "init_containers", "affinity", "tolerations", "topology_spread_constraints")
_METADATA: Final = ("labels", "owner_references")
_STATUS: Final = ("conditions", "container_statuses")
_MOST: Final = 1 << 14
"""So many sets of parts are known at a time; where nearly each pod has its own there is nothing to share."""


class SharedParts:
    """The parts of the pods that were read lately, by what they say."""

    def __init__(self) -> None:
        self._spec, self._metadata, self._status = _Known(_SPEC), _Known(_METADATA), _Known(_STATUS)

    def share(self, pod: Pod) -> None:
        """Put the parts that an earlier pod has as well in place of the pod's own; it says the same as before."""
        spec, metadata, status = pod.spec, pod.metadata, pod.status
        self._spec.share(spec)
        self._metadata.share(metadata)
        self._status.share(status)
        force_setattr(spec, "node_name", intern(spec.node_name))
        force_setattr(metadata, "namespace", intern(metadata.namespace))
        force_setattr(status, "phase", intern(status.phase))


class _Known:
    """Values of some fields of a struct that are mostly equal together."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._values = attrgetter(*names)
        self._encode = msgspec.msgpack.Encoder().encode
        self._known: dict[bytes, tuple[Any, ...]] = {}

    def share(self, owner: Struct) -> None:
        own = self._values(owner)
        key = self._encode(own)
        known = self._known.get(key)
        if known is not None:
            for name, value in zip(self._names, known, strict=True):
                if value:
                    force_setattr(owner, name, value)
        else:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = own
