"""Containers: what they ask for, and the ports that they have."""

from __future__ import annotations

from msgspec import field

from kschedctl.objects.meta import Int32, KubeObject, ResourceList


class ContainerPort(KubeObject, frozen=True):
    """A port of a container."""

    name: str = ""
    container_port: Int32 = 0
    host_port: Int32 = 0
    host_ip: str = field(default="", name="hostIP")
    protocol: str = ""


class ContainerResourceClaim(KubeObject, frozen=True):
    """A reference from a container to an entry of `spec.resourceClaims`."""

    name: str = ""
    request: str = ""


class ResourceRequirements(KubeObject, frozen=True):
    """Requests and limits."""

    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: tuple[ContainerResourceClaim, ...] = ()


class ContainerRestartRule(KubeObject, frozen=True):
    """One entry of `restartPolicyRules`."""

    action: str = ""


class VolumeMount(KubeObject, frozen=True):
    """What is read of a volume in a container."""

    bind_mount_options: tuple[str, ...] = ()


class Container(KubeObject, frozen=True):
    """A container or an init container."""

    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str | None = None
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()

    @property
    def is_sidecar(self) -> bool:
        """Whether an init container keeps running: `restartPolicy: Always`."""
        return self.restart_policy == "Always"
