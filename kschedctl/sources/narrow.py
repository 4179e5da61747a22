"""Whether plain objects look as if `-A` had been left out: then the nodes seem to have more room than they have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.sources.snapshot import NAMESPACE_ONLY, Note

_SYSTEM: Final = "kube-system"
"""Every cluster that runs has pods there."""


def narrow_note(objects: Iterable[TopLevel]) -> Note | None:
    """That pods which an API server has returned are all of one namespace, None where they are not.

    What people write themselves has no resourceVersion, and may well be a whole cluster.
    """
    namespaces = set()
    for obj in objects:
        if isinstance(obj, Pod):
            namespaces.add(obj.namespace)
            if len(namespaces) > 1 or obj.namespace == _SYSTEM or not obj.metadata.resource_version:
                return None
    if not namespaces:
        return None
    text = (
        f"all pods are of namespace {namespaces.pop()}: kubectl leaves those of others out without -A, and what "
        "they have on the nodes is not seen"
    )
    return Note(code=NAMESPACE_ONLY, text=text)
