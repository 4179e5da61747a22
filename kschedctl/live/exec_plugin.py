"""Credential plugins: programs that a kubeconfig names and that print a token or a certificate.

They are run as kubectl runs them. Unlike the Kubernetes client we end where one fails, and do not wait for ever.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
from collections.abc import Mapping
from typing import Any, Final

from kschedctl.errors import ClusterError
from kschedctl.sources.foreign_json import json_value

_CLUSTER_FIELDS: Final = (
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
)
_EXTENSION: Final = "client.authentication.k8s.io/exec"


def credentials_of(
    settings: Mapping[str, Any],
    cluster: Mapping[str, Any],
    directory: str,
    seconds: float,
    *,
    interactive: bool = False,
) -> dict[str, str]:
    """Run a plugin and return what stands for it in the user entry of a kubeconfig.

    Args:
        settings: `exec` of the user.
        cluster: the cluster entry.
        directory: of the kubeconfig, where relative commands are found.
        seconds: limit for the plugin.
        interactive: whether it may ask somebody to log in, on stderr and stdin.

    Raises:
        ClusterError: it cannot be run, fails, hangs, or prints no credentials.
    """
    plugin = _Plugin(settings, cluster, directory, interactive)
    output = plugin.run(seconds)
    try:
        found = json_value(output)
        if found["apiVersion"] != settings["apiVersion"]:
            raise ValueError(f"apiVersion {found['apiVersion']} is not {settings['apiVersion']}")
        return _user_entry(found["status"])
    except KeyError as error:
        raise plugin.error(f"prints no credentials: there is no {error.args[0]}") from None
    except (ValueError, TypeError) as error:
        raise plugin.error(f"prints no credentials: {error}") from None


def _user_entry(status: Mapping[str, Any]) -> dict[str, str]:
    if status.get("token"):
        return {"token": str(status["token"])}
    if "clientCertificateData" not in status:
        raise KeyError("token")
    certificate, key = (str(status[name]).encode() for name in ("clientCertificateData", "clientKeyData"))
    return {
        "client-certificate-data": base64.b64encode(certificate).decode(),
        "client-key-data": base64.b64encode(key).decode(),
    }


class _Plugin:
    """A plugin that can be run; the arguments are those of `credentials_of`."""

    def __init__(
        self, settings: Mapping[str, Any], cluster: Mapping[str, Any], directory: str, interactive: bool
    ) -> None:
        import kubernetes

        config: Any = kubernetes.config
        node = config.kube_config.ConfigNode("exec", settings)
        provider = config.exec_provider.ExecProvider(node, directory)
        self._settings = settings
        self._cluster = cluster
        self._directory = directory
        self._command: list[str] = provider.args
        self._environment: dict[str, str] = provider.env
        self._interactive = interactive and settings.get("interactiveMode") != "Never"

    def error(self, text: str) -> ClusterError:
        """What is wrong with the plugin."""
        hint = str(self._settings.get("installHint") or "").strip()
        return ClusterError(
            f"the credential plugin `{' '.join(self._command)}` {text}",
            hint=hint or "run it by hand; `kubectl get nodes` must work first",
        )

    def run(self, seconds: float) -> str:
        """Run it and return what it prints."""
        try:
            process = subprocess.Popen(
                self._command,
                stdin=None if self._interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if self._interactive else subprocess.PIPE,
                cwd=self._directory,
                env={**self._environment, "KUBERNETES_EXEC_INFO": json.dumps(self._info())},
                text=True,
                errors="replace",
                start_new_session=not self._interactive,
            )
        except OSError as error:
            raise self.error(f"cannot be run: {error.strerror}") from None
        with process:
            try:
                output, said = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                self._kill(process)
                raise self.error(f"does not end within {seconds:g} s") from None
            except BaseException:
                self._kill(process)
                raise
        if process.returncode:
            words = (said or "").strip()
            raise self.error(f"ends with exit code {process.returncode}" + (f": {words}" if words else ""))
        return output

    def _info(self) -> dict[str, Any]:
        """What it is told of us and, if it wants to know, of the cluster."""
        spec: dict[str, Any] = {"interactive": self._interactive}
        if self._settings.get("provideClusterInfo"):
            spec["cluster"] = {key: self._cluster[key] for key in _CLUSTER_FIELDS if key in self._cluster}
            for extension in self._cluster.get("extensions") or ():
                if extension["name"] == _EXTENSION:
                    spec["cluster"]["config"] = extension["extension"]
        return {"apiVersion": self._settings["apiVersion"], "kind": "ExecCredential", "spec": spec}

    def _kill(self, process: subprocess.Popen[str]) -> None:
        """Kill it, with what it has started where that is a group of its own."""
        if self._interactive:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
