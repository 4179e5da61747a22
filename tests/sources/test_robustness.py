"""Whatever the bytes, a load answers with objects or with an error that has a place."""

import gzip
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from kschedctl.errors import InputErrors, KschedError
from kschedctl.sources.load import load

from .builders import NODE, POD, json_bytes, list_of, node, pod

SEEDS = [
    (
        NODE + "---\n" + POD + "spec:\n  containers:\n  - {name: c, resources: {requests: {cpu: 1}}}\n"
    ).encode(),
    b"a: &a {x: [1]}\nb:\n  <<: *a\n  c: *a\n",
    json_bytes(list_of(node("n1"), pod("a", containers=[{"name": "c", "image": "i\u00e9"}])), indent=1),
    json_bytes(pod("a")) * 2,
    gzip.compress(json_bytes(pod("a"))),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good input with a few bytes replaced, removed or put in."""
    text = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        text[start : start + draw(st.integers(0, 3))] = draw(
            st.binary(max_size=3)
            | st.sampled_from([b"\n", b"\t", b"{", b"]", b"null", b"&a ", b"*a", b"---\n", b"5"])
        )
    return bytes(text)


@settings(max_examples=300)
@given(damaged() | st.binary(max_size=50))
def test_damaged_input(content):
    try:
        loaded = load(["-"], stdin=io.BytesIO(content))
    except KschedError as error:
        problems = error.problems if isinstance(error, InputErrors) else (error,)
        assert all(p.place is not None and p.place.file == "stdin" for p in problems)
    else:
        assert all(loaded.place_of(i).line for i in range(len(loaded.objects)))


def test_aliases_may_nest_deeper_than_the_text():
    links = "".join(f"l{i + 1}: &l{i + 1} [*l{i}]\n" for i in range(1_200))
    spec = "spec: {volumes: [{ephemeral: {volumeClaimTemplate: {deep: *l1200}}}]}\n"
    content = f"l0: &l0 []\n{links}{POD}{spec}".encode()
    assert len(load(["-"], stdin=io.BytesIO(content)).objects) == 1
