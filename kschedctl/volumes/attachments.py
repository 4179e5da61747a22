"""What a pod attaches to its node: unique CSI volumes by driver (spec 04 §2.4, §2.5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from kschedctl.objects.pod_volumes import Volume
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import ClaimUse, PodWithVolumes, claim_uses, class_of_claim, is_owned_by, key_of
from kschedctl.volumes.in_tree import PLUGIN_OF_PROVISIONER, TranslationError, handle_of, plugin_of

_UNBOUND_PREFIX: Final = "unbound-0123456789abcdefghijklmn"
"""Stands for the random text of 32 letters that the real scheduler draws once."""


class MissingClaimError(LookupError):
    """A claim of the pod does not exist; the message is upstream's."""


class AttachmentError(ValueError):
    """What a pod attaches cannot be told; the message is upstream's."""


def may_attach(pod: PodWithVolumes) -> bool:
    """Whether some volume of the pod could count against a limit."""
    return any(
        v.persistent_volume_claim is not None or v.ephemeral is not None or plugin_of(v) is not None
        for v in pod.spec.volumes
    )


def attachments_of(
    pod: PodWithVolumes, catalog: StorageCatalog, counted: Collection[str], *, strict: bool
) -> Mapping[str, str]:
    """The volumes that a pod attaches: unique name `driver/handle` -> driver.

    Args:
        pod: the pod.
        catalog: storage objects. What is only assumed plays no part: an unbound claim counts for its class.
        counted: names of the in-tree plugins whose volumes count for their CSI driver on the node in question.
        strict: whether a missing claim is an error (the pod to be placed) or ignored (pods on nodes).

    Raises:
        MissingClaimError: `strict`, and a claim is missing.
        AttachmentError: a claim belongs to another pod, or an inline volume cannot be translated.
    """
    uses = {use.volume: use for use in claim_uses(pod)}
    found: dict[str, str] = {}
    for volume in pod.spec.volumes:
        use = uses.get(volume.name)
        if use is not None:
            claim = _usable_claim(use, pod, catalog, strict=strict)
            attached = None if claim is None else _of_claim(claim, catalog, counted)
        else:
            attached = _of_inline(volume, counted)
        if attached is not None:
            driver, handle = attached
            found[f"{driver}/{handle}"] = driver
    return found


def _usable_claim(
    use: ClaimUse, pod: PodWithVolumes, catalog: StorageCatalog, *, strict: bool
) -> PersistentVolumeClaim | None:
    if not use.key.name:
        raise AttachmentError("PersistentVolumeClaim had no name")
    claim = catalog.claims.get(use.key)
    if claim is None:
        if strict:
            raise MissingClaimError(
                f'looking up PVC {use.key}: persistentvolumeclaim "{use.key.name}" not found'
            )
        return None
    if use.ephemeral and not is_owned_by(claim, pod):
        raise AttachmentError(
            f"PVC {use.key} was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"
        )
    return claim


def _of_claim(
    claim: PersistentVolumeClaim, catalog: StorageCatalog, counted: Collection[str]
) -> tuple[str, str] | None:
    """Driver and handle of a claim: those of its volume, else its class's driver and a handle of its own."""
    volume = catalog.volumes.get(claim.spec.volume_name) if claim.spec.volume_name else None
    if volume is not None:
        return _of_volume(volume, counted)
    storage_class = catalog.classes.get(class_of_claim(claim))
    if storage_class is None:
        return None
    driver = storage_class.provisioner
    plugin = PLUGIN_OF_PROVISIONER.get(driver)
    if plugin is not None:
        if plugin.name not in counted:
            return None
        driver = plugin.driver
    return driver, f"{_UNBOUND_PREFIX}-{key_of(claim)}"


def _of_volume(volume: PersistentVolume, counted: Collection[str]) -> tuple[str, str] | None:
    csi = volume.spec.csi
    if csi is not None:
        return (csi.driver, csi.volume_handle) if csi.driver and csi.volume_handle else None
    plugin = plugin_of(volume.spec)
    if plugin is None or plugin.name not in counted:
        return None
    try:
        handle = handle_of(plugin, volume.spec, volume.metadata.labels)
    except TranslationError:
        return None
    return (plugin.driver, handle) if handle else None


def _of_inline(volume: Volume, counted: Collection[str]) -> tuple[str, str] | None:
    plugin = plugin_of(volume)
    if plugin is None or plugin.name not in counted:
        return None
    try:
        return plugin.driver, handle_of(plugin, volume, {})
    except TranslationError as error:
        raise AttachmentError(f"converting volume({volume.name}) from inline to csi: {error}") from error
