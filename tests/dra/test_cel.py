"""Selectors: what they see of a device, and the texts with which they fail."""

from __future__ import annotations

import pytest

from kschedctl.dra import cel
from kschedctl.dra.cel import DeviceSelectors, attribute_text
from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.problem import CelProblem
from kschedctl.errors import UnsupportedError
from kschedctl.objects.quantity import parse
from kschedctl.objects.resource import DeviceAttribute

GPU = DeviceFacts(
    "gpu.example.com",
    {
        "model": DeviceAttribute(string_value="a100"),
        "numa": DeviceAttribute(int_value=0),
        "driverVersion": DeviceAttribute(version_value="1.10.0"),
        "ecc": DeviceAttribute(bool_value=True),
        "other.example.com/slot": DeviceAttribute(int_value=7),
    },
    {"memory": parse("80Gi")},
    allow_multiple_allocations=False,
)
DOMAIN = 'device.attributes["gpu.example.com"]'
MEMORY = 'device.capacity["gpu.example.com"].memory'


@pytest.fixture(scope="module")
def selectors() -> DeviceSelectors:
    return DeviceSelectors()


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "gpu.example.com"',
        "!device.allowMultipleAllocations",
        f'{DOMAIN}.model in ["h100", "a100"]',
        f"{DOMAIN}.ecc",
        f"{DOMAIN}.numa < 1.5",
        f'{DOMAIN}.numa != "0"',
        f'{DOMAIN}.driverVersion.isGreaterThan(semver("1.9.0"))',
        f'{DOMAIN}.driverVersion == semver("v1.10", true)',
        f"{DOMAIN}.driverVersion.minor() == 10",
        'device.attributes["other.example.com"].slot == 7',
        f'{MEMORY}.compareTo(quantity("40Gi")) >= 0',
        f'{MEMORY} == quantity("81920Mi")',
        f'{MEMORY}.sub(quantity("80Gi")).sign() == 0',
        f'{MEMORY}.add(1).isGreaterThan(quantity("80Gi"))',
        f"{MEMORY}.isInteger() && {MEMORY}.asInteger() == 85899345920",
        f'!has({DOMAIN}.missing) && !("missing" in {DOMAIN})',
        '!has(device.attributes["unknown"].x)',
        "has(device.attributes.unknown)",
        '!("unknown" in device.attributes)',
        "device.attributes.size() == 2",
        "device.attributes.exists(d, device.attributes[d].numa == 0)",
        'device.attributes[?"unknown"].?x.orValue(2) == 2',
        f"cel.bind(a, {DOMAIN}, a.numa == 0 && a.ecc)",
        f"{DOMAIN}.missing || true",
        "[1, 2, 3].sum() == 6 && [1, 2].isSorted() && [3, 1].max() == 3",
        'device.driver.includes("gpu.example.com") && ["a"].includes("a")',
        "sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1])",
        '"a1b22".findAll("[0-9]+") == ["1", "22"]',
        'isQuantity("1Gi") && !isQuantity("x") && isSemver("1.2.3") && !isSemver("1.2")',
        'device.driver == """gpu.example.com""" // device.attributes["x"].y',
        f'sign({MEMORY}.sub(quantity("80Gi"))) == 0',
        "[1, 2, 3].slice(1, 2) == [2] && [[1], [2, [3]]].flatten(2) == [1, 2, 3]",
        'has(device.driver) && has( device.attributes ) && has(device.capacity["gpu.example.com"].memory)',
        '!has(device.attributes["un" + "known"].x) && size(device.attributes["un" + "known"]) == 0',
        f'!("x" in device.attributes[{DOMAIN}.model]) && !({DOMAIN}.model in device.attributes)',
        'cel.bind(all, device.attributes, has(all["gpu.example.com"].model))',
    ],
)
def test_selects(selectors: DeviceSelectors, expression: str) -> None:
    assert selectors.matches(expression, GPU) is True


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (f'{DOMAIN}.missing == "x"', "no such key: missing"),
        ('device.attributes["unknown"].x == 1', "no such key: x"),
        ("device.attributes.unknown.x == 1", "no such key: x"),
        (f"{DOMAIN}.model < 3", "no such overload"),
        (f"{DOMAIN}.numa && true", "no such overload"),
        ("lists.range(2000000).size() > 1", "operation cancelled: actual cost limit exceeded"),
        (
            f'{DOMAIN}.model.compareTo(quantity("1")) == 0',
            "no such overload: compareTo(string, kubernetes.Quantity)",
        ),
        (
            'quantity("x") == quantity("1")',
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ('semver("1.2") == semver("1.2.0")', "No Major.Minor.Patch elements found"),
        (
            f"{DOMAIN}.numa",
            "CEL result of type int could not be converted to bool: "
            "unsupported type conversion from 'int' to bool",
        ),
        (f"1 / {DOMAIN}.numa == 1", "division by zero"),
        ("[1][3] == 1", "index out of bounds: 3"),
        ("[1].slice(0, 2) == []", "cannot slice(0, 2), list is length 1"),
        ("[1].slice(1, 0) == []", "cannot slice(1, 0), start index must be less than or equal to end index"),
        ('device.attributes["un" + "known"].x == 1', "no such key: x"),
        (
            'dyn(semver("1.2.3"))',
            "CEL result of type kubernetes.Semver could not be converted to bool: "
            "type conversion error from 'Semver' to 'bool'",
        ),
        (
            'dyn(quantity("1"))',
            "CEL result of type kubernetes.Quantity could not be converted to bool: "
            "type conversion error from 'Quantity' to 'bool'",
        ),
    ],
)
def test_runtime_problem(selectors: DeviceSelectors, expression: str, text: str) -> None:
    assert selectors.matches(expression, GPU) == CelProblem("runtime", text)


@pytest.mark.parametrize(
    ("expression", "start"),
    [
        ("1", "must evaluate to bool or the unknown type, not int"),
        ("device.driver ==", "compilation failed: ERROR: <input>:1:17: Syntax error: mismatched input"),
        ("device.foo == 1", "compilation failed: ERROR: <input>:1:7: undefined field 'foo'"),
        (
            f'{MEMORY} > quantity("1")',
            "compilation failed: ERROR: <input>:1:43: found no matching overload for '_>_' "
            "applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        ),
        ("nofunction(1)", "compilation failed: ERROR: <input>:1:11: undeclared reference to 'nofunction'"),
    ],
)
def test_compile_problem(selectors: DeviceSelectors, expression: str, start: str) -> None:
    problem = selectors.matches(expression, GPU)
    assert isinstance(problem, CelProblem)
    assert problem.kind == "compile"
    assert problem.text.startswith(start)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (DeviceAttribute(int_values=(1, 2)), "attribute odd: unsupported attribute value"),
        (
            DeviceAttribute(version_value="1.2"),
            "attribute odd: parse semantic version: No Major.Minor.Patch elements found",
        ),
    ],
    ids=["list", "version"],
)
def test_every_attribute_must_be_convertible(
    selectors: DeviceSelectors, attribute: DeviceAttribute, text: str
) -> None:
    odd = DeviceFacts("drv", {"odd": attribute}, {}, allow_multiple_allocations=False)
    assert selectors.matches("true", odd) == CelProblem("runtime", text)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ('isIP("1.2.3.4")', "isIP"),
        ("device.attributes.exists(k, v, v.numa == 0)", "exists"),
        ('["a"].indexOf("a") == 0', "indexOf"),
    ],
)
def test_what_is_not_there_is_said(selectors: DeviceSelectors, expression: str, name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"function {name} of"):
        selectors.matches(expression, GPU)


@pytest.mark.parametrize(
    "expression",
    [
        'cel.bind(all, device.attributes, has(all["unknown"].x))',
        '[device.capacity].exists(all, has(all["unknown"].x))',
        '(device.attributes)["unknown"].x == 1',
    ],
)
def test_what_is_looked_up_under_another_name_is_said(selectors: DeviceSelectors, expression: str) -> None:
    with pytest.raises(UnsupportedError, match="cannot be told"):
        selectors.matches(expression, GPU)


def test_what_is_too_costly_is_said(selectors: DeviceSelectors) -> None:
    with pytest.raises(UnsupportedError, match="too costly"):
        selectors.matches("lists.range(200).all(x, lists.range(200).all(y, x + y >= 0))", GPU)


def test_text_for_people_tells_what_the_expression_names() -> None:
    assert attribute_text(GPU, f'{DOMAIN}.model == "h100"') == "model=a100"


ODD = [
    {"odd": DeviceAttribute(int_values=(1, 2))},
    {"odd": DeviceAttribute(version_value="1.2")},
]
SEEN = [
    *(
        {"numa": DeviceAttribute(int_value=n), "gpu.example.com/model": DeviceAttribute(string_value="a")}
        for n in (0, 1)
    ),
    {"gpu.example.com/numa": DeviceAttribute(int_value=1)},
    {"nic.example.com/numa": DeviceAttribute(int_value=0), "model": DeviceAttribute(string_value="b")},
    {"numa": DeviceAttribute(bool_value=True), "extra": DeviceAttribute(bool_value=True)},
    {"numa": DeviceAttribute(string_value="0"), "model": DeviceAttribute(version_value="1.0.0")},
    {},
    *ODD,
]
DEVICES = [
    DeviceFacts(driver, attributes, capacity, shared)
    for driver in ("gpu.example.com", "nic.example.com")
    for attributes in SEEN
    for capacity in ({}, {"memory": parse("80Gi")}, {"gpu.example.com/memory": parse("1Gi")})
    for shared in (False, True)
]


@pytest.mark.parametrize(
    "expression",
    [
        "true",
        'device.driver == "gpu.example.com" && !device.allowMultipleAllocations',
        f"{DOMAIN}.numa == 1",
        f"{DOMAIN}['numa'] == 0 || {DOMAIN}.model == 'a'",
        f"has({DOMAIN}.numa) && {DOMAIN}.numa < 1",
        'device . attributes [ "gpu.example.com" ] . numa == 1 // device.driver',
        f'{MEMORY}.compareTo(quantity("40Gi")) > 0 && {DOMAIN}.numa == 0',
        f'"numa" in {DOMAIN}',
        f'{DOMAIN}.exists(id, id == "extra")',
        f'{DOMAIN}.?numa.orValue(5) == 5 || {DOMAIN}[?"extra"].hasValue()',
        'device.attributes["gpu.example.com"][device.driver == "x" ? "numa" : "model"] == "a"',
        "device.attributes.size() == 1",
        f"cel.bind(own, {DOMAIN}, own.numa == 1)",
        r'device.attributes["gpu\u002eexample.com"].numa == 1',
        f"[{DOMAIN}].exists(own, has(own.extra))",
    ],
)
def test_devices_that_look_alike_to_a_selector_have_one_answer(
    selectors: DeviceSelectors, expression: str
) -> None:
    """Whatever a selector can look up, each device is answered as if it were the only one."""
    shared = [selectors.matches(expression, device) for device in DEVICES]
    alone = []
    for device in DEVICES:
        selectors._alike.clear()
        selectors._answers.clear()
        alone.append(selectors.matches(expression, device))
    assert shared == alone
    assert len({str(answer) for answer in alone}) > 1
    assert all(
        isinstance(a, CelProblem) for a, d in zip(alone, DEVICES, strict=True) if "odd" in d.attributes
    )


def test_devices_that_differ_in_what_a_selector_does_not_read_are_asked_about_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[DeviceFacts] = []
    answer = cel._answer
    monkeypatch.setattr(
        cel, "_answer", lambda program, device, read: asked.append(device) or answer(program, device, read)
    )
    own = [
        {"numa": DeviceAttribute(int_value=i % 2), "serial": DeviceAttribute(int_value=i)} for i in range(9)
    ]
    devices = [
        DeviceFacts("gpu.example.com", attributes, {}, allow_multiple_allocations=False) for attributes in own
    ]
    selectors = DeviceSelectors()
    found = [selectors.matches(f"{DOMAIN}.numa == 1", device) for device in devices]
    assert found == [i % 2 == 1 for i in range(9)]
    assert asked == devices[:2]


LISTED = DeviceFacts(
    "gpu.example.com",
    {
        "numa": DeviceAttribute(int_values=(0, 1)),
        "links": DeviceAttribute(string_values=("a", "b")),
        "on": DeviceAttribute(bool_values=(True,)),
        "api": DeviceAttribute(version_values=("1.0.0", "2.0.0")),
        "one": DeviceAttribute(version_value="1.0.0"),
        "ecc": DeviceAttribute(bool_value=True),
    },
    {},
    allow_multiple_allocations=False,
)


@pytest.mark.parametrize(
    ("expression", "selects"),
    [
        (f"{DOMAIN}.numa.includes(1)", True),
        (f"1 in {DOMAIN}.numa && size({DOMAIN}.numa) == 2", True),
        (f'{DOMAIN}.links.exists(l, l == "b")', True),
        (f'{DOMAIN}.links.includes("c")', False),
        (f'{DOMAIN}.api.includes(semver("2.0.0"))', True),
        (f'{DOMAIN}.one.includes(semver("1.0.0"))', True),
        (f'{DOMAIN}.one.includes(semver("1.2.0"))', False),
        (f'{DOMAIN}.ecc.includes("x")', False),
        (f"{DOMAIN}.on.includes(1)", False),
    ],
)
def test_attributes_that_are_lists(expression: str, selects: bool) -> None:
    assert DeviceSelectors(lists=True).matches(expression, LISTED) is selects


def test_lists_are_no_attributes_without_the_gate(selectors: DeviceSelectors) -> None:
    problem = CelProblem("runtime", "attribute numa: unsupported attribute value")
    assert selectors.matches(f"{DOMAIN}.ecc", LISTED) == problem
