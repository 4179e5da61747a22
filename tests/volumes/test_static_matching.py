"""The columnar search against the rules as they are written down, one volume and node at a time."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_builders import claim, cluster, node, volume

from kschedctl.objects.meta import LabelSelector
from kschedctl.objects.quantity import parse
from kschedctl.objects.selectors import parse_label_selector
from kschedctl.volumes.assumed import AssumedBindings, BindingPlan, ClaimReference
from kschedctl.volumes.claims import ClaimKey
from kschedctl.volumes.static_matching import NO_VOLUME, VolumePool
from kschedctl.volumes.topology import NodeTopology

HOSTS = ("n1", "n2", "n3")
REFERENCE = {"namespace": "default", "name": "c", "uid": "default/c"}


def nodes():
    return cluster(*(node(name) for name in HOSTS)).nodes


def find(claims, volumes, assumed=None):
    """Claim by claim the name of the volume on each host."""
    pool = VolumePool(volumes, NodeTopology(nodes()), assumed or AssumedBindings())
    taken = []
    for wanted in claims:
        selector = wanted.spec.selector and parse_label_selector(wanted.spec.selector)
        taken.append(pool.find(wanted, selector, taken))
    return [[pool.volumes[p].name if p != NO_VOLUME else None for p in found] for found in taken]


def found_for(wanted, *volumes, assumed=None):
    """The volume on n1."""
    return find([wanted], volumes, assumed)[0][0]


@pytest.mark.parametrize(
    ("wanted", "volumes", "expected"),
    [
        pytest.param({}, [("big", "20Gi", {}), ("small", "10Gi", {})], "small", id="the smallest that fits"),
        pytest.param({}, [("b", "10Gi", {}), ("a", "10Gi", {})], "a", id="equal sizes: by name"),
        pytest.param({}, [("a", "9Gi", {})], None, id="too small"),
        pytest.param({}, [("a", "10737418240.5", {})], "a", id="sizes are compared exactly"),
        pytest.param({"size": None}, [("a", "0", {})], "a", id="no size asked for"),
        pytest.param({}, [("a", "10Gi", {"phase": "Pending"})], None, id="not available yet"),
        pytest.param({}, [("a", "10Gi", {"phase": ""})], None, id="no phase"),
        pytest.param({}, [("a", "10Gi", {"volumeMode": "Block"})], None, id="another mode"),
        pytest.param(
            {}, [("a", "10Gi", {"volumeMode": "Filesystem"})], "a", id="the default mode written out"
        ),
        pytest.param({}, [("a", "10Gi", {"volumeAttributesClassName": "gold"})], None, id="attributes class"),
        pytest.param(
            {"volumeAttributesClassName": "gold"},
            [("a", "10Gi", {"volumeAttributesClassName": "gold"})],
            "a",
            id="equal attributes class",
        ),
        pytest.param({}, [("a", "10Gi", {"meta": {"deletionTimestamp": "2026-01-01"}})], None, id="deleted"),
        pytest.param({"accessModes": ["ReadWriteMany"]}, [("a", "10Gi", {})], None, id="access mode missing"),
        pytest.param(
            {"accessModes": ["ReadWriteMany"]},
            [("a", "10Gi", {"accessModes": ["ReadWriteOnce", "ReadWriteMany"]})],
            "a",
            id="modes are a subset",
        ),
        pytest.param({}, [("a", "10Gi", {"on": "n2"})], None, id="not reachable"),
        pytest.param({}, [("a", "10Gi", {"claimRef": {"name": "x"}})], None, id="for another claim"),
        pytest.param(
            {},
            [
                ("a", "10Gi", {}),
                ("b", "20Gi", {"claimRef": REFERENCE, "phase": "Pending", "accessModes": []}),
            ],
            "b",
            id="reserved: wins whatever its phase and modes",
        ),
        pytest.param(
            {},
            [("a", "10Gi", {}), ("b", "20Gi", {"claimRef": REFERENCE | {"uid": ""}})],
            "b",
            id="reserved without uid",
        ),
        pytest.param(
            {},
            [("a", "10Gi", {}), ("b", "20Gi", {"claimRef": REFERENCE | {"uid": "old"}})],
            "a",
            id="reserved for an earlier claim of that name",
        ),
        pytest.param(
            {},
            [("a", "10Gi", {}), ("b", "20Gi", {"claimRef": REFERENCE, "on": "n2"})],
            None,
            id="reserved but unreachable: no other is taken",
        ),
        pytest.param(
            {},
            [("a", "10Gi", {}), ("b", "5Gi", {"claimRef": REFERENCE})],
            "a",
            id="reserved but too small: skipped",
        ),
    ],
)
def test_choice(wanted, volumes, expected):
    made = [volume(name, size=size, **more) for name, size, more in volumes]
    assert found_for(claim("c", **wanted), *made) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param({}, "a", id="empty selects all"),
        pytest.param({"matchLabels": {"tier": "x"}}, "b", id="by label"),
        pytest.param({"matchLabels": {"tier": "y"}}, None, id="none"),
    ],
)
def test_selector(selector, expected):
    wanted = claim("c", selector=selector)
    assert wanted.spec.selector == msgspec.convert(selector, LabelSelector)
    assert found_for(wanted, volume("a"), volume("b", labels={"tier": "x"})) == expected


def test_each_node_gets_its_own_local_volume():
    local = [volume(f"pv-{host}", on=host) for host in HOSTS]
    assert find([claim("c")], local) == [["pv-n1", "pv-n2", "pv-n3"]]


def test_a_claim_used_twice_takes_two_volumes():
    shared = [volume("a"), volume("b", size="20Gi"), volume("c", on="n2")]
    wanted = claim("c")
    assert find([wanted, wanted], shared) == [["a", "a", "a"], ["b", "c", "b"]]


def test_a_claim_used_twice_has_only_one_reserved_volume():
    shared = [volume("a", claimRef=REFERENCE), volume("b")]
    wanted = claim("c")
    assert find([wanted, wanted], shared) == [["a"] * 3, ["b"] * 3]


def test_an_assumed_binding_reserves_the_volume():
    assumed = AssumedBindings()
    assumed.commit(BindingPlan("n1", (("a", ClaimReference(ClaimKey("default", "c"), "default/c")),)))
    volumes = [volume("a"), volume("b")]
    assert found_for(claim("c"), *volumes, assumed=assumed) == "a"
    assert found_for(claim("d"), *volumes, assumed=assumed) == "b"


def test_unfit_volumes_are_told_once_each():
    pool = VolumePool(
        [
            volume("far", on="n2"),
            volume("taken", claimRef={"name": "x"}),
            volume("small", size="1Gi"),
            volume("pending", phase="Pending"),
            volume("block", volumeMode="Block"),
        ],
        NodeTopology(nodes()),
        AssumedBindings(),
    )
    assert pool.unfit(claim("c"), 0) == {
        "not reachable": ["far"],
        "taken": ["taken"],
        "too small": ["small"],
        "not available": ["pending"],
        "without the labels that the claim selects": [],
        "of another kind": ["block"],
    }
    selecting = claim("c", selector={"matchLabels": {"role": "slave"}})
    assert pool.unfit(selecting, 0)["without the labels that the claim selects"] == ["block"]


def rules(claims, volumes, host):
    """Spec 04 §3.5 for one node, step by step."""
    chosen = []
    for wanted in claims:
        best = None
        for pv in sorted(volumes, key=lambda v: v.name):
            ref, spec = pv.spec.claim_ref, pv.spec
            mine = ref is not None and ref.name == wanted.name
            if pv.name in chosen or (ref is not None and not mine):
                continue
            size = parse(spec.capacity["storage"])
            if size < parse(wanted.spec.resources.requests["storage"]):
                continue
            if (spec.volume_mode or "Filesystem") != (wanted.spec.volume_mode or "Filesystem"):
                continue
            terms = spec.node_affinity and spec.node_affinity.required.node_selector_terms
            reachable = not terms or host in terms[0].match_expressions[0].values
            if mine:
                best = pv if reachable else None
                break
            if pv.status.phase != "Available" or not reachable:
                continue
            if not set(wanted.spec.access_modes) <= set(spec.access_modes):
                continue
            if best is None or size < parse(best.spec.capacity["storage"]):
                best = pv
        chosen.append(best.name if best else None)
    return chosen


MODES = st.sampled_from([["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadOnlyMany"]])
BLOCK = st.sampled_from([{}, {"volumeMode": "Block"}, {"volumeMode": "Filesystem"}])
SIZES = st.sampled_from(["1Gi", "2Gi", "3Gi"])


@st.composite
def volumes_(draw):
    made = []
    for i in range(draw(st.integers(0, 7))):
        extra = draw(BLOCK) | {"accessModes": draw(MODES)}
        # Two volumes reserved for one claim: the real scheduler takes a random one, so at most one here.
        if (owner := draw(st.sampled_from(["", "", "", "c0", "c1", "x"]))) and all(
            v.spec.claim_ref is None or v.spec.claim_ref.name != owner for v in made
        ):
            extra["claimRef"] = {"namespace": "default", "name": owner, "uid": ""}
        phase = draw(st.sampled_from(["Available", "Available", "Bound"]))
        made.append(
            volume(f"pv{i}", size=draw(SIZES), on=draw(st.sampled_from(["", *HOSTS])), phase=phase, **extra)
        )
    return made


@st.composite
def claims_(draw):
    names = draw(st.lists(st.sampled_from(["c0", "c1", "c2"]), min_size=1, max_size=3))
    kinds = {name: (draw(SIZES), draw(BLOCK) | {"accessModes": draw(MODES)}) for name in sorted(set(names))}
    return [claim(name, size=kinds[name][0], **kinds[name][1]) for name in names]


@given(claims_(), volumes_())
def test_the_search_follows_the_rules_on_every_node(claims, volumes):
    found = find(claims, volumes)
    assert [list(column) for column in zip(*found, strict=True)] == [
        rules(claims, volumes, host) for host in HOSTS
    ]
