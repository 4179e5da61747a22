"""Situations from public reports: the whole answer at 80 columns, and what a person has to learn from it."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = "fixtures/cases"
_EXPLAINED = {
    "02-anti-affinity-symmetric-existing": [
        "anti-affinity",
        "default/agent-1 evicted from n1",
    ],
    "04-affinity-only-node-is-pod-full": ["places for pods are taken", "evicted from n1"],
    "06-affinity-to-lower-priority-victim": [
        "in the way default/filler-0",
        "cpu request <= 0.5 (n1)",
        "its pod affinity is to pods that would go with them",
    ],
    "08-spread-nodetaintspolicy-honor": [
        "goes to w3",
        "nodeTaintsPolicy: Honor decides: with Ignore, the default",
    ],
    "10-spread-rolling-update-old-revision": ["web-plain goes to za-1", "web-keyed goes to zb-1"],
    "12-spread-missing-topology-label": ["n1 labelled example.com/rack"],
    "14-spread-mindomains-too-few-zones": ["minDomains <= 2 for the spread"],
    "16-preempt-pdb-reprieved-victim": ["helps on worker1", "default/high (priority 1000) goes"],
    "18-preempt-policy-never-overprovision": ["is Never", "default/pause-1 evicted from n1"],
    "20-preempt-latest-start-is-daemonset": ["helps on n1 (1 victim): default/probe-ds-x (priority 0) goes"],
    "22-request-larger-than-node-unresolvable": ["none of the 4 nodes has more than 16"],
    "24-added-affinity-vs-daemonset": ["the scheduler profile adds a node affinity"],
    "26-prefer-noschedule-is-score-only": ["small goes to n2", "large goes to n1"],
    "28-node-affinity-gt-with-float": ["node affinity build Gt [150.1] dropped"],
    "30-node-name-differs-from-hostname-label": ["goes to worker-a.lab.example"],
    "32-volume-zone-selector-terms-ored": ["node affinity capacity-type In also spot"],
    "34-rwo-not-enforced-by-scheduler": ["ReadWriteOnce and in use by", "Multi-Attach"],
    "36-csi-attach-limit-reached": [
        "n1 attaches 3 volumes",
        "in the way default/p0 has 1 attachment of block.csi.example",
    ],
    "38-csi-storage-capacity": ["claim big for 20Gi or less"],
    "40-sidecar-request-sum": ["goes to n2"],
    "42-runtimeclass-overhead-and-selector": ["overhead of runtime class", "n2 labelled sandbox=enabled"],
    "44-quantity-suffixes": ["cpu"],
    "46-cpu-fragmentation": ["in no piece of 2: the largest is 1", "default/t1 has 7 cpu"],
    "48-reasons-hidden-by-aggregation": ["n2 uncordoned", "n3 labelled disk=ssd"],
    "50-bin-packing-second-profile": ["packed goes to n1", "spread goes to n2"],
    "52-besteffort-pods-count-in-score": ["goes to n2"],
    "54-percentage-of-nodes-small-cluster": [
        "goes to n6",
        "percentageOfNodesToScore: 5 changes nothing here",
    ],
    "56-scheduling-gates": ["scheduling gate queue.example.com/admission removed"],
    "03-terminating-holds-room": ["default/front-old-x is gone from n1 (terminating now); waiting is enough"],
    "09-uninitialized-taint": ["the cloud controller manager removes it"],
    "13-namespace-node-selector": [
        "has the annotation openshift.io/node-selector",
        "no node has these labels",
    ],
    "17-released-or-wrong-local-pv": ["volume pv2 labelled role=slave", "pv1 taken"],
    "19-dra-shared-counters": ["p-share goes to n1"],
}
"""Folder -> what a person has to read in the explanation of its pods."""

_OTHERS = {
    "01-maxskew2-rollout-one-zone": (
        ("simulate", "pod.yaml", "--rollout", "rolling"),
        [
            "all 3 pods placed",
            "counts the old pods as long as they are there",
            "this one ends 2, 1 (skew 1, maxSkew 2)",
        ],
    ),
    "11-victim-of-other-scheduler": (
        ("preempt", "pod.yaml"),
        ["is placed by another scheduler (most-allocated)"],
    ),
    "05-drain-unready-budget": (("drain", "n1"), ["is not ready: unhealthyPodEvictionPolicy: AlwaysAllow"]),
    "07-descheduler-zone-vs-host-loop": (
        ("explain", "pod/api-r1-4"),
        ["goes to za-", "za-2 over za-0 PodTopologySpread +200"],
    ),
    "15-rollout-rwo-multiattach": (
        ("simulate", "pod.yaml", "--rollout", "rolling"),
        [
            "claim state is ReadWriteOnce and in use by backend-r1-a on n1 (Multi-Attach)",
            "with maxSurge: 0 and maxUnavailable: 1 an old pod goes first",
        ],
    ),
    "21-quota-blocks-surge": (
        ("simulate", "pod.yaml", "--rollout", "rolling"),
        ["room in ResourceQuota prod/resource-quota (limits.cpu: 21.5 of 24 used, 3 wanted)"],
    ),
    "23-rolling-update-leaves-skew": (
        ("simulate", "release.yaml", "--rollout", "rolling"),
        [
            "5 new, 0 old left",
            "counts the old pods as long as they are there, so that an update may end uneven",
            "this one ends 2, 2, 1 (skew 1, maxSkew 1); matchLabelKeys: [pod-template-hash]",
        ],
    ),
    "25-pods-that-name-their-node": (("simulate", "release.yaml"), ["OutOfmemory"]),
    "27-drain-empty-domain-still-counts": (
        ("drain", "n4"),
        ["can be emptied, and 1 pod waits until the node is deleted", "nodeTaintsPolicy: Honor avoids that"],
    ),
}
"""Folder -> the question, and what a person has to read in its answer."""


def _arguments(folder, question):
    where = f"{_FOLDER}/{folder}"
    return [
        *(f"{where}/{one}" if one.endswith(".yaml") else one for one in question),
        *("-c", f"{where}/cluster.yaml"),
        *(["--scheduler-config", f"{where}/config.yaml"] if Path(where, "config.yaml").exists() else []),
    ]


@pytest.mark.parametrize(
    ("folder", "question", "facts"),
    [
        *(pytest.param(name, ("explain", "pod.yaml"), facts, id=name) for name, facts in _EXPLAINED.items()),
        *(pytest.param(name, question, facts, id=name) for name, (question, facts) in _OTHERS.items()),
    ],
)
def test_situations(run, in_the_root, golden, folder, question, facts):
    done = run(*_arguments(folder, question))
    assert done.err == ""
    told = " ".join(done.out.split())
    assert [fact for fact in facts if fact not in told] == []
    golden(Path(__file__).parent / "golden" / f"situation-{folder}.txt", done.out)


def test_every_situation_is_read(in_the_root):
    assert {path.name for path in Path(_FOLDER).iterdir()} == {*_EXPLAINED, *_OTHERS}
