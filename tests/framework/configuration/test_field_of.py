import pytest

from kschedctl.framework.configuration import field_of

ENTRY = "strict decoding error: decoding .profiles[1].pluginConfig[2]: strict decoding error: "


@pytest.mark.parametrize(
    ("message", "path"),
    [
        pytest.param('strict decoding error: unknown field "foo"', ("foo",), id="unknown at the top"),
        pytest.param(
            'strict decoding error: unknown field "profiles[0].x", unknown field "zoo"',
            ("profiles", 0, "x"),
            id="the first of several",
        ),
        pytest.param(
            ENTRY + 'decoding args for plugin NodeAffinity: strict decoding error: unknown field "a.b[0].c"',
            ("profiles", 1, "pluginConfig", 2, "args", "a", "b", 0, "c"),
            id="in arguments",
        ),
        pytest.param(
            'strict decoding error: unknown field "bar", ' + ENTRY.removeprefix("strict decoding error: "),
            ("bar",),
            id="at the top, before arguments",
        ),
        pytest.param(
            "decoding .profiles[0].pluginConfig[0]: args for plugin X were not of type XArgs.g, got Y.g",
            ("profiles", 0, "pluginConfig", 0, "args"),
            id="arguments of another kind",
        ),
        pytest.param(
            "parallelism: Invalid value: 0: should be greater", ("parallelism",), id="validation, one"
        ),
        pytest.param(
            "[profiles[0].schedulerName: Required value, parallelism: Invalid value: 0]",
            ("profiles", 0, "schedulerName"),
            id="validation, several",
        ),
        pytest.param("Object 'Kind' is missing", (), id="no field"),
        pytest.param("initializing profiles: no queue sort plugin", (), id="words before a colon"),
    ],
)
def test_the_path_of_the_first_field(message: str, path: tuple[str | int, ...]) -> None:
    assert field_of(message) == path
