"""Sums over the pods of some templates are those over all, whatever came, went or changed since these were sorted."""

import random

import numpy as np
import pytest
from builders import made, pod, session

from kschedctl.cluster import pods_by_template
from kschedctl.cluster.pod_classes import PodClasses
from kschedctl.cluster.pods import PodRecord, PodTable

NODES = 3
KINDS = [
    session().admission.admit_existing(made(pod("p", labels={"app": app}, cpu=cpu)))
    for app in ("a", "b", "c")
    for cpu in ("1", "2", "3")
]
"""Of three templates, with three sets of labels each."""


def naive(table, weights):
    total = [0] * NODES
    for record, row in zip(table.records, table.node.tolist(), strict=True):
        if row >= 0:
            total[row] += int(weights[record.pod_class.index])
    return total


@pytest.mark.parametrize(("late", "many"), [(0, 64), (5, 64), (50, 64), (5, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_over_all_pods(seed, late, many, monkeypatch):
    monkeypatch.setattr(pods_by_template, "_MOST_LATE", late)
    monkeypatch.setattr(pods_by_template, "_MANY", many)
    draw = random.Random(seed)
    classes = PodClasses()
    table = PodTable(classes, [draw.choice(KINDS) for _ in range(20)])
    for _ in range(300):
        what, last = draw.random(), len(table) - 1
        if what < 0.4:
            table.add(draw.choice(KINDS))
        elif what < 0.6 and last > 0:
            count = draw.randrange(1, min(last, 4) + 1)
            table.node[-count:] = -1
            table.drop_last(count)
        elif what < 0.8:
            number, version = draw.randrange(last + 1), draw.choice(KINDS)
            table.exchange(PodRecord(number, version, classes.of(version)))
        else:
            table.node[draw.randrange(last + 1)] = draw.randrange(-1, NODES)
        weights = np.array([draw.choice([0, 0, 1, 3]) for _ in range(len(classes))], np.int64)
        assert table.sum_by_node(weights, NODES).tolist() == naive(table, weights)
