"""Fields that the API server drops from a new pod while their feature gate is off (spec 06 §6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedctl.admission.gates import AdmissionGates

Document = dict[str, Any]


def without_disabled(spec: Document, gates: AdmissionGates) -> Document:
    """The spec without fields whose gate is off; what it shares with the document as written stays as it is."""
    spec = _copied(spec)
    if not gates.hostname_override:
        spec.pop("hostnameOverride", None)
    if not gates.pod_groups:
        spec.pop("schedulingGroup", None)
        spec.pop("workloadRef", None)
    if not gates.dynamic_resources:
        spec.pop("resourceClaims", None)
    for constraint in _entries(spec, "topologySpreadConstraints"):
        if not gates.spread_label_keys:
            constraint.pop("matchLabelKeys", None)
    if not gates.image_volumes:
        _drop_image_volumes(spec)
    for source in _entries(spec, "volumes", "projected", "sources"):
        if not gates.cluster_trust_bundles:
            source.pop("clusterTrustBundle", None)
        if not gates.pod_certificates:
            source.pop("podCertificate", None)
    if not gates.container_restart_rules:
        _drop_restart_policies(spec)
    if not gates.bind_mount_options:
        for mount in _entries(list(_containers(spec)), "volumeMounts"):
            mount.pop("bindMountOptions", None)
    for container in _containers(spec):
        _drop_from_container(container, gates)
    return spec


def dropped_fields(spec: Document, gates: AdmissionGates) -> list[str]:
    """Paths of fields that the API server drops while their gate is off, or that its version does not know."""
    found = list(_missing(spec, without_disabled(spec, gates), "spec"))
    other = "schedulingGroup" if gates.facts.group_is_a_label else "workloadRef"
    if gates.pod_groups and spec.get(other) is not None:
        found.append(f"spec.{other}")
    return found


def _missing(before: Any, after: Any, path: str) -> Iterator[str]:
    """Paths of what is only in the first of two values."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name not in after:
                yield f"{path}.{name}"
            else:
                yield from _missing(value, after[name], f"{path}.{name}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield path
            return
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _missing(old, new, f"{path}[{i}]")


def _copied(value: Any) -> Any:
    """A copy of JSON-like data down to its scalars."""
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list | tuple) else value


def _containers(spec: Document) -> Iterator[Document]:
    for name in ("initContainers", "containers", "ephemeralContainers"):
        yield from _entries(spec, name)


def _entries(owner: Any, *path: str) -> Iterator[Document]:
    """The mappings at the end of a path; lists on the way are walked through."""
    if isinstance(owner, list):
        for entry in owner:
            yield from _entries(entry, *path)
    elif isinstance(owner, dict):
        if path:
            yield from _entries(owner.get(path[0]), *path[1:])
        else:
            yield owner


def _drop_image_volumes(spec: Document) -> None:
    volumes = list(_entries(spec, "volumes"))
    names = {volume.get("name") for volume in volumes if volume.get("image") is not None}
    spec["volumes"] = [volume for volume in volumes if volume.get("image") is None]
    for container in _containers(spec):
        mounts = _entries(container, "volumeMounts")
        container["volumeMounts"] = [mount for mount in mounts if mount.get("name") not in names]


def _drop_restart_policies(spec: Document) -> None:
    for container in _containers(spec):
        container.pop("restartPolicyRules", None)
    for name in ("containers", "ephemeralContainers"):
        for container in _entries(spec, name):
            container.pop("restartPolicy", None)
    for container in _entries(spec, "initContainers"):
        if container.get("restartPolicy") != "Always":
            container.pop("restartPolicy", None)


def _drop_from_container(container: Document, gates: AdmissionGates) -> None:
    if not gates.env_files:
        for source in _entries(container, "env", "valueFrom"):
            source.pop("fileKeyRef", None)
    if not gates.dynamic_resources:
        for resources in _entries(container, "resources"):
            resources.pop("claims", None)
    if not gates.stop_signals:
        lifecycle = container.get("lifecycle")
        if isinstance(lifecycle, dict) and lifecycle.pop("stopSignal", None) is not None and not lifecycle:
            del container["lifecycle"]
