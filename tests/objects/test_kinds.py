"""Which kinds that scheduling does not read may have controllers that make pods."""

import pytest

from kschedctl.objects.kinds import may_make_pods


@pytest.mark.parametrize(
    ("api_version", "kind", "may"),
    [
        pytest.param("v1", "ConfigMap", False, id="of the core group"),
        pytest.param("v1", "Template", True, id="none of the core group"),
        pytest.param("apps/v1", "Rollout", True, id="none of a group of Kubernetes"),
        pytest.param("policy/v1beta1", "PodSecurityPolicy", False, id="one that is gone"),
        pytest.param("apps/v1beta1", "Deployment", False, id="told as one of another version"),
        pytest.param("networking.k8s.io/v1", "Ingress", False, id="of another group of Kubernetes"),
        pytest.param("snapshot.storage.k8s.io/v1", "VolumeSnapshot", False, id="of an official extension"),
        pytest.param("example.com/v1", "Thing", True, id="of another maker"),
        pytest.param("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", True, id="of an experiment"),
    ],
)
def test_may_make_pods(api_version, kind, may):
    assert may_make_pods(api_version, kind) is may
