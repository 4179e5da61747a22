"""Files of pods and changes that come at their times."""

import pytest

from kschedctl.errors import InputError, KschedError
from kschedctl.whatif.queue.arrivals import Moment, load_arrivals

POD = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}"


def loaded(tmp_path, text, name="arrivals.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return load_arrivals(str(path))


def entry(tmp_path, text):
    (found,) = loaded(tmp_path, f"kind: Arrivals\narrivals:\n- {text}\n")
    return found


def test_a_pod_that_comes_and_ends(tmp_path):
    found = entry(tmp_path, f"{{at: 1.5, end: 9, create: {POD}}}")

    assert (found.at, found.end, found.duration) == (Moment(1.5), Moment(9), None)
    assert found.pod is not None
    assert found.pod.name == "a"


def test_dates(tmp_path):
    found = entry(tmp_path, f'{{at: "2026-01-01T00:00:30Z", create: {POD}}}')

    assert found.at.dated
    assert found.at.since(found.at.seconds - 30) == 30


def test_changes_of_other_objects(tmp_path):
    found = entry(tmp_path, "{at: 3, delete: {kind: Node, name: n1}}")

    assert (found.pod, found.action["delete"]["name"]) == (None, "n1")


def test_a_trace_has_a_pod_a_line(tmp_path):
    text = "at,name,duration,cpu,nvidia.com/gpu,priority\n0,x,60,500m,,7\n5,y,,,1,\n"
    x, y = loaded(tmp_path, text, "trace.csv")

    assert (x.at, x.duration, x.pod.spec.priority) == (Moment(0), 60, 7)
    assert x.pod.spec.containers[0].resources.requests == {"cpu": "500m"}
    assert y.pod.spec.containers[0].resources.requests == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        pytest.param("kind: Pod\n", "is no list of arrivals", 1, id="another kind"),
        pytest.param("kind: Arrivals\narrivals: []\n", "nothing arrives in it", None, id="nothing"),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, create: {apiVersion: v1, kind: Pod, sepc: {}}}\n",
            'create: sepc: unknown field; did you mean "spec"',
            3,
            id="a misspelt field",
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, patch: {kind: Node, name: a, merge: {spec: {taint: []}}}}\n",
            'patch: spec.taint: unknown field; did you mean "taints"',
            3,
            id="a misspelt field of a patch",
        ),
        pytest.param("kind: Arrivals\narrivals:\n- 7\n", "expected an entry with at:", 3, id="no entry"),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1}\n", "expected one of create", 3, id="nothing happens"
        ),
        pytest.param(f"kind: Arrivals\narrivals:\n- {{create: {POD}}}\n", "has no time", 3, id="no time"),
        pytest.param(
            f"kind: Arrivals\narrivals:\n- {{at: soon, create: {POD}}}\n",
            "'soon' is no time",
            3,
            id="no number",
        ),
        pytest.param(
            f"kind: Arrivals\narrivals:\n- {{at: -1, create: {POD}}}\n", "is to come", 3, id="in the past"
        ),
        pytest.param(
            f"kind: Arrivals\narrivals:\n- {{at: 1, when: 2, create: {POD}}}\n",
            "unknown field when",
            3,
            id="field",
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, create: {apiVersion: v1, kind: Nod}}\n",
            "not a kind",
            3,
            id="unknown kind of object",
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, end: 2, delete: {kind: Node, name: n1}}\n",
            "only a pod",
            3,
            id="what cannot end",
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, delete: {kind: Node}}\n", "kind and name", 3, id="no name"
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, delete: {kind: Nodule, name: n1}}\n",
            "Nodule is not a kind",
            3,
            id="unknown kind of what goes",
        ),
        pytest.param(
            "kind: Arrivals\narrivals:\n- {at: 1, create: {apiVersion: v1, kind: Pod, spec: 5}}\n",
            "Expected `object`, got `int`",
            3,
            id="a field of another type",
        ),
    ],
)
def test_problems_say_where(tmp_path, text, message, line):
    with pytest.raises(InputError, match=message) as raised:
        loaded(tmp_path, text)
    assert raised.value.place is not None
    assert raised.value.place.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "nothing arrives in it", id="empty"),
        pytest.param("at,name\n", "nothing arrives in it", id="names alone"),
        pytest.param("at,name\n0,\n", "has no name", id="no name"),
        pytest.param("at,name\n,x\n", "has no time", id="no time"),
        pytest.param("at,name,cpu\n0,x,abc\n", "create: .*abc", id="no quantity"),
        pytest.param("at,name,priority\n0,x,high\n", "priority: expected a whole number", id="priority"),
    ],
)
def test_problems_of_traces(tmp_path, text, message):
    with pytest.raises(KschedError, match=message):
        loaded(tmp_path, text, "trace.csv")


def test_a_trace_that_is_not_there():
    with pytest.raises(InputError, match="no such file"):
        load_arrivals("/nowhere/trace.csv")
