"""Changes from outside as they are written in files: create, update, patch or delete an object (spec 08 §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kschedctl.admission.chain import Admission
from kschedctl.errors import UnsupportedError
from kschedctl.objects.kinds import BY_GVK, KINDS
from kschedctl.objects.merge_patch import merge_patch
from kschedctl.objects.meta import TopLevel
from kschedctl.run.api_server import ApiServer
from kschedctl.run.entries import create, delete, find, write

ACTIONS: Final = ("create", "update", "patch", "delete")


def carry_out(item: Mapping[str, Any], api: ApiServer, admission: Admission) -> None:
    """Do what an entry says: `create` or `update` an object, `patch` one by a JSON merge patch, or `delete` it.

    What is not there is neither updated nor patched nor deleted.

    Raises:
        UnsupportedError: the object is of a kind that scheduling does not read.
    """
    if "create" in item:
        create(api, decoded(item["create"]), admission)
    elif "update" in item:
        new = decoded(item["update"])
        if find(api, type(new), new.name, new.namespace) is not None:
            write(api, new, admission)
    elif "patch" in item:
        _patch(item["patch"], api, admission)
    elif "delete" in item:
        delete(api, *_meant(item["delete"]), grace=item.get("grace"))


def decoded(data: Mapping[str, Any]) -> TopLevel:
    """The object that data stand for.

    Raises:
        UnsupportedError: it is of a kind that scheduling does not read.
        msgspec.ValidationError: a field is of another type.
    """
    kind = BY_GVK.get((data.get("apiVersion", ""), data.get("kind", "")))
    if kind is None:
        raise UnsupportedError(
            f"{data.get('apiVersion')} {data.get('kind')} is not a kind that scheduling reads"
        )
    found: TopLevel = msgspec.convert(data, kind.type)
    return found


def _meant(reference: Mapping[str, Any]) -> tuple[type[TopLevel], str, str]:
    """Type, name and namespace of the object that is meant."""
    kind = next((known.type for known in KINDS if known.kind == reference["kind"]), None)
    if kind is None:
        raise UnsupportedError(f"{reference['kind']} is not a kind that scheduling reads")
    return kind, reference["name"], reference.get("namespace") or "default"


def _patch(patch: Mapping[str, Any], api: ApiServer, admission: Admission) -> None:
    kind, name, namespace = _meant(patch)
    old = find(api, kind, name, namespace)
    if old is not None:
        merged = merge_patch(msgspec.to_builtins(old), patch["merge"])
        write(api, msgspec.convert(merged, kind), admission)
