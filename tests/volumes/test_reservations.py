"""What follows the promises step by step must equal what is made anew."""

from hypothesis import given
from hypothesis import strategies as st
from storage_builders import claim, volume

from kschedctl.volumes.assumed import AssumedBindings, BindingPlan, ClaimReference
from kschedctl.volumes.claims import key_of, uid_of
from kschedctl.volumes.reservations import Reservations

CLAIMS = [claim(name) for name in "abc"]
VOLUMES = [
    volume("free"),
    volume("other"),
    volume("written", claimRef={"namespace": "default", "name": "a", "uid": ""}),
    volume("of an earlier a", claimRef={"namespace": "default", "name": "a", "uid": "gone"}),
]
NAMES = [*(made.name for made in VOLUMES), "of another class"]


def seen(reservations):
    names = [made.name for made in VOLUMES]
    return (
        dict(zip(names, reservations.claimed.tolist(), strict=True)),
        {made.name: [names[i] for i in reservations.of(made)] for made in CLAIMS},
    )


def test_what_is_written_in_the_volumes():
    claimed, of = seen(Reservations(VOLUMES, AssumedBindings()))
    assert claimed == {"free": False, "other": False, "written": True, "of an earlier a": True}
    assert of == {"a": ["written"], "b": [], "c": []}


def test_a_promise_holds_until_it_is_taken_back():
    assumed = AssumedBindings()
    reservations = Reservations(VOLUMES, assumed)
    before = seen(reservations)
    undo = assumed.commit(plan(("free", "b"), ("written", "c")))
    claimed, of = seen(reservations.catch_up())
    assert claimed["free"]
    assert of == {"a": [], "b": ["free"], "c": ["written"]}
    undo()
    assert seen(reservations.catch_up()) == before


def plan(*promised):
    by_name = {made.name: ClaimReference(key_of(made), uid_of(made)) for made in CLAIMS}
    return BindingPlan("n1", tuple((name, by_name[wanted]) for name, wanted in promised))


PROMISES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from("abc")), min_size=1, max_size=3)


@given(st.lists(st.one_of(st.none(), PROMISES), max_size=8), st.sets(st.integers(0, 8)))
def test_promises_that_come_and_go(steps, looks):
    """A step of None takes back the latest promises; looks in between must not change what comes after."""
    assumed = AssumedBindings()
    reservations = Reservations(VOLUMES, assumed)
    undo = []
    for number, step in enumerate(steps):
        if step is not None:
            undo.append(assumed.commit(plan(*step)))
        elif undo:
            undo.pop()()
        if number in looks:
            reservations.catch_up()
    assert seen(reservations.catch_up()) == seen(Reservations(VOLUMES, assumed))
