"""Connections as the Kubernetes client makes them, and what is said where none can be made."""

import base64
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

import kschedctl.live
from kschedctl.errors import ClusterError
from kschedctl.live import connect, take_snapshot

from .server import CERTIFICATE, TOKENS, status

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

    @pytest.mark.parametrize(
        ("address", "reason"),
        [
            pytest.param("https://127.0.0.1:1", "connection refused", id="nobody listens"),
            pytest.param("https://no-such-host.invalid", "name", id="a name that nobody has"),
        ],
    )
    def test_a_server_that_is_not_there_is_told_at_once(self, edit, address, reason):
        connection = connect(edit(lambda cluster, user: cluster.update(server=address)))
        begin = time.monotonic()
        with pytest.raises(ClusterError, match=f"admin .{address}. cannot be reached: .*{reason}"):
            take_snapshot(connection, NOW)
        assert time.monotonic() - begin < 5

    def test_a_proxy_that_is_not_there_is_told_at_once(self, edit, monkeypatch):
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
        connection = connect(edit(lambda cluster, user: cluster.update(server="https://api.example:6443")))
        begin = time.monotonic()
        with pytest.raises(
            ClusterError, match=r"cannot be reached: its proxy .* does not answer: connection refused"
        ):
            take_snapshot(connection, NOW)
        assert time.monotonic() - begin < 5

    def test_an_auth_provider_that_fails(self, edit):
        """It is not gone on as nobody, which the server would only tell has no rights."""
        expired = ".".join(
            base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b"{}", b'{"exp":1}', b"s")
        )
        provider = {"name": "oidc", "config": {"id-token": expired, "idp-issuer-url": "https://127.0.0.1:1"}}

        def change(cluster, user):
            user.clear()
            user["auth-provider"] = provider

        with pytest.raises(ClusterError, match=r"there are no credentials to be had: .*refused") as caught:
            connect(edit(change))
        assert caught.value.hint == "log in again"


class TestImpersonation:
    def test_without_the_right_to_it_that_is_what_is_said(self, kubeconfig, server):
        refusal = (
            'users "jane" is forbidden: User "admin" cannot impersonate resource "users" in API group ""'
        )
        for path in ("/version", "/api/v1/nodes", "/api/v1/pods"):
            server.always(path, status(403, "Forbidden", refusal))
        connection = connect(str(kubeconfig), as_user="jane", as_groups=("dev",))
        with pytest.raises(
            ClusterError, match=r"does not allow to act as jane, dev \(403\): users"
        ) as caught:
            take_snapshot(connection, NOW)
        assert "verb impersonate" in caught.value.hint

    def test_whoever_is_impersonated_may_lack_rights_of_another_kind(self, kubeconfig, server):
        server.always("/api/v1/nodes", status(403, "Forbidden", 'User "jane" cannot list resource "nodes"'))
        with pytest.raises(ClusterError, match="does not allow to list nodes"):
            take_snapshot(connect(str(kubeconfig), as_user="jane"), NOW)


def test_nothing_but_get_can_be_sent():
    """There is one place that sends requests, and what it sends is GET."""
    sources = [path.read_text() for path in Path(kschedctl.live.__file__).parent.glob("*.py")]
    calls = [source.split(".request(", 1)[1].lstrip() for source in sources if ".request(" in source]
    assert len(calls) == 1
    assert calls[0].startswith('"GET"')
    for word in ("POST", "PUT", "PATCH", "DELETE", "call_api", "urlopen", "CoreV1Api", "dynamic"):
        assert not any(word in source for source in sources), word
