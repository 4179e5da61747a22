"""The benchmarks run, on clusters so small that it costs next to nothing; nothing here is about time."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from . import clusters, engine, growth, loops, openb, scale
from .__main__ import main
from .big_clusters import BigCluster
from .plot import growth_plot
from .results import Figure, load, save, speed_ups
from .table import comparison_table, figure_table


@pytest.mark.parametrize("shape", clusters.SHAPES)
def test_every_shape_is_simulated(shape: str) -> None:
    assert engine.simulate(nodes=60, pods=20, shape=shape)["placed"] == 20


def test_every_shape_is_decided() -> None:
    measured = engine.decide(nodes=9, per_node=2)

    assert list(measured) == list(clusters.SHAPES)
    assert all(times["warm"] > 0 for times in measured.values())


def test_a_preemptor_finds_victims_on_every_node() -> None:
    assert engine.preempt(nodes=6, per_node=20)["candidates"] == 6


def test_drains_move_every_pod_and_leave_nothing_behind() -> None:
    assert engine.drains(nodes=6, per_node=3, count=7) | {"milliseconds": 0, "total": 0} == {
        "milliseconds": 0,
        "total": 0,
        "moved": 21,
        "clean": True,
    }


def test_trials_place_every_pod_and_leave_nothing_behind() -> None:
    measured = engine.trials(nodes=6, per_node=3, count=4)
    assert (measured["placed"], measured["clean"]) == (4 + 4 + 4 + 4 * 3, True)


def test_a_run_is_measured_kept_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = tmp_path / "now.json"
    tiny = ["--nodes", "4", "--pods-per-node", "2", "--share", "0.001", "--repeat", "1"]

    main([*tiny, "--only", "load", "drains", "-o", str(now)])
    main(["--show", str(now), "--against", str(now), "--plots", str(tmp_path / "plots")])

    names = [figure.benchmark for figure in load(now)]
    assert "explain from snapshot, process" in names
    assert names[-1] == "drain and undo"
    told = capsys.readouterr().out
    assert "| explain from list, memory" in told
    assert "1.00x" in told


FIGURES = [
    Figure("start", 0, 0.2, "s"),
    Figure("load", 100, 0.5, "s"),
    Figure("load", 5000, 9.0, "s"),
    Figure("simulate", 100, 8000.0, "pods/s"),
]


def test_figures_are_kept(tmp_path: Path) -> None:
    save(tmp_path / "run.json", FIGURES)

    assert load(tmp_path / "run.json") == FIGURES


def test_better_means_less_time_and_more_pods() -> None:
    earlier = [
        Figure("load", 100, 1.0, "s"),
        Figure("simulate", 100, 4000.0, "pods/s"),
        Figure("gone", 1, 1, "s"),
    ]

    assert [(figure.benchmark, up) for figure, up in speed_ups(FIGURES, earlier)] == [
        ("load", 2.0),
        ("simulate", 2.0),
    ]
    assert "2.00x" in comparison_table(FIGURES, earlier)


def test_sizes_stand_side_by_side() -> None:
    lines = figure_table(FIGURES).splitlines()

    assert [cell.strip() for cell in lines[0].split("|")[1:-1]] == [
        "benchmark",
        "unit",
        "any",
        "100 nodes",
        "5,000 nodes",
    ]
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == ["load", "s", "", "0.50", "9.00"]


def test_the_plot_has_a_line_for_what_was_measured_twice() -> None:
    root = ElementTree.fromstring(growth_plot(FIGURES, "s", "Seconds"))

    lines = root.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [2]


def test_the_curve_of_a_trace() -> None:
    """Four GPUs; of four pods that ask for one each, the second finds no node."""
    pods = [{"name": name, "num_gpu": "1", "gpu_milli": "1000"} for name in "abcd"]
    report = {"pods": [{"name": name, "node": None if name == "b" else "n"} for name in "abcd"]}
    nodes = [{"gpu": "4"}, {"gpu": ""}]

    found = dict(zip((*openb.POINTS, "end"), openb.curve(report, pods, nodes, "whole"), strict=True))

    assert [found[point] for point in (20, 30, 50, 80, 100, "end")] == [
        "0.0",
        "25.0",
        "25.0",
        "50.0",
        "75.0",
        "75.0",
    ]


def test_a_big_cluster_is_what_was_asked_for() -> None:
    cluster = BigCluster(30, 400, 20, 12)
    objects = list(cluster.objects())
    kinds = [item["kind"] for item in objects]
    pods = [item for item in objects if item["kind"] == "Pod"]

    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "Node": 30,
        "Deployment": 20,
        "ReplicaSet": 20,
        "PodDisruptionBudget": 12,
        "Pod": 400,
    }
    assert list(cluster.objects()) == objects
    assert len({pod["metadata"]["name"] for pod in pods}) == 400
    session = engine.session(objects)
    assert (session.cluster.usage.requested[:, 0] <= session.cluster.nodes.allocatable[:, 0]).all()


def test_every_question_about_a_large_cluster_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    scale.main(["--share", "0.004", "--only", "drain of a node", "gate", "300,000 pods: preempt"])

    told = capsys.readouterr().out
    assert [line.split("|")[1].strip() for line in told.splitlines()[2:]] == [
        "drain of a node",
        "gate, survives any node",
        "300,000 pods: preempt",
    ]


def test_loops_beside_another_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The other program takes half a second of the processor for more pods than one."""
    program = tmp_path / "other"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, time\n"
        "while '-n' not in sys.argv and time.process_time() < 0.5: pass\n"
    )
    program.chmod(0o755)

    loops.main(["--share", "0.002", "--repeat", "1", "--only", "mixed", "--upstream", str(program)])

    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[2:]
    ]
    assert [row[:3] for row in rows] == [["200 classes, shapes mixed", "10", "10"]]
    assert all(15 < float(row[5]) < 30 for row in rows)


@pytest.mark.parametrize(
    ("points", "slope"),
    [
        pytest.param([(1, 5), (10, 5), (100, 5)], 0, id="not at all"),
        pytest.param([(1, 2), (10, 20), (100, 200)], 1, id="in proportion"),
        pytest.param([(2, 4), (4, 16), (8, 64)], 2, id="by the square"),
    ],
)
def test_the_exponent_of_growth(points: list[tuple[float, float]], slope: float) -> None:
    assert growth.exponent(points) == pytest.approx(slope)


def test_growth_is_a_table_and_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = tmp_path / "growth.json"
    save(now, [Figure("drain, pods", 10, 1, "s"), Figure("drain, pods", 100, 10, "s")])

    growth.main(["--show", str(now), "--plots", str(tmp_path)])

    told = capsys.readouterr().out
    assert "| drain    | pods  | s    | 10: 1.00 | 100: 10.0 | 1.00     |" in told
    root = ElementTree.parse(tmp_path / "scale-s.svg").getroot()
    assert len(root.findall(".//{http://www.w3.org/2000/svg}polyline")) == 1
