"""What an input may cost: memory and time in proportion to what is kept of it, and an end to what is packed."""

import gzip
import io
import os
import tracemalloc

import pytest

from kschedctl.errors import InputError, InputErrors, KschedError
from kschedctl.objects.quantity import parse
from kschedctl.sources import content
from kschedctl.sources.load import load

from .builders import NODE, POD

MEGABYTE = 2**20


def loaded(text):
    return load(["-"], stdin=io.BytesIO(text))


def peak_of(text):
    tracemalloc.start()
    try:
        loaded(text)
    except KschedError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\n" * MEGABYTE, id="blank lines"),
        pytest.param(b"#\n" * (MEGABYTE // 2), id="comments"),
        pytest.param(b" " * MEGABYTE, id="spaces"),
        pytest.param(b" \t\r\n" * (MEGABYTE // 4), id="blank lines of Windows"),
        pytest.param(POD.encode() + b"\n" * MEGABYTE, id="blank lines after an object"),
        pytest.param(b"\n" * MEGABYTE + b"---\n" + POD.encode(), id="blank lines before an object"),
        pytest.param(b"a: {\n" + b"\n" * MEGABYTE + b"]", id="blank lines before a mistake"),
        pytest.param(b"{" + b"\n" * MEGABYTE, id="JSON that is cut off after blank lines"),
    ],
)
def test_what_says_nothing_costs_few_bytes_a_byte(text):
    assert peak_of(text) < 12 * len(text)


def test_a_gzip_bomb_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(content, "SMALL_UNPACKED_BYTES", MEGABYTE)
    bomb = tmp_path / "bomb.yaml"
    bomb.write_bytes(gzip.compress(b" " * 20 * MEGABYTE))
    with pytest.raises(InputError, match=r"unpacks to more than 1 MiB") as refused:
        load([str(bomb)])
    assert "gunzip" in (refused.value.hint or "")


def test_a_pipe_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(content, "MAX_UNPACKED_BYTES", MEGABYTE)
    with pytest.raises(InputError, match="sends more than 1 MiB"):
        loaded(b" " * 2 * MEGABYTE)


@pytest.mark.parametrize(
    "amount",
    [
        pytest.param('"' + "1" * 200_000 + '"', id="digits"),
        pytest.param('"0.' + "1" * 200_000 + '"', id="digits after the point"),
        pytest.param("1e" + "1" * 200_000, id="digits of the exponent"),
        pytest.param("1" * 200_000, id="digits without quotes"),
        pytest.param("0x" + "f" * 200_000, id="hexadecimal digits"),
    ],
)
def test_a_quantity_of_very_many_digits_ends_soon(amount):
    text = f"{NODE}status: {{allocatable: {{cpu: {amount}}}}}\n".encode()
    with pytest.raises(InputError, match="is no quantity") as refused:
        loaded(text)
    assert len(refused.value.message) < 300


@pytest.mark.parametrize(
    "form", ["1e20", "100000000000000000000", "18446744073709551615", '"100000000000000000000"']
)
@pytest.mark.parametrize("json", [False, True], ids=["yaml", "json"])
def test_a_quantity_of_more_than_64_bits_is_its_decimal_text(form, json):
    text = f"{NODE}status: {{allocatable: {{a: {form}}}}}\n"
    if json:
        head = '"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}'
        text = f'{{{head}, "status": {{"allocatable": {{"a": {form}}}}}}}'
    (node,) = loaded(text.encode()).objects
    amount = node.status.allocatable["a"]
    assert not isinstance(amount, int)
    assert parse(amount) == parse(form.strip('"'))


def test_a_pipe_among_the_files_of_a_directory_is_passed_over(tmp_path):
    os.mkfifo(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text(NODE)
    assert len(load([str(tmp_path)]).objects) == 1


def test_the_name_of_a_file_need_not_be_utf_8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.yaml")
    with open(path, "w") as file:
        file.write("a: [")
    with pytest.raises(InputError) as refused:
        load([path])
    assert refused.value.place is not None
    assert str(refused.value.place.file).endswith("/\\xff.yaml")


def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(InputError, match="is no name of a file"):
        load(["a\0b"])


@pytest.mark.parametrize("kind", ["Node", "Pod", "Service"])
def test_an_object_of_a_cluster_has_a_name(kind):
    text = f"{NODE}---\napiVersion: v1\nkind: {kind}\nmetadata: {{generateName: a-}}\n".encode()
    with pytest.raises(InputError, match=f"{kind} without metadata.name"):
        loaded(text)
    assert len(load(["-"], stdin=io.BytesIO(text), check_fields=True).objects) == 2


def test_all_nameless_objects_are_told():
    with pytest.raises(InputErrors) as refused:
        loaded(b'{"apiVersion": "v1", "kind": "Pod"}\n{"apiVersion": "v1", "kind": "Pod"}')
    assert [problem.place.document for problem in refused.value.problems] == [1, 2]


@pytest.mark.parametrize("path", ["a" * 5_000, "a/" * 3_000, "x\n" * 200], ids=["long", "deep", "lines"])
def test_a_path_that_no_system_takes_is_refused(path):
    with pytest.raises(InputError):
        load([path])
