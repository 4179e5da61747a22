"""KubeSchedulerConfiguration v1 as it is written in a file (spec 01 §1.1, §1.2, §1.6)."""

from __future__ import annotations

from typing import Any

from msgspec import field

from kschedctl.framework.configuration.base import API_VERSION, KIND, ConfigObject
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.objects.meta import Int32, Int64


class PluginRef(ConfigObject, frozen=True):
    """A plugin in a list; weight 0 means that none is given."""

    name: str = ""
    weight: Int32 = 0


class PluginSet(ConfigObject, frozen=True):
    """What is enabled and disabled at one extension point; `*` disables everything."""

    enabled: tuple[PluginRef, ...] = ()
    disabled: tuple[PluginRef, ...] = ()


class Plugins(ConfigObject, frozen=True):
    """The plugin sets of a profile."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()
    pod_group_post_filter: PluginSet = PluginSet()

    def at(self, point: ExtensionPoint) -> PluginSet:
        """The set of one extension point."""
        found: PluginSet = getattr(self, point.name.lower())
        return found


class PluginConfig(ConfigObject, frozen=True):
    """The arguments of a plugin, untyped as yet."""

    name: str = ""
    args: Any = None


class KubeSchedulerProfile(ConfigObject, frozen=True):
    """A profile as written."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()


class ManagedResource(ConfigObject, frozen=True):
    """An extended resource that an extender looks after."""

    name: str = ""
    ignored_by_scheduler: bool = False


class TlsConfig(ConfigObject, frozen=True):
    """How to reach an extender over TLS."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: str = ""
    key_data: str = ""
    ca_data: str = ""


class Extender(ConfigObject, frozen=True):
    """An HTTP extender."""

    url_prefix: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: Int64 = 0
    bind_verb: str = ""
    enable_https: bool = field(default=False, name="enableHTTPS")
    tls_config: TlsConfig | None = None
    http_timeout: Duration = Duration(0)
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


class LeaderElection(ConfigObject, frozen=True):
    """Leader election; it never touches a decision, but a bad one keeps kube-scheduler from starting."""

    leader_elect: bool = True
    lease_duration: Duration = Duration(0)
    renew_deadline: Duration = Duration(0)
    retry_period: Duration = Duration(0)
    resource_lock: str = ""
    resource_name: str = ""
    resource_namespace: str = ""


class ClientConnection(ConfigObject, frozen=True):
    """How kube-scheduler talks to the API server; it never touches a decision."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    qps: float = 0.0
    burst: Int32 = 0


class KubeSchedulerConfiguration(ConfigObject, frozen=True):
    """The whole file."""

    api_version: str = API_VERSION
    kind: str = KIND
    parallelism: Int32 = 16
    leader_election: LeaderElection = LeaderElection()
    client_connection: ClientConnection = ClientConnection()
    enable_profiling: bool = True
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 = 0
    pod_initial_backoff_seconds: Int64 = 1
    pod_max_backoff_seconds: Int64 = 10
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[Extender, ...] = ()
    delay_cache_until_active: bool = False
