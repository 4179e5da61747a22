"""Small clusters to try plugins on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.versions import DEFAULT, Version, feature_gates, version_of
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.plugins.outside import enabling
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.session import Session

Data = dict[str, Any]


def node(
    name: str, *, labels: Mapping[str, str] | None = None, taints: Sequence[Data] = (), **allocatable: str
) -> Data:
    """A node of 4 cpu, 8Gi of memory and room for 110 pods, unless told otherwise."""
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"} | allocatable
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOSTNAME: name} | dict(labels or {})},
        "spec": {"taints": list(taints)},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def pod(
    name: str,
    *,
    on: str = "",
    labels: Mapping[str, str] | None = None,
    namespace: str = "default",
    requests: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    **spec: Any,
) -> Data:
    """A pod, on a node or not; other fields of its spec go by their own names."""
    resources = {"requests": dict(requests or {}), "limits": dict(limits or {})}
    container = {"name": "main", "image": "app", "resources": resources}
    where = {"nodeName": on} if on else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels or {})},
        "spec": {"containers": [container]} | where | spec,
    }


SAMPLE: Final[tuple[Data, ...]] = (
    node("a", labels={"zone": "1"}),
    node("b", labels={"zone": "1", "disk": "ssd"}, taints=[{"key": "gpu", "effect": "PreferNoSchedule"}]),
    node("c", labels={"zone": "2"}, cpu="2"),
    node("d", labels={"zone": "2", "disk": "ssd"}, memory="2Gi"),
    node("e"),
    pod("p1", on="a", labels={"app": "web"}, requests={"cpu": "1", "memory": "1Gi"}, priority=1),
    pod("p2", on="a", labels={"app": "db"}, requests={"cpu": "2"}, priority=5),
    pod("p3", on="c", labels={"app": "web"}, requests={"cpu": "1500m"}),
    pod("p4", on="d", labels={"app": "web"}, requests={"memory": "1Gi"}, namespace="other"),
    pod("w1", labels={"app": "web"}, requests={"cpu": "1"}, priority=3),
)
"""The cluster that plugins are checked on, unless another one is given."""
CANDIDATES: Final[tuple[Data, ...]] = (
    pod("plain"),
    pod("small", labels={"app": "web"}, requests={"cpu": "500m", "memory": "128Mi"}, priority=10),
    pod("large", labels={"app": "db"}, requests={"cpu": "3", "memory": "6Gi"}, namespace="other"),
)
"""The pods that plugins are asked about, unless others are given."""


def session_with(
    plugins: Sequence[type[AnyPlugin]],
    objects: Iterable[Data],
    args: Mapping[str, Mapping[str, Any] | None],
    version: str | None,
) -> Session:
    """A cluster whose scheduler has plugins beside the default ones.

    Args:
        plugins: enabled at all their points.
        objects: the cluster, as manifests.
        args: plugin -> its arguments; None: its defaults.
        version: of kube-scheduler; None: the newest.
    """
    known: Version = DEFAULT if version is None else version_of(version)
    data = enabling(plugins)
    data["profiles"][0]["pluginConfig"] = [
        {"name": name, "args": dict(given)} for name, given in args.items() if given is not None
    ]
    registry = IN_TREE.with_plugins(*plugins)
    configuration = load_configuration(data, known, feature_gates(known, {}), registry)
    options = SchedulingOptions(every_failure=True, score_single=True)
    return Session([_made(one) for one in objects], configuration, options)


def _made(data: Data) -> TopLevel:
    return msgspec.convert(data, BY_GVK[data["apiVersion"], data["kind"]].type)


def entered(session: Session, data: Data) -> PodRecord:
    """A pod that is about to be scheduled.

    Raises:
        ValueError: the API server would refuse it.
    """
    candidate = _made(data)
    assert isinstance(candidate, Pod)
    record = session.enter(candidate)
    if isinstance(record, Invalid):
        raise ValueError(f"the pod is not valid: {record}")
    return record
