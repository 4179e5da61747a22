"""What nodes offer by themselves, once some of them are another version."""

import dra_builders as dra
import pytest

from kschedctl.plugins.node_offers import NodeOffers, OfferIndex, offer_of

GPU = "example.com/gpu"


def offers(found: NodeOffers) -> list[object]:
    return [found.distinct[number] for number in found.number.tolist()]


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([dra.node("n1"), dra.node("n2", allocatable={GPU: "3"})], id="another amount"),
        pytest.param([dra.node("n1", allocatable={GPU: "2"}), dra.node("n2")], id="one gets, one loses"),
        pytest.param([dra.node("n2", allocatable={GPU: "2"}), dra.node("n1")], id="other nodes"),
        pytest.param([dra.node("n1")], id="one fewer"),
    ],
)
def test_other_versions_of_nodes(later):
    index, first = OfferIndex(), [dra.node("n1"), dra.node("n2", allocatable={GPU: "2"})]
    before = index.of(first, (GPU,))
    assert offers(before) == [{}, {GPU: 2}]

    assert offers(index.of(later, (GPU,))) == [offer_of(node, (GPU,)) for node in later]
    assert offers(before) == [{}, {GPU: 2}]
    assert offers(index.of(first, (GPU,))) == [{}, {GPU: 2}]
