"""Who makes a pod anew, told by its owner or by the mark of a mirror pod; a node as owner counts like the mark."""

import pytest
from builders import made, pod

from kschedctl.workloads.controllers import MIRROR_ANNOTATION, is_daemon, is_recreated, is_static

NODE = {"apiVersion": "v1", "kind": "Node", "name": "n1"}
DAEMON_SET = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d"}
REPLICA_SET = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r"}


@pytest.mark.parametrize(
    ("owner", "annotations", "static", "daemon", "recreated"),
    [
        (None, {}, False, False, False),
        (REPLICA_SET, {}, False, False, True),
        (DAEMON_SET, {}, False, True, False),
        (NODE, {}, True, False, False),
        (None, {MIRROR_ANNOTATION: "x"}, True, False, False),
        (NODE, {MIRROR_ANNOTATION: "x"}, True, False, False),
    ],
    ids=["bare", "replica", "daemon", "owned by its node", "mirror", "mirror owned by its node"],
)
def test_what_becomes_of_a_pod(owner, annotations, static, daemon, recreated):
    data = pod("p", "n1", owner=owner)
    data["metadata"]["annotations"] = annotations
    found = made(data)
    assert (is_static(found), is_daemon(found), is_recreated(found)) == (static, daemon, recreated)
