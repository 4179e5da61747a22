"""Extenders over HTTP(S), against a server on this machine (spec 01 §11)."""

import base64
import pickle
import socket
from pathlib import Path

import pytest
from builders import column, decide, feasible, node, pod, session
from extender_builders import extender, names, with_extenders

from kschedctl.extenders.http import hosts
from kschedctl.scheduling.decision import Outcome

from .conftest import TLS, late

NODES = [node("n1"), node("n2")]


@pytest.fixture
def decision_of(transport):
    def decided(url, **fields):
        asked = session(NODES, config=with_extenders(extender(url, **fields)), transport=transport)
        return decide(asked, pod("a", cpu="1"))

    return decided


def test_a_server_narrows_and_scores(server, decision_of):
    server.answers = {"filter": names("n2", "n1"), "prioritize": [{"Host": "n2", "Score": 3}]}
    decision = decision_of(f"{server.url}/", weight=2)
    assert (decision.selected_node, column(decision, f"{server.url}/", "weighted")) == (
        "n2",
        {"n1": 0, "n2": 60},
    )
    [(_, request), _] = server.requests
    assert (request["NodeNames"], request["Nodes"]) == (["n1", "n2"], None)
    assert request["Pod"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}
    assert server.connections == 1, "the connection is used again"


def test_nodes_are_sent_as_objects_to_those_that_keep_none(server, decision_of):
    server.answers = {"filter": lambda body: {"Nodes": body["Nodes"]}, "prioritize": []}
    assert feasible(decision_of(server.url, nodeCacheCapable=False)) == ["n1", "n2"]
    [item, _] = server.requests[0][1]["Nodes"]["items"]
    assert (item["metadata"]["name"], item["status"]["allocatable"]["cpu"]) == ("n1", "4")


def test_a_connection_that_the_server_closes_is_opened_again(server, transport):
    server.answers = {"filter": names("n1", "n2"), "prioritize": []}
    asked = session(NODES, config=with_extenders(extender(server.url)), transport=transport)
    decide(asked, pod("a"))
    for connection in transport._open.values():
        connection._client.sock.shutdown(socket.SHUT_RDWR)
    assert decide(asked, pod("b")).outcome is Outcome.SCHEDULED
    assert server.connections == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param((500, b"oops"), "failed filter with extender at URL URL/filter, code 500", id="code"),
        pytest.param((302, b""), "failed filter with extender at URL URL/filter, code 302", id="redirect"),
        pytest.param(b"<html>", "invalid character '<' in the reply: Expecting value", id="rubbish"),
        pytest.param(b"", "EOF", id="nothing"),
        pytest.param(
            late,
            'Post "URL/filter": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
            id="timeout",
        ),
        pytest.param(
            names("n9"),
            'extender "URL" claims a filtered node "n9" which is not found in the input node list',
            id="another node",
        ),
    ],
)
def test_a_server_without_a_usable_answer(server, answer, message, decision_of):
    server.answers = {"filter": answer}
    decision = decision_of(server.url, httpTimeout="50ms" if answer is late else "5s")
    assert (decision.outcome, decision.message) == (
        Outcome.ERROR,
        message.replace("URL/", f"{server.url}/").replace('"URL"', f'"{server.url}"'),
    )


def test_nobody_listens(server, decision_of):
    server.close()
    message = f'Post "{server.url}/filter": connect: connection refused'
    assert decision_of(server.url).message == message


@pytest.mark.parametrize("url", ["ftp://x/y", "nowhere"])
def test_a_url_that_cannot_be_asked(url, decision_of):
    assert "unsupported protocol scheme" in decision_of(url).message


def inline(name):
    return base64.b64encode((TLS / name).read_bytes()).decode()


@pytest.mark.parametrize(
    "tls",
    [
        pytest.param(
            {
                "caFile": str(TLS / "ca.pem"),
                "certFile": str(TLS / "client.pem"),
                "keyFile": str(TLS / "client.key"),
            },
            id="files",
        ),
        pytest.param(
            {"caData": inline("ca.pem"), "certData": inline("client.pem"), "keyData": inline("client.key")},
            id="inline",
        ),
    ],
)
def test_a_server_with_a_certificate(tls_server, tls, decision_of):
    tls_server.answers = {"filter": names("n2"), "prioritize": []}
    decision = decision_of(tls_server.url, enableHTTPS=True, tlsConfig=tls | {"serverName": "extender.test"})
    assert feasible(decision) == ["n2"]


@pytest.mark.parametrize(
    ("fields", "works"),
    [
        pytest.param({"tlsConfig": {"insecure": True}}, True, id="insecure"),
        pytest.param({"enableHTTPS": True}, True, id="HTTPS without a CA verifies nothing"),
        pytest.param({}, False, id="a CA that nobody knows"),
        pytest.param({"tlsConfig": {"caFile": str(TLS / "ca.pem")}}, False, id="another name"),
        pytest.param({"tlsConfig": {"caFile": str(TLS / "nowhere.pem")}}, False, id="no such file"),
    ],
)
def test_which_certificates_are_taken(tls_server, fields, works, decision_of):
    tls_server.answers = {"filter": names("n2"), "prioritize": []}
    decision = decision_of(tls_server.url, **fields)
    if tls_server.asks_for_certificate or not works:
        assert decision.outcome is Outcome.ERROR
        assert decision.message.startswith(f'Post "{tls_server.url}/filter": ')
    else:
        assert feasible(decision) == ["n2"]


def test_connections_stay_behind_when_a_transport_travels(server, transport):
    server.answers = {"filter": names("n1"), "prioritize": []}
    decide(session(NODES, config=with_extenders(extender(server.url)), transport=transport), pod("a"))
    assert pickle.loads(pickle.dumps(transport))._open == {}


def test_hosts_are_named_once():
    asked = session([], config=with_extenders(*(extender(f"http://h:1/{path}") for path in "ab"))).scheduler
    assert hosts(asked.configuration.extenders) == ["h:1"]


def test_the_certificates_of_these_tests_are_here():
    assert {path.name for path in Path(TLS).iterdir()} == {
        "ca.pem", "client.key", "client.pem", "server.key", "server.pem",
    }  # fmt: skip
