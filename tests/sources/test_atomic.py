"""Files appear as a whole or not at all."""

import gzip
import os
import stat
import threading

import pytest

from kschedctl.errors import InputError
from kschedctl.sources.atomic import replacing


def write(path, data=b"new"):
    with replacing(str(path)) as file:
        file.write(data)


def write_half(path, error):
    with replacing(str(path)) as file:
        file.write(b"ne")
        raise error


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_file_is_made_or_replaced(tmp_path, old):
    path = tmp_path / "x"
    if old is not None:
        path.write_bytes(old)
    write(path)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_is_interrupted_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "x.gz"
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_half(path, error)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.gz"]


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_pipe_is_written_and_stays_one(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join(timeout=10)
    assert path.is_fifo()
    assert (gzip.decompress(got[0]) if name.endswith(".gz") else got[0]) == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs open files by number")
def test_an_open_file_is_written_and_not_replaced(tmp_path):
    with (tmp_path / "x").open("w+b") as file:
        write(f"/dev/fd/{file.fileno()}")
        assert file.read() == b"new"


@pytest.mark.parametrize("name", ["no/such/folder", "folder", "file/below"])
def test_what_cannot_be_written_is_told(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_that_is_replaced_is_read_by_the_same_people(tmp_path, mode):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_private_file_is_read_by_its_owner_alone(tmp_path, old):
    path = tmp_path / "x"
    if old is not None:
        path.write_bytes(old)
    with replacing(str(path), private=True) as file:
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(InputError, match="cannot be written"):
        write("a\0b")
