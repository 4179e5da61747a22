"""Selectors that would run without end or fill the memory, and interrupts while one runs."""

import time

import pytest

from kschedctl.dra import cel_library
from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.cel_budget import EXCEEDED, may_grow_beyond_memory
from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.problem import CelProblem
from kschedctl.errors import UnsupportedError

GPU = DeviceFacts("gpu.example.com", {}, {}, allow_multiple_allocations=False)


def binding(first, count, step="{0}+{0}"):
    """Text or list that doubles `count` times."""
    body = f"size(x{count}) > 0"
    for i in range(count, 0, -1):
        body = f"cel.bind(x{i}, {step.format(f'x{i - 1}')}, {body})"
    return f"cel.bind(x0, {first}, {body})"


@pytest.mark.parametrize(
    "expression",
    [
        "lists.range(100000).distinct().size() > 0",
        "sets.contains(lists.range(50000), lists.range(50000))",
        "sets.intersects(lists.range(50000), lists.range(50000).map(x, -1))",
        "sets.equivalent(lists.range(50000), lists.range(50000))",
        "lists.range(9000).map(x, lists.range(9000)).size() > 0",
        "lists.range(2000000).size() > 0",
        "lists.range(9000).map(x, lists.range(500)).flatten().size() > 0",
    ],
)
def test_a_function_stops_at_the_cost_limit(expression):
    start = time.process_time()
    try:
        answer = DeviceSelectors().matches(expression, GPU)
    except UnsupportedError as error:
        answer = error
    assert answer == CelProblem("runtime", EXCEEDED) or "too costly" in str(answer)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        pytest.param('("a".replace("a", "b") + "c").replace("c", "d") == "bd"', True, id="replacing"),
        pytest.param('"aaaaaaaaaaaaaaaaaaaa!".find("(a+)+$") == ""', True, id="backtracking"),
        pytest.param('("%s" % "x") == "x"', None, id="no CEL"),
        pytest.param(binding('"ab"', 3), True, id="a few doublings"),
        pytest.param('"a".find("(") == ""', None, id="no expression"),
    ],
)
def test_what_is_usual_is_answered(expression, answer):
    found = DeviceSelectors().matches(expression, GPU)
    assert found is answer if answer is not None else isinstance(found, CelProblem)


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param('"a"' + '.replace("a", "aaaaaaaaaa")' * 12 + ' == ""', id="replacements"),
        pytest.param(
            '"a"' + ".replace(device.driver, device.driver)" * 3 + ' == ""', id="by what is not written"
        ),
        pytest.param(binding('"aaaaaaaaaa"', 40), id="doubled text"),
        pytest.param(binding("[1, 2]", 40), id="doubled list"),
        pytest.param(binding("['a']", 3, "lists.range(9000).map(i, {0}.join(','))"), id="joined in a loop"),
        pytest.param(
            binding("'a'", 3, "'%s'.format([lists.range(9000).map(i, {0})])"), id="formatted in a loop"
        ),
    ],
)
def test_what_could_fill_the_memory_is_refused(expression):
    assert may_grow_beyond_memory(expression)
    with pytest.raises(UnsupportedError, match="too costly") as refused:
        DeviceSelectors().matches(expression, GPU)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("(" * 40 + "true" + ")" * 40, id="brackets"),
        pytest.param("'a'" + " + 'a'" * 40 + " == 'a'", id="sums"),
        pytest.param("[" * 40 + "]" * 40 + ".size() > 0", id="lists"),
        pytest.param("(" * 40 + "semver('1.0.0') == semver('1.0.0')" + ")" * 40, id="with versions"),
    ],
)
def test_what_is_nested_too_deeply_is_no_mistake_of_the_selector(expression):
    """kube-scheduler compiles them."""
    with pytest.raises(UnsupportedError, match="nested too deeply"):
        DeviceSelectors().matches(expression, GPU)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_an_interrupt(monkeypatch, kind):
    def interrupted(*_):
        raise kind

    monkeypatch.setattr(cel_library.regex, "find_all", interrupted)
    with pytest.raises(kind):
        DeviceSelectors().matches('"a".find("a") == "a"', GPU)
    monkeypatch.undo()
    assert DeviceSelectors().matches('"a".find("a") == "a"', GPU) is True


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", "\\\\pL", "(?U)a+", "\\\\Qa\\\\E"])
def test_syntax_of_re2_alone_is_searched_for(pattern):
    assert DeviceSelectors().matches(f'"a".find("{pattern}") == "a"', GPU) is True


def test_each_device_has_a_budget_of_its_own():
    selectors = DeviceSelectors()
    for name in ("a", "b", "c"):
        device = DeviceFacts(name, {}, {}, allow_multiple_allocations=False)
        assert selectors.matches("lists.range(400000).sum() > size(device.driver)", device) is True
