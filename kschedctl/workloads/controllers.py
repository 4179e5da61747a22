"""What becomes of a pod that leaves its node, by who made it."""

from __future__ import annotations

from typing import Final

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.pod import Pod

MIRROR_ANNOTATION: Final = "kubernetes.io/config.mirror"


def is_static(pod: Pod | AdmittedPod) -> bool:
    """Whether the kubelet runs the pod from a file of its own: the API knows only its mirror image."""
    owner = pod.metadata.controller
    return MIRROR_ANNOTATION in pod.metadata.annotations or (owner is not None and owner.kind == "Node")


def is_daemon(pod: Pod | AdmittedPod) -> bool:
    """Whether a daemon set controls the pod."""
    owner = pod.metadata.controller
    return owner is not None and owner.kind == "DaemonSet"


def is_recreated(pod: Pod | AdmittedPod) -> bool:
    """Whether a controller makes the pod anew elsewhere when it is gone."""
    return pod.metadata.controller is not None and not is_daemon(pod) and not is_static(pod)
