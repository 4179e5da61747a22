"""Extenders on this machine, and what carries calls to them."""

import ssl
import time
from pathlib import Path

import pytest
from extender_server import Server

from kschedctl.extenders.http import HttpTransport

TLS = Path(__file__).parent / "tls"


@pytest.fixture
def server():
    made = Server()
    yield made
    made.close()


@pytest.fixture(
    params=[ssl.CERT_NONE, ssl.CERT_REQUIRED], ids=["no client certificate", "client certificate"]
)
def tls_server(request):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
    context.load_verify_locations(TLS / "ca.pem")
    context.verify_mode = request.param
    made = Server(context)
    made.asks_for_certificate = request.param == ssl.CERT_REQUIRED
    yield made
    made.close()


@pytest.fixture
def transport():
    made = HttpTransport()
    yield made
    made.close()


def late(body):
    """An answer that comes too late for a timeout of 50 ms."""
    time.sleep(0.3)
    return {}
