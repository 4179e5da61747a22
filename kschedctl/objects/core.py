"""Namespaces, services, limit ranges, priority classes, runtime classes and disruption budgets."""

from __future__ import annotations

from kschedctl.objects.constraints import Toleration
from kschedctl.objects.int_or_percent import IntOrPercent
from kschedctl.objects.meta import Int32, KubeObject, LabelSelector, ResourceList, TopLevel


class Namespace(TopLevel, frozen=True):
    """A namespace; only its labels matter."""


class ServiceSpec(KubeObject, frozen=True):
    """`spec` of a service."""

    selector: dict[str, str] | None = None


class Service(TopLevel, frozen=True):
    """A service; its selector gives default spread constraints a selector."""

    spec: ServiceSpec = ServiceSpec()


class LimitRangeItem(KubeObject, frozen=True):
    """One entry of `spec.limits`."""

    type: str = ""
    max: ResourceList = {}
    min: ResourceList = {}
    default: ResourceList = {}
    default_request: ResourceList = {}


class LimitRangeSpec(KubeObject, frozen=True):
    """`spec` of a limit range."""

    limits: tuple[LimitRangeItem, ...] = ()


class LimitRange(TopLevel, frozen=True):
    """Default requests and limits of a namespace."""

    spec: LimitRangeSpec = LimitRangeSpec()


class ResourceQuotaSpec(KubeObject, frozen=True):
    """`spec` of a quota; one with scopes counts some of the pods alone."""

    hard: ResourceList = {}
    scopes: tuple[str, ...] = ()
    scope_selector: dict[str, object] = {}


class ResourceQuotaStatus(KubeObject, frozen=True):
    """`status` of a quota."""

    used: ResourceList = {}


class ResourceQuota(TopLevel, frozen=True):
    """How much the pods of a namespace may ask for together."""

    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class PriorityClass(TopLevel, frozen=True):
    """A named priority."""

    value: Int32 = 0
    global_default: bool = False
    preemption_policy: str | None = None


class Overhead(KubeObject, frozen=True):
    """What a runtime adds to each pod."""

    pod_fixed: ResourceList = {}


class RuntimeClassScheduling(KubeObject, frozen=True):
    """Where pods of a runtime may run."""

    node_selector: dict[str, str] = {}
    tolerations: tuple[Toleration, ...] = ()


class RuntimeClass(TopLevel, frozen=True):
    """A container runtime."""

    overhead: Overhead | None = None
    scheduling: RuntimeClassScheduling | None = None


class PodDisruptionBudgetSpec(KubeObject, frozen=True):
    """`spec` of a disruption budget."""

    selector: LabelSelector | None = None
    min_available: IntOrPercent | None = None
    max_unavailable: IntOrPercent | None = None
    unhealthy_pod_eviction_policy: str = ""


class PodDisruptionBudgetStatus(KubeObject, frozen=True):
    """`status` of a disruption budget."""

    disruptions_allowed: Int32 = 0
    disrupted_pods: dict[str, str] = {}
    current_healthy: Int32 = 0
    desired_healthy: Int32 = 0
    expected_pods: Int32 = 0


class PodDisruptionBudget(TopLevel, frozen=True):
    """How many of some pods may be disrupted at once."""

    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
