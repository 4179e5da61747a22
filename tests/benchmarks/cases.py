"""What is measured, in groups that can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from types import MappingProxyType
from typing import Final

from .clusters import SHAPES
from .inputs import QUICKSTART, Inputs
from .processes import Run, engine, kschedctl, median_run, run
from .results import Figure

_YAML_LIMIT: Final = 1_000
"""More nodes than this nobody keeps as YAML."""
_START_UPS: Final = 10


def start_up(repeat: int) -> Iterator[Figure]:
    """Whole processes that have next to nothing to do, and their processor time beside that of their libraries."""
    cluster, pod = QUICKSTART / "cluster.yaml", QUICKSTART / "pod.yaml"
    commands = {
        "start --help": (("--help",), "typer"),
        "start explain": (("explain", str(pod), "-c", str(cluster)), "numpy, typer, rich, msgspec, yaml"),
    }
    for name, (arguments, libraries) in commands.items():
        runs, bare = [], []
        for _ in range(max(repeat, _START_UPS)):  # in turn, so that both meet the same load
            runs.append(kschedctl(*arguments))
            bare.append(run("-c", f"import {libraries}"))
        yield Figure(name, 0, median_run(runs).seconds, "s", len(runs))
        ratio = median_run(runs).processor / median_run(bare).processor
        yield Figure(f"{name}, of its libraries", 0, ratio, "times", len(runs))


def load(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """Explain one pod, from start to end, from each form of input."""
    forms = {"list": inputs.listed, "snapshot": inputs.snapshot}
    if inputs.nodes <= _YAML_LIMIT:
        forms["yaml"] = inputs.yaml
    for form, path in forms.items():
        yield from _process(
            f"explain from {form}", inputs.nodes, repeat, "explain", str(inputs.pod), "-c", str(path), "-q"
        )


def explain(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """One decision on a loaded cluster, by kind of candidate; two nodes in five run a pod with anti-affinity."""
    found = [engine("decide", str(inputs.nodes), str(inputs.per_node)) for _ in range(repeat)]
    for shape in SHAPES:
        for what in ("cold", "warm"):
            value = median(one[shape][what] for one in found)
            yield Figure(f"decide {shape} {what}", inputs.nodes, value, "ms", repeat)


def preempt(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """A preemptor that fits nowhere, every node tried: the whole process, and the decision alone."""
    yield from _process(
        "preempt", inputs.nodes, repeat, "preempt", str(inputs.preemptor), "-c", str(inputs.full), "-q"
    )
    found = [engine("preempt", str(inputs.nodes), "20") for _ in range(repeat)]
    yield Figure("preempt decision", inputs.nodes, 1000 * median(f["seconds"] for f in found), "ms", repeat)


def simulate(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """Many pods one after another, all nodes scored: pods a second in the loop, and the whole process."""
    for shape in ("plain", "spread", "anti", "preferred"):
        count = str(inputs.candidates(shape))
        found = [engine("simulate", str(inputs.nodes), count, shape) for _ in range(repeat)]
        yield Figure(f"simulate {shape}", inputs.nodes, median(f["rate"] for f in found), "pods/s", repeat)
        command = ("simulate", "-c", str(inputs.empty), "-f", str(inputs.pods(shape)), "-q")
        yield from _process(f"simulate {shape}", inputs.nodes, repeat, *command)


def drains(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """500 drains on one loaded cluster, each undone: what one costs."""
    count = str(max(int(500 * inputs.share), 5))
    found = [engine("drains", str(inputs.nodes), "20", count) for _ in range(repeat)]
    if not all(one["clean"] for one in found):
        raise RuntimeError("drains leave traces in the cluster")
    yield Figure("drain and undo", inputs.nodes, median(f["milliseconds"] for f in found), "ms", repeat)


def trials(inputs: Inputs, repeat: int) -> Iterator[Figure]:
    """Forks of one transaction on a loaded cluster, each undone: what one costs."""
    count = str(max(int(200 * inputs.share), 5))
    found = [engine("trials", str(inputs.nodes), "20", count) for _ in range(repeat)]
    if not all(one["clean"] for one in found):
        raise RuntimeError("trials leave traces in the cluster")
    for name, attempt in (("place", "place_one"), ("cordon", "cordon"), ("label", "label"), ("lose", "lose")):
        yield Figure(f"trial {name}", inputs.nodes, median(f[attempt] for f in found), "ms", repeat)


def _process(name: str, nodes: int, repeat: int, *arguments: str) -> Iterator[Figure]:
    """Seconds and memory of a whole process."""
    runs: list[Run] = [kschedctl(*arguments) for _ in range(repeat)]
    middle = median_run(runs)
    yield Figure(f"{name}, process", nodes, middle.seconds, "s", repeat)
    yield Figure(f"{name}, memory", nodes, middle.megabytes, "MB", repeat)


GROUPS: Final = MappingProxyType(
    {group.__name__: group for group in (load, explain, preempt, simulate, drains, trials)}
)
"""Groups of benchmarks that depend on the size of the cluster."""

Group = Callable[[Inputs, int], Iterator[Figure]]
