import pytest
from storage_builders import catalog, claim, pod, storage_class, volume

from kschedctl.volumes.advice import advice

SCRATCH = {"name": "scratch", "ephemeral": {}}


@pytest.mark.parametrize(
    ("objects", "volumes", "part"),
    [
        pytest.param([], ["c"], "PersistentVolumeClaim default/c is not in the input", id="claim missing"),
        pytest.param(
            [], [SCRATCH], "makes claim p-scratch once the pod exists", id="ephemeral claim missing"
        ),
        pytest.param(
            [claim("c", volume="pv", status={"phase": "Lost"})], ["c"], "claim c was deleted", id="lost"
        ),
        pytest.param(
            [claim("c", volume="pv", meta={"deletionTimestamp": "2026-01-01"})],
            ["c"],
            "deleted as soon as no pod uses it",
            id="being deleted",
        ),
        pytest.param([claim("p-scratch")], [SCRATCH], "rename the pod or the claim", id="not the owner"),
        pytest.param([claim("c", volume="pv", bound=False)], ["c"], "names volume pv but", id="half bound"),
        pytest.param([claim("c", None)], ["c"], "has no storage class", id="no class"),
        pytest.param([claim("c", "x")], ["c"], "StorageClass x is not in the input", id="class missing"),
        pytest.param(
            [claim("c", "x"), storage_class("x", wait=False)], ["c"], "class x binds at once", id="immediate"
        ),
        pytest.param(
            [claim("c", volume="pv")], ["c"], "PersistentVolume pv is not in the input", id="volume missing"
        ),
    ],
)
def test_advice(objects, volumes, part):
    hint = advice(pod("p", *volumes), catalog(*objects))
    assert hint is not None
    assert part in hint


def test_no_advice_where_nothing_stops_the_pod():
    assert advice(pod("p", "c"), catalog(claim("c", volume="pv"), volume("pv"))) is None
