"""What is kept of devices for all nodes, once some of them are another version."""

import dra_builders as dra
import pytest
from msgspec.structs import replace

LABELLED = {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "In", "values": ["yes"]}]}]
}


@pytest.mark.parametrize(
    ("later", "total"),
    [
        pytest.param(
            replace(dra.node("n2"), spec=replace(dra.node("n2").spec, unschedulable=True)), 0, id="cordoned"
        ),
        pytest.param(dra.node("n2", {"gpu": "yes"}), 2, id="labelled"),
    ],
)
def test_devices_of_a_class(later, total):
    slices = [
        dra.resource_slice("a", dra.devices("d0"), on="n1"),
        dra.resource_slice("b", dra.devices("d1", "d2"), on=None, pool="p2", nodeSelector=LABELLED),
    ]
    allocator = dra.ledger(*slices).allocator
    first, every = dra.device_class(), [dra.node("n1"), dra.node("n2")]
    assert allocator.counts(first, every).total.tolist() == [1, 0]
    assert allocator.counts(first, [every[0], later]).total.tolist() == [1, total]
    assert allocator.counts(first, every).total.tolist() == [1, 0]
