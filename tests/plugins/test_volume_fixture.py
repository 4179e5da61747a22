"""The storage fixture: what is refused where, and in which words."""

from pathlib import Path

import pytest

from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import load
from kschedctl.whatif.session import Session

STORAGE = Path(__file__).parents[2] / "fixtures" / "storage"

ZONE_B = "claim archive is bound to disk-archive, which is only reachable in zone eu-1b"
ZONE_A = "claim ledger is bound to disk-ledger, which is only reachable in zone eu-1a"
LEDGER = "claim ledger is for one pod only (ReadWriteOncePod) and used by shop/ledger-writer on worker-a1"
NEW_DISK = "claim scratch can get a new volume of class gp3 only in zone eu-1a or eu-1b"


def no_local_volume(counts):
    return f"claim cache: no volume of class local-ssd fits here ({counts}), and the class makes none"


@pytest.fixture(scope="module")
def session():
    gates = feature_gates(V1_36)
    return Session(
        load([str(STORAGE / "cluster.yaml")]).objects,
        load_configuration(None, V1_36, gates, IN_TREE),
        SchedulingOptions(every_failure=True),
    )


@pytest.fixture(scope="module")
def candidates():
    return {pod.name: pod for pod in load([str(STORAGE / "pod.yaml")]).objects}


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        pytest.param(
            "cache",
            {
                "worker-a2": [no_local_volume("4 not reachable")],
                "worker-c1": [
                    no_local_volume("ssd-a1-small, ssd-b1, ssd-a1-big not reachable; ssd-c1 too small")
                ],
            },
            id="local volumes",
        ),
        pytest.param(
            "reader", {name: [ZONE_B] for name in ("worker-a1", "worker-a2", "worker-c1")}, id="zonal disk"
        ),
        pytest.param("builder", {"worker-c1": [NEW_DISK]}, id="class of two zones"),
        pytest.param(
            "auditor",
            {
                "worker-a1": [LEDGER],
                "worker-a2": [LEDGER],
                "worker-b1": [LEDGER, ZONE_A],
                "worker-c1": [LEDGER, ZONE_A],
            },
            id="claim for one pod",
        ),
        pytest.param(
            "importer",
            {
                "worker-a1": [ZONE_B],
                "worker-a2": [ZONE_B],
                "worker-b1": [
                    "csi driver ebs.csi.aws.com: 1 of 2 attachments used on worker-b1, this pod needs 2 more"
                ],
                "worker-c1": [ZONE_B, NEW_DISK],
            },
            id="attach limit",
        ),
    ],
)
def test_the_reasons_told_for_each_node(session, candidates, candidate, expected):
    record = session.enter(candidates[candidate])
    with session.deciding(record) as decision:
        found = {
            name: [detail.text for detail in decision.details_of(row)]
            for row, name in enumerate(session.cluster.nodes.names)
        }
        assert {name: texts for name, texts in found.items() if texts} == expected
