"""Changes from outside as they are written in files: create, update, patch or delete an object (spec 08 §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kschedctl.admission.chain import Admission
from kschedctl.errors import InputError, UnsupportedError
from kschedctl.objects.kinds import BY_GVK, KINDS
from kschedctl.objects.merge_patch import merge_patch
from kschedctl.objects.meta import TopLevel
from kschedctl.run.api_server import ApiServer
from kschedctl.run.entries import create, delete, find, write
from kschedctl.sources.quantities import QuantityCheck, quantity_message

ACTIONS: Final = ("create", "update", "patch", "delete")


def carry_out(item: Mapping[str, Any], api: ApiServer, admission: Admission) -> None:
    """Do what an entry says: `create` or `update` an object, `patch` one by a JSON merge patch, or `delete` it.

    What is not there is neither updated nor patched nor deleted.

    Raises:
        UnsupportedError: the object is of a kind that scheduling does not read.
        InputError: the object that is made is none of its kind.
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
        delete(api, *meant(item["delete"]), grace=item.get("grace"))


def decoded(data: Mapping[str, Any]) -> TopLevel:
    """The object that data stand for.

    Raises:
        UnsupportedError: it is of a kind that scheduling does not read.
        InputError: a field is of another type, or a quantity cannot be read.
    """
    kind = BY_GVK.get((data.get("apiVersion", ""), data.get("kind", "")))
    if kind is None:
        raise UnsupportedError(
            f"{data.get('apiVersion')} {data.get('kind')} is not a kind that scheduling reads"
        )
    return _typed(data, kind.type)


def _typed(data: Any, kind: type[TopLevel]) -> TopLevel:
    try:
        found: TopLevel = msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from error
    for path, raw in QuantityCheck().bad(found):
        raise InputError(quantity_message(path, raw))
    return found


def meant(reference: Mapping[str, Any]) -> tuple[type[TopLevel], str, str]:
    """Type, name and namespace of the object that is meant.

    Raises:
        UnsupportedError: it is of a kind that scheduling does not read.
    """
    kind = next((known.type for known in KINDS if known.kind == reference["kind"]), None)
    if kind is None:
        raise UnsupportedError(f"{reference['kind']} is not a kind that scheduling reads")
    return kind, reference["name"], reference.get("namespace") or "default"


def _patch(patch: Mapping[str, Any], api: ApiServer, admission: Admission) -> None:
    kind, name, namespace = meant(patch)
    old = find(api, kind, name, namespace)
    if old is not None:
        merged = merge_patch(msgspec.to_builtins(old), patch["merge"])
        try:
            new = _typed(merged, kind)
        except InputError as error:
            raise InputError(f"patch of {old.kind} {old.name}: {error.message}") from error
        write(api, new, admission)
