"""NodePorts (spec 02 D.7)."""

import pytest
from builders import U, decide, enter, node, pod, rejections, session

BUSY = f"{U} NodePorts: node(s) didn't have free ports for the requested pod ports"


def container(*ports, name="main", **more):
    return {"name": name, "image": "app", "ports": [port(*p) for p in ports]} | more


def port(number, protocol="TCP", ip=""):
    return {"containerPort": number, "hostPort": number, "protocol": protocol, "hostIP": ip}


def holding(*ports, name="holder", on="n1"):
    return pod(name, on, containers=[container(*ports)])


@pytest.mark.parametrize(
    ("held", "wanted", "free"),
    [
        pytest.param((80,), (80,), False, id="same"),
        pytest.param((80,), (81,), True, id="other port"),
        pytest.param((80, "TCP"), (80, "UDP"), True, id="other protocol"),
        pytest.param((80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.2"), True, id="other address"),
        pytest.param((80, "TCP", "127.0.0.1"), (80, "TCP", "127.0.0.1"), False, id="same address"),
        pytest.param((80, "TCP", "127.0.0.1"), (80,), False, id="any address meets one"),
        pytest.param((80,), (80, "TCP", "127.0.0.1"), False, id="one address meets any"),
        pytest.param((80, "TCP", "::"), (80, "TCP", "127.0.0.1"), True, id=":: is an address like others"),
    ],
)
def test_conflicts(held, wanted, free):
    asked = session(node("n1"), holding(held))
    found = rejections(decide(asked, pod("p", containers=[container(wanted)])))
    assert found == ({} if free else {"n1": BUSY})


def test_a_pod_never_conflicts_with_itself():
    containers = [container((80,), name="a"), container((80, "TCP", "127.0.0.1"), name="b")]
    assert rejections(decide(session(node("n1")), pod("p", containers=containers))) == {}


@pytest.mark.parametrize(
    ("restart", "counts"), [pytest.param("Always", True, id="sidecar"), pytest.param(None, False, id="plain")]
)
def test_init_containers_hold_ports_only_as_sidecars(restart, counts):
    more = {"restartPolicy": restart} if restart else {}
    holder = pod("holder", "n1", initContainers=[container((80,), name="init", **more)])
    found = rejections(decide(session(node("n1"), holder), pod("p", containers=[container((80,))])))
    assert ("n1" in found) is counts


def test_used_ports_are_a_set():
    """Two pods hold the port; when one of them goes, the port is free for the scheduler."""
    asked = session(node("n1"), holding((80,)), holding((80,), name="twin"))
    wanting = enter(asked, pod("p", containers=[container((80,))]))
    twin = asked.find("default", "twin")
    assert twin is not None
    start = asked.cluster.mark()
    asked.cluster.remove(twin.id)
    assert rejections(asked.scheduler.decide(wanting, asked.cluster)) == {}
    asked.cluster.undo_to(start)
    assert rejections(asked.scheduler.decide(wanting, asked.cluster)) == {"n1": BUSY}
