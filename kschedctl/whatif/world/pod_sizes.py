"""What pods of a cluster ask for: the common sizes, by which free room is of use or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.workloads.controllers import is_daemon, is_static


class PodSize(Struct, frozen=True):
    """A size of pods.

    Attributes:
        requests: resource -> what one asks for, in the unit in which the scheduler counts; what it does not ask for is
            left out.
        pods: how many are of this size.
    """

    requests: Mapping[str, int]
    pods: int


def common_sizes(cluster: ClusterState, most: int) -> list[PodSize]:
    """The sizes of the pods on nodes, the most common first; those that belong to their nodes do not count."""
    records = cluster.pods.records
    placed = (records[pod] for pod in np.flatnonzero(cluster.pods.node >= 0).tolist())
    return sizes_of((one for one in placed if not is_daemon(one.pod) and not is_static(one.pod)), most)


def sizes_of(pods: Iterable[PodRecord], most: int) -> list[PodSize]:
    """The sizes of some pods, the most common first, equal ones in order of appearance."""
    counts: Counter[int] = Counter()
    class_of: dict[int, PodRecord] = {}
    for record in pods:
        counts[record.pod_class.index] += 1
        class_of.setdefault(record.pod_class.index, record)
    sizes: dict[tuple[tuple[str, int], ...], int] = {}
    for index, count in counts.items():
        asked = {name: amount for name, amount in class_of[index].pod_class.requests.items() if amount > 0}
        key = tuple(sorted(asked.items()))
        sizes[key] = sizes.get(key, 0) + count
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    return [PodSize(dict(key), count) for key, count in ordered if key][:most]
