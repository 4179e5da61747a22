"""Connections as the Kubernetes client makes them, and what is said where none can be made."""

import json
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import kschedctl.live
from kschedctl.errors import ClusterError
from kschedctl.live import TakeOptions, connect, take_snapshot

from .server import CERTIFICATE, TOKENS

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def edit(kubeconfig):
    """A function that changes the kubeconfig, given its cluster and the user of the current context."""

    def edit_with(change):
        data = json.loads(kubeconfig.read_text())
        change(data["clusters"][0]["cluster"], data["users"][0]["user"])
        kubeconfig.write_text(json.dumps(data))
        return str(kubeconfig)

    return edit_with


def nodes_seen_by(connection):
    return sum(obj.kind == "Node" for obj in take_snapshot(connection, NOW).objects)


class TestCredentials:
    def test_the_current_context_is_taken(self, kubeconfig, server):
        connection = connect(str(kubeconfig))
        assert (connection.context, connection.server) == ("admin", server.url)
        assert str(connection) == f"context admin ({server.url})"

    def test_another_context_can_be_asked_for(self, kubeconfig):
        assert connect(str(kubeconfig), "viewer").context == "viewer"

    def test_an_exec_plugin_gives_a_token(self, edit, tmp_path):
        credential = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": TOKENS["admin"]},
        }
        plugin = tmp_path / "plugin"
        plugin.write_text(f"#!{sys.executable}\nprint({json.dumps(credential)!r})\n")
        plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)

        def change(cluster, user):
            user.clear()
            user["exec"] = {
                "apiVersion": "client.authentication.k8s.io/v1",
                "command": str(plugin),
                "interactiveMode": "Never",
            }

        assert nodes_seen_by(connect(edit(change))) == 45

    def test_a_token_file_gives_a_token(self, edit, tmp_path):
        (tmp_path / "token").write_text(TOKENS["admin"])

        def change(cluster, user):
            user.clear()
            user["tokenFile"] = str(tmp_path / "token")

        assert nodes_seen_by(connect(edit(change))) == 45

    def test_a_pod_uses_its_service_account(self, monkeypatch, tmp_path, server):
        from kubernetes import config
        from kubernetes.config import incluster_config

        (tmp_path / "token").write_text(TOKENS["admin"])
        host, port = server.url.removeprefix("https://").split(":")
        monkeypatch.setattr(config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "absent"))
        monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
        monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(CERTIFICATE))
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
        connection = connect()
        assert str(connection) == server.url
        assert nodes_seen_by(connection) == 45


class TestRefusals:
    def test_a_file_that_is_not_there(self):
        with pytest.raises(ClusterError, match="absent: there is no such kubeconfig"):
            connect("absent")

    def test_a_context_that_is_not_there(self, kubeconfig):
        with pytest.raises(ClusterError, match="there is no context prod") as caught:
            connect(str(kubeconfig), "prod")
        assert caught.value.hint == "the kubeconfig has admin, invalid, viewer"

    def test_neither_a_kubeconfig_nor_a_pod(self, monkeypatch, tmp_path):
        from kubernetes import config

        monkeypatch.setattr(config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "absent"))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        with pytest.raises(
            ClusterError, match="there is no kubeconfig, and this is not run in a cluster"
        ) as caught:
            connect()
        assert caught.value.hint == "name a cluster with --kubeconfig FILE or --context NAME"

    def test_a_context_without_any_kubeconfig(self, monkeypatch, tmp_path):
        from kubernetes import config

        monkeypatch.setattr(config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "absent"))
        with pytest.raises(ClusterError, match="there is no kubeconfig in which prod is looked for"):
            connect(context="prod")

    @pytest.mark.parametrize("content", ["", "[1, 2]", "{", "kind: Config\n", "\x00"])
    def test_a_file_that_is_no_kubeconfig(self, tmp_path, content):
        path = tmp_path / "broken"
        path.write_text(content)
        with pytest.raises(ClusterError):
            connect(str(path))

    def test_a_certificate_that_nobody_vouches_for(self, edit):
        connection = connect(edit(lambda cluster, user: cluster.pop("certificate-authority")))
        with pytest.raises(ClusterError, match="the TLS connection was refused") as caught:
            take_snapshot(connection, NOW)
        assert "certificate-authority" in caught.value.hint

    def test_a_server_that_is_not_there(self, edit):
        connection = connect(edit(lambda cluster, user: cluster.update(server="https://127.0.0.1:1")))
        with pytest.raises(ClusterError, match="no answer to GET /version within 1 s") as caught:
            take_snapshot(connection, NOW, TakeOptions(timeout=1.0))
        assert "refused" in str(caught.value)


def test_nothing_but_get_can_be_sent():
    """There is one place that sends requests, and what it sends is GET."""
    sources = [path.read_text() for path in Path(kschedctl.live.__file__).parent.glob("*.py")]
    calls = [source.split(".request(", 1)[1].lstrip() for source in sources if ".request(" in source]
    assert len(calls) == 1
    assert calls[0].startswith('"GET"')
    for word in ("POST", "PUT", "PATCH", "DELETE", "call_api", "urlopen", "CoreV1Api", "dynamic"):
        assert not any(word in source for source in sources), word
