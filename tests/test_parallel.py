"""The same work in one process and in several."""

import os
import sys
from importlib.util import find_spec

import pytest

from kschedctl import parallel
from kschedctl.errors import UsageError
from kschedctl.parallel import Backend, WorkerError, Workers, each

THERE = [Backend.LOKY, *(one for one in (Backend.DASK, Backend.RAY) if find_spec(one.value))]
"""Those whose libraries are installed."""


def total(shared, item):
    return sum(shared) + item


def who(shared, item):
    return os.getpid()


def end(shared, item):
    os._exit(1)


def test_alone_in_order():
    assert list(each(total, [1, 2], [10, 20])) == [13, 23]


def test_alone_in_this_process():
    assert set(each(who, None, range(5))) == {os.getpid()}


@pytest.mark.parametrize("backend", THERE)
def test_in_two_processes(backend):
    workers = Workers(2, backend)
    assert sorted(each(total, [1, 2], range(40), workers)) == [3 + item for item in range(40)]


def test_in_other_processes():
    found = set(each(who, None, range(8), Workers(2)))
    assert os.getpid() not in found


def test_small_work_stays_here():
    assert set(each(who, None, range(5), Workers(None))) == {os.getpid()}


def test_what_takes_long_goes_elsewhere(monkeypatch):
    monkeypatch.setattr(parallel, "_PAYS", -1.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert os.getpid() not in set(each(who, None, range(4), Workers(None)))


def test_a_process_that_ends():
    with pytest.raises(WorkerError, match="ended before its time"):
        list(each(end, None, range(4), Workers(2)))


@pytest.mark.parametrize(
    ("backend", "missing", "hint"),
    [
        pytest.param(Backend.LOKY, "joblib", r"kschedctl\[sweep\]", id="joblib"),
        pytest.param(Backend.DASK, "dask", r"kschedctl\[dask\]", id="dask"),
        pytest.param(Backend.RAY, "ray", r"kschedctl\[ray\]", id="ray"),
    ],
)
def test_a_library_that_is_not_there(monkeypatch, backend, missing, hint):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UsageError, match=f"need the library {missing}") as error:
        list(each(total, [], [1, 2], Workers(2, backend)))
    assert hint.replace("\\", "") in error.value.hint
