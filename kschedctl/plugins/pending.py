"""Plugins that are known to profiles but not evaluated yet: a pod that needs one gets an honest error."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.errors import UnsupportedError
from kschedctl.framework.plugin import Plugin, PreFilterResult


class PendingPlugin(Plugin):
    """Answers only for pods on which the plugin would certainly have no say."""

    def needs(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """What in the pod or the cluster would call for the plugin, None where nothing does."""
        raise NotImplementedError

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult:
        """Skip, or refuse to guess.

        Raises:
            UnsupportedError: the answer would need this plugin.
        """
        if (what := self.needs(pod, cluster)) is not None:
            raise UnsupportedError(
                f"{pod.full_name} has {what}, which needs plugin {self.name}; it is not evaluated yet",
                hint="no answer is given rather than a wrong one",
            )
        return PreFilterResult(skip=True)


class _Volumes(PendingPlugin):
    def needs(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        for volume in pod.pod.spec.volumes:
            if volume.persistent_volume_claim or volume.ephemeral or volume.csi:
                return f"volume {volume.name}"
        return None


class VolumeRestrictions(_Volumes):
    """Not evaluated yet."""

    name = "VolumeRestrictions"


class NodeVolumeLimits(_Volumes):
    """Not evaluated yet."""

    name = "NodeVolumeLimits"


class VolumeBinding(_Volumes):
    """Not evaluated yet."""

    name = "VolumeBinding"


class VolumeZone(_Volumes):
    """Not evaluated yet."""

    name = "VolumeZone"
