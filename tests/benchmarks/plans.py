"""How far plans are above what nobody can do for less, on random problems: `python -m tests.benchmarks.plans`.

Every answer is proved by a simulation from scratch: with these nodes each pod finds one.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from msgspec import Struct

from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.objects.meta import TopLevel
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import load
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.mix import cheapest_fleet
from kschedctl.whatif.fleet.wish import Fleet, Wish
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate

_ZONE = "topology.kubernetes.io/zone"
_HOST = "kubernetes.io/hostname"
_OPTIONS = SchedulingOptions(every_failure=False, score_single=False)
_KINDS = ((2, 4), (4, 4), (4, 8), (8, 2), (8, 4), (16, 4), (16, 8), (32, 4))
"""Cores, and GiB of memory a core."""
_LARGE = ((16, 8), (32, 4))
"""One of these is sold everywhere, so that every pod has a place."""


class Problem(Struct, frozen=True):
    """What is to run, and what can be bought.

    Attributes:
        cluster: what is there.
        release: what is to run.
        shapes: what can be bought.
    """

    cluster: list[TopLevel]
    release: list[TopLevel]
    shapes: list[Shape]


class Solved(Struct, frozen=True):
    """A problem with its answer.

    Attributes:
        seed: by which it was made.
        shapes: how many can be bought.
        pods: how many are to run.
        cost: of what is bought.
        bound: nobody can do it for less.
        trials: how many mixes were simulated.
        seconds: of the processor.
        proved: whether each pod has a node in a simulation from scratch.
    """

    seed: int
    shapes: int
    pods: int
    cost: float
    bound: float
    trials: int
    seconds: float
    proved: bool

    @property
    def above(self) -> float:
        """How far the cost is above the bound, as a part of it."""
        return self.cost / self.bound - 1


def problem(seed: int, *, large_pods: bool = False) -> Problem:
    """A random problem: up to six shapes in up to three zones, up to twenty workloads, a daemon, one old node."""
    rng = random.Random(seed)
    zones = ("a", "b", "c")[: rng.randint(1, 3)]
    cluster = [_node("old", 4, 4, zones[0]), _daemon_set()]
    release = [_workload(rng, at, zones, large=large_pods) for at in range(rng.randint(5, 20))]
    shapes = []
    large = rng.choice(_LARGE)
    others = rng.sample([kind for kind in _KINDS if kind != large], rng.randint(1, 5))
    for cores, memory in (large, *others):
        (template,) = _objects([_node("x", cores, memory)])
        price = round(cores * (0.03 + 0.005 * memory) * rng.uniform(0.8, 1.25), 4)
        sold = zones if shapes == [] else tuple(sorted(rng.sample(zones, rng.randint(1, len(zones)))))
        shapes.append(Shape(f"s{cores}-{memory}", template=template, price=price, zones=sold))
    return Problem(_objects(cluster), _objects(release), shapes)


def solved(seed: int, trials: int, *, large_pods: bool) -> Solved:
    """The answer to a problem, with its proof."""
    asked = problem(seed, large_pods=large_pods)
    configuration = load_configuration(None, DEFAULT, feature_gates(DEFAULT), IN_TREE)
    began = time.process_time()
    session = Session(asked.cluster, configuration)
    fleet = cheapest_fleet(session, _OPTIONS, Wish(Plan(asked.release), asked.shapes, most_trials=trials))
    took = time.process_time() - began
    return Solved(
        seed=seed,
        shapes=len(asked.shapes),
        pods=len(fleet.found.tasks),
        cost=fleet.cost,
        bound=fleet.bound or float("nan"),
        trials=fleet.trials,
        seconds=took,
        proved=fleet.possible and _is_proved(asked, fleet, Session(asked.cluster, configuration)),
    )


def _is_proved(asked: Problem, fleet: Fleet, session: Session) -> bool:
    added = [
        asked.shapes[column.shape].bought(column.zone, count)
        for column, count in zip(fleet.columns, fleet.mix, strict=True)
        if count
    ]
    found = simulate(session, SchedulingOptions(), Plan(asked.release, changes=added))
    return all(task.placed for task in found.tasks)


def _node(name: str, cores: int, memory: int, zone: str = "") -> dict[str, Any]:
    labels = {_HOST: name} | ({_ZONE: zone} if zone else {})
    room = {"cpu": str(cores), "memory": f"{cores * memory}Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": room},
    }


def _pods(name: str, cpu: int, memory: int, **spec: Any) -> dict[str, Any]:
    requests = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
    container = {"name": "c", "image": "app", "resources": {"requests": requests}}
    labels = {"app": name}
    return {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container], **spec}},
    }


def _daemon_set() -> dict[str, Any]:
    spec = _pods("shipper", 100, 256)
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "shipper"}, "spec": spec}


def _workload(rng: random.Random, at: int, zones: tuple[str, ...], *, large: bool) -> dict[str, Any]:
    name = f"w{at}"
    selector = {"matchLabels": {"app": name}}
    rules: dict[str, Any] = {}
    luck = rng.random()
    if luck < 0.2:
        term = {"topologyKey": _HOST, "labelSelector": selector}
        rules["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    elif luck < 0.45:
        spread = {"maxSkew": 1, "topologyKey": _ZONE, "whenUnsatisfiable": "DoNotSchedule"}
        rules["topologySpreadConstraints"] = [spread | {"labelSelector": selector}]
    elif luck < 0.5:
        rules["nodeSelector"] = {_ZONE: rng.choice(zones)}
    cpu = rng.choice((100, 250, 500, 750, 1000, 1500, *((2000, 3000) if large else ())))
    memory = cpu * rng.choice((1, 2, 4, *((6, 8) if large else ())))
    spec = _pods(name, cpu, memory, **rules) | {"replicas": rng.randint(1, 12)}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def _objects(data: list[dict[str, Any]]) -> list[TopLevel]:
    import io

    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": data})
    return load(["-"], stdin=io.BytesIO(text.encode())).objects


def _lines(found: list[Solved]) -> Iterator[str]:
    above = sorted(one.above for one in found)
    yield f"{len(found)} problems, {sum(one.proved for one in found)} answers proved by a simulation from scratch"
    yield f"above the bound: median {median(above):.1%}, nine of ten at most {above[len(above) * 9 // 10]:.1%}, "
    yield f"  worst {above[-1]:.1%}; {sum(one.seconds for one in found):.0f} s of the processor"


def main() -> None:
    """Print a line for each problem, and what they come to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument(
        "--large-pods", action="store_true", help="also pods that ask for most of the smaller nodes"
    )
    chosen = parser.parse_args()
    found = []
    print("seed  shapes  pods     cost    bound  above  mixes  seconds")
    for seed in range(chosen.first, chosen.first + chosen.count):
        one = solved(seed, chosen.trials, large_pods=chosen.large_pods)
        found.append(one)
        print(
            f"{seed:4}  {one.shapes:6}  {one.pods:4}  {one.cost:7.3f}  {one.bound:7.3f}  {one.above:5.1%}  "
            f"{one.trials:5}  {one.seconds:7.1f}{'' if one.proved else '  NOT PROVED'}",
            flush=True,
        )
    print("\n".join(_lines(found)))


if __name__ == "__main__":
    main()
