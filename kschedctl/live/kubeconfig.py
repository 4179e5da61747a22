"""A kubeconfig, as the Kubernetes client reads it: server, certificates and credentials.

Two things are not left to the client: it goes on without credentials, as nobody, where it cannot get any, and logs
why; and it waits for credential plugins as long as they like (see `exec_plugin`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from kschedctl.errors import ClusterError
from kschedctl.live.exec_plugin import credentials_of

NO_CLUSTER = "name a cluster with --kubeconfig FILE or --context NAME"


def load_configuration(
    configuration: Any, kubeconfig: str | None, context: str | None, seconds: float, *, interactive: bool
) -> str:
    """Fill a Configuration of the client and return the name of the context, "" in a pod.

    Args:
        configuration: to be filled.
        kubeconfig: file; None: what KUBECONFIG names, else `~/.kube/config`, else the service account of the pod.
        context: name of the context; None: the current one.
        seconds: limit for a credential plugin.
        interactive: whether the plugin may ask somebody to log in.

    Raises:
        ClusterError: there is no such file or context, it cannot be used, or there are no credentials to be had.
    """
    from kubernetes.config import KUBE_CONFIG_DEFAULT_LOCATION, ConfigException
    from yaml import YAMLError

    if kubeconfig is not None and not os.path.isfile(os.path.expanduser(kubeconfig)):
        raise ClusterError(f"{kubeconfig}: there is no such kubeconfig", hint=NO_CLUSTER)
    paths = str(KUBE_CONFIG_DEFAULT_LOCATION) if kubeconfig is None else kubeconfig
    if not any(os.path.exists(os.path.expanduser(path)) for path in paths.split(os.pathsep) if path):
        _load_service_account(configuration, context)
        return ""
    try:
        run_plugin = partial(credentials_of, seconds=seconds, interactive=interactive)
        return _load(configuration, paths, context, run_plugin)
    except ClusterError:
        raise
    except ConfigException as error:
        raise ClusterError(str(error), hint=NO_CLUSTER) from None
    except (YAMLError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ClusterError(f"the kubeconfig cannot be used: {error}", hint=NO_CLUSTER) from None
    except Exception as error:  # auth providers raise what the libraries below them raise
        raise _no_credentials(f"{type(error).__name__}: {error}") from error


def _no_credentials(reason: str) -> ClusterError:
    return ClusterError(f"there are no credentials to be had: {reason}", hint="log in again")


def _load_service_account(configuration: Any, context: str | None) -> None:
    import kubernetes

    config: Any = kubernetes.config
    if context is not None:
        raise ClusterError(f"there is no kubeconfig in which {context} is looked for", hint=NO_CLUSTER)
    try:
        config.load_incluster_config(client_configuration=configuration)
    except config.ConfigException:
        raise ClusterError(
            "there is no kubeconfig, and this is not run in a cluster", hint=NO_CLUSTER
        ) from None


def _load(
    configuration: Any, paths: str, context: str | None, run_plugin: Callable[..., dict[str, str]]
) -> str:
    import kubernetes

    client: Any = kubernetes.config
    config = client.kube_config.KubeConfigMerger(paths).config
    names = sorted(entry["name"] for entry in config["contexts"].value)
    if context is not None and context not in names:
        raise ClusterError(f"there is no context {context}", hint=f"the kubeconfig has {', '.join(names)}")
    name = str(context or config["current-context"])
    _replace_plugin(config, name, run_plugin)
    with _errors_raised():
        client.load_kube_config_from_dict(config, name, configuration, persist_config=False)
    return name


def _replace_plugin(config: Any, name: str, run_plugin: Callable[..., dict[str, str]]) -> None:
    """Put what a credential plugin says in the place of the plugin."""
    context = config["contexts"].get_with_name(name)["context"]
    if not context.safe_get("user") or not config.safe_get("users"):
        return
    found = config["users"].get_with_name(context["user"], safe=True)
    user = found.value.get("user") if found else None
    if not user or not user.get("exec") or user.get("token") or user.get("tokenFile"):
        return
    cluster = config["clusters"].get_with_name(context["cluster"])["cluster"].value
    settings = user.pop("exec")
    user.update(run_plugin(settings, cluster, os.path.dirname(os.path.abspath(found.path))))


@contextmanager
def _errors_raised() -> Iterator[None]:
    """Raise what the client would only log: that it has no credentials."""
    records = _Records()
    root = logging.getLogger()
    root.addHandler(records)
    try:
        yield
    finally:
        root.removeHandler(records)
    if records.texts:
        raise _no_credentials(records.texts[0])


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
