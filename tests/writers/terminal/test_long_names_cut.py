import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.long_names import node_cells, short_names

ASCII = Look(width=80, unicode=False)
LOOK = Look(width=80, unicode=True)
EKS = [f"ip-10-0-12-{i}.eu-west-1.compute.internal" for i in (3, 34, 134)]
GKE = [f"gke-prod-europe-west1-pool-highmem-1-3f2a9c1d-{tail}" for tail in ("x7k2", "x7k3")]


@pytest.mark.parametrize(
    ("names", "width", "shown"),
    [
        pytest.param(["n1", "n2"], 2, ["n1", "n2"], id="what fits stays"),
        pytest.param(EKS, 20, ["ip-10-0-12-3…", "ip-10-0-12-34…", "ip-10-0-12-134…"], id="hosts of a domain"),
        pytest.param(
            [EKS[0], EKS[0].replace("west", "east")],
            22,
            ["…west…", "…east…"],
            id="the domain differs",
        ),
        pytest.param(GKE, 24, ["gke-prod…1-3f2a9c1d-x7k2", "gke-prod…1-3f2a9c1d-x7k3"], id="whole words"),
        pytest.param(GKE, 14, ["gke-prod…x7k2", "gke-prod…x7k3"], id="fewer of them"),
        pytest.param(
            ["prod-west1-pool-a-3f2a9c1d-x1", "prod-west1-pool-b-3f2a9c1d-x1"],
            16,
            ["…a-3f2a9c1d-x1", "…b-3f2a9c1d-x1"],
            id="the last words",
        ),
        pytest.param(
            [
                "prod-west1-pool-a-3f2a9c1d-x1",
                "prod-west1-pool-b-3f2a9c1d-x1",
                "prod-west1-pool-b-3f2a9c1d-x2",
            ],
            13,
            ["…a…x1", "…b…x1", "…b…x2"],
            id="only what differs",
        ),
        pytest.param(["a" * 30], 13, ["aaaaaa…aaaaaa"], id="one long word"),
        pytest.param(
            ["x-" + "a" * 30, "x-" + "a" * 31],
            13,
            ["x-" + "a" * 30, "x-" + "a" * 31],
            id="no cut tells them apart",
        ),
        pytest.param(GKE, 3, ["gke…x7k2", "gke…x7k3"], id="no room at all"),
    ],
)
def test_long_names(names, width, shown):
    assert short_names(names, width, LOOK) == dict(zip(names, shown, strict=True))


def test_a_cell_holds_as_many_as_fit():
    cells = [[(GKE[0], ":2"), (GKE[1], ":1"), ("n1", "")], [("n1", ":1")], []]

    assert node_cells(cells, 50, LOOK) == ["gke-prod-europe…pool-highmem-1-3f2a9c1d-x7k2:2 +2", "n1:1", ""]
    assert node_cells(cells, 20, ASCII) == ["gke-prod..x7k2:2 +2", "n1:1", ""]
    assert node_cells(cells, 20, ASCII, wide=True)[0] == "gke-prod..x7k2:2 gke-prod..x7k3:1 n1"


@given(st.sets(st.text("ab-.", min_size=1, max_size=24), max_size=8), st.integers(12, 20))
def test_no_two_names_look_the_same(names, width):
    shown = short_names(names, width, LOOK)

    assert shown.keys() == names
    assert len(set(shown.values())) == len(names)
    assert all(text == name or len(text) <= width for name, text in shown.items())
