"""What a scenario would have to buy."""

import pytest
import yaml

from kschedctl.errors import InputError, UsageError
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.scenarios.checks import Check
from kschedctl.whatif.scenarios.purchases import Basis, check_cost, check_nodes_needed
from kschedctl.whatif.scenarios.scenario import Cost, NodesNeeded
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan
from kschedctl.whatif.world.change_context import ChangeContext

from .builders import CONFIGURATION, Data, node, objects, workload


def basis(*manifests: Data) -> Basis:
    """A node of two cpus, and a release."""
    loaded = Session(objects([node("n1", cpu="2")]), CONFIGURATION)
    return Basis(loaded, SchedulingOptions(), Plan(objects(manifests)))


def needed(
    at_most: int, *manifests: Data, shape: str = "like=n1", context: ChangeContext | None = None
) -> Check:
    return check_nodes_needed(NodesNeeded(shape, at_most, context or ChangeContext()), basis(*manifests))


def messages(check: Check) -> list[str]:
    return [finding.message for finding in check.findings]


WEB = workload("Deployment", "web", 7)
"""Takes four nodes of two cpus: three more."""
AGENT = workload("DaemonSet", "agent", cpu="1")
"""Takes half of every node."""


@pytest.mark.parametrize(
    ("at_most", "manifests", "passed"),
    [
        pytest.param(3, [WEB], True, id="as many as allowed"),
        pytest.param(2, [WEB], False, id="one more"),
        pytest.param(5, [AGENT, WEB], False, id="daemons take their share"),
        pytest.param(6, [AGENT, WEB], True, id="and their nodes are counted"),
        pytest.param(0, [workload("Deployment", "web", 2)], True, id="all find a node as it is"),
    ],
)
def test_nodes_needed(at_most, manifests, passed):
    assert needed(at_most, *manifests).passed is passed


def test_how_many_are_lacking_and_for_whom():
    check = needed(0, WEB)

    assert check.title == "at most 0 nodes like n1 more are needed"
    (finding,) = check.findings
    assert finding.message.startswith(
        "3 such nodes more are needed, none may be: as it is, 5 pods find no node, default/web-"
    )
    assert finding.message.endswith("since 0/1 nodes are available: 1 Insufficient cpu")
    assert str(finding.workload) == "Deployment/web"


def test_no_number_of_nodes_is_enough():
    (text,) = messages(needed(3, workload("Deployment", "big", 1, cpu="3")))

    assert text.startswith(
        "no number of such nodes is enough: with 16 nodes more 1 pod finds no node, default/big-"
    )


def test_a_shape_in_a_file(tmp_path):
    (tmp_path / "large.yaml").write_text(yaml.safe_dump(node("large", cpu="8")))
    context = ChangeContext(tmp_path)

    assert needed(1, WEB, shape="large.yaml", context=context).passed


def test_a_file_with_several_shapes(tmp_path):
    (tmp_path / "two.yaml").write_text(yaml.safe_dump_all([node("a"), node("b")]))

    with pytest.raises(UsageError, match="2 nodes are in it"):
        needed(1, WEB, shape="two.yaml", context=ChangeContext(tmp_path))


def catalogue(tmp_path, *shapes: Data) -> str:
    data = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Catalogue", "shapes": list(shapes)}
    path = tmp_path / "catalogue.yaml"
    path.write_text(yaml.safe_dump(data))
    return str(path)


SMALL = {"name": "small", "like": "n1", "pricePerHour": 0.5, "zones": ["a", "b"]}


@pytest.mark.parametrize(("at_most", "passed"), [(1.5, True), (1.49, False)])
def test_what_it_costs(tmp_path, at_most, passed):
    check = check_cost(Cost(catalogue(tmp_path, SMALL), at_most), basis(WEB))

    assert check.title == f"what has to be bought costs at most {at_most:.2f} an hour"
    assert check.passed is passed


def test_what_would_have_to_be_bought(tmp_path):
    (text,) = messages(check_cost(Cost(catalogue(tmp_path, SMALL), 1), basis(WEB)))

    assert text == (
        "nodes for 1.50 an hour are needed (2 small in a, 1 small in b), 1.00 may be; nothing costs less than 1.50"
    )


def test_nothing_in_the_catalogue_is_enough(tmp_path):
    big = workload("Deployment", "big", 1, cpu="3")
    (text,) = messages(check_cost(Cost(catalogue(tmp_path, SMALL), 1), basis(big)))

    assert text.startswith("nothing in the catalogue is enough: 1 pod finds no node, default/big-")


def test_a_catalogue_without_prices(tmp_path):
    path = catalogue(tmp_path, {"name": "small", "like": "n1"})

    with pytest.raises(InputError, match="no shape has a price") as error:
        check_cost(Cost(path, 1), basis(WEB))
    assert error.value.hint == "Write pricePerHour for every shape, or expect nodesNeeded."
