"""Credential plugins: what they are told, and what is said where they give no credentials."""

import json
import os
import sys
import time
from datetime import UTC, datetime

import pytest

from kschedctl.errors import ClusterError
from kschedctl.live import connect, take_snapshot

from .server import TOKENS

API = "client.authentication.k8s.io/v1"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def credential(version=API, **status):
    return json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status})


@pytest.fixture
def with_plugin(kubeconfig, tmp_path):
    """A function that makes a plugin of the body of a shell script the only way to log in."""

    def write(body, **settings):
        path = tmp_path / "plugin"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        data = json.loads(kubeconfig.read_text())
        data["users"][0]["user"] = {"exec": {"apiVersion": API, "command": str(path), **settings}}
        kubeconfig.write_text(json.dumps(data))
        return str(kubeconfig)

    return write


def nodes_seen_by(connection):
    return sum(obj.kind == "Node" for obj in take_snapshot(connection, NOW).objects)


class TestGood:
    def test_a_token(self, with_plugin):
        assert nodes_seen_by(connect(with_plugin(f"echo '{credential(token=TOKENS['admin'])}'"))) == 45

    def test_a_certificate_and_its_key(self, with_plugin):
        found = credential(clientCertificateData="CERTIFICATE", clientKeyData="KEY")
        with pytest.raises(ClusterError, match="PEM"):  # given to the TLS library, as they are
            nodes_seen_by(connect(with_plugin(f"echo '{found}'")))

    def test_a_token_of_the_kubeconfig_goes_first(self, with_plugin, kubeconfig):
        with_plugin("exit 1")
        data = json.loads(kubeconfig.read_text())
        data["users"][0]["user"]["token"] = TOKENS["admin"]
        kubeconfig.write_text(json.dumps(data))
        assert nodes_seen_by(connect(str(kubeconfig))) == 45

    def test_a_command_is_looked_for_beside_the_kubeconfig(self, with_plugin, tmp_path, monkeypatch):
        path = with_plugin(f"echo '{credential(token=TOKENS['admin'])}'", command="./plugin")
        monkeypatch.chdir("/")
        assert nodes_seen_by(connect(path)) == 45

    def test_it_is_told_what_kubectl_tells_it(self, with_plugin, tmp_path, server):
        path = with_plugin(
            f"echo \"$KUBERNETES_EXEC_INFO\" > info; echo $WHO $1 > given; echo '{credential(token='t')}'",
            args=["login"],
            env=[{"name": "WHO", "value": "jane"}],
            provideClusterInfo=True,
        )
        connect(path)
        info = json.loads((tmp_path / "info").read_text())
        assert (info["apiVersion"], info["kind"]) == (API, "ExecCredential")
        assert info["spec"] == {"interactive": False, "cluster": {"server": server.url}}
        assert (tmp_path / "given").read_text() == "jane login\n"


BAD = [
    pytest.param("echo no session >&2; exit 3", "ends with exit code 3: no session", id="it fails"),
    pytest.param("exit 3", "ends with exit code 3$", id="it fails without a word"),
    pytest.param("echo hello", "prints no credentials: ", id="no JSON"),
    pytest.param("echo '[]'", "prints no credentials: ", id="another JSON"),
    pytest.param(
        "head -c 100000 /dev/zero | tr '\\0' '['",
        "prints no credentials: it is nested too deeply",
        id="JSON without end",
    ),
    pytest.param(f"echo '{credential()}'", "prints no credentials: there is no token", id="no token"),
    pytest.param(
        f"echo '{credential(clientCertificateData='c')}'",
        "prints no credentials: there is no clientKeyData",
        id="no key",
    ),
    pytest.param(
        f"echo '{credential('client.authentication.k8s.io/v1beta1', token='t')}'",
        "prints no credentials: apiVersion client.authentication.k8s.io/v1beta1 is not",
        id="another version",
    ),
]


class TestBad:
    @pytest.mark.parametrize(("body", "message"), BAD)
    def test_nothing_is_asked_without_credentials(self, with_plugin, server, body, message):
        with pytest.raises(
            ClusterError, match=f"the credential plugin `.*/plugin login` {message}"
        ) as caught:
            connect(with_plugin(body, args=["login"]))
        assert "run it by hand" in caught.value.hint
        assert server.seen == []

    def test_a_plugin_that_is_not_there_says_how_it_is_installed(self, with_plugin):
        path = with_plugin("", command="no-such-plugin", installHint="brew install no-such-plugin")
        with pytest.raises(ClusterError, match="`no-such-plugin` cannot be run: No such file") as caught:
            connect(path)
        assert caught.value.hint == "brew install no-such-plugin"

    def test_one_that_hangs_is_ended_with_all_that_it_has_started(self, with_plugin, tmp_path):
        path = with_plugin(f"{sys.executable} -c 'import time; time.sleep(60)' & echo $! > child; wait")
        begin = time.monotonic()
        with pytest.raises(ClusterError, match="does not end within 1 s"):
            connect(path, timeout=1.0)
        assert time.monotonic() - begin < 10
        child = int((tmp_path / "child").read_text())
        while time.monotonic() - begin < 10 and _runs(child):
            time.sleep(0.01)
        assert not _runs(child)


def _runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_the_environment_is_passed_on(with_plugin, monkeypatch):
    monkeypatch.setitem(os.environ, "SESSION", TOKENS["admin"])
    body = f"echo '{credential(token='TOKEN')}' | sed s/TOKEN/$SESSION/"
    assert nodes_seen_by(connect(with_plugin(body))) == 45
