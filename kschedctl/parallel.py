"""The same work on many things: in this process, or by joblib in several, here or on a dask or ray cluster."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any, Final, Generic, TypeVar, cast

from msgspec import Struct

from kschedctl.errors import KschedError, UsageError

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

_LIBRARIES: Final = ("joblib", "cloudpickle", "dask", "distributed", "ray")
_A_ROUND: Final = 16
"""So many items a process between two looks at what is done."""
_PAYS: Final = 1.0
"""Seconds of work after which processes are started."""


class Backend(StrEnum):
    """What runs the processes."""

    LOKY = "loky"
    """This machine."""
    DASK = "dask"
    """A dask cluster."""
    RAY = "ray"
    """A ray cluster."""


class Workers(Struct, frozen=True):
    """Who does the work.

    Attributes:
        jobs: so many processes; 1 with `LOKY`: this one alone; None: one a processor, as soon as that pays.
        backend: what runs them.
        address: of the cluster; empty: one is started on this machine.
        folder: where processes share files; empty: where temporary files are. All machines have to see it.
    """

    jobs: int | None = 1
    backend: Backend = Backend.LOKY
    address: str = ""
    folder: str = ""

    @property
    def is_this_process(self) -> bool:
        """Whether nothing ever travels."""
        return self.jobs == 1 and self.backend is Backend.LOKY

    @property
    def count(self) -> int:
        """So many processes, where there are any."""
        if self.jobs is not None:
            return self.jobs
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


ALONE: Final = Workers()


class WorkerError(KschedError):
    """The processes that were to work could not be started, or have ended."""

    code = "workers"


def each(
    work: Callable[[S, T], R],
    shared: S,
    items: Sequence[T],
    workers: Workers = ALONE,
    *,
    by_value: Sequence[ModuleType] = (),
) -> Iterator[R]:
    """What `work` makes of every item, as soon as it is there, in any order.

    Args:
        work: a function of a module, which other processes import; it raises nothing.
        shared: what it needs beside an item; a worker reads it once.
        items: the items.
        workers: who does it.
        by_value: modules whose classes travel in full, since other processes cannot import them.

    Raises:
        UsageError: a library is not installed.
        WorkerError: a process has ended.
    """
    left = list(items)
    if workers.is_this_process:
        yield from (work(shared, item) for item in left)
        return
    if workers.jobs is None and workers.backend is Backend.LOKY:
        several = workers.count > 1 and find_spec("joblib") is not None
        until = monotonic() + _PAYS
        while left and not (several and monotonic() > until):
            yield work(shared, left.pop(0))
    if left:
        yield from _in_processes(work, shared, left, workers, by_value)


def _in_processes(
    work: Callable[[S, T], R], shared: S, items: Sequence[T], workers: Workers, by_value: Sequence[ModuleType]
) -> Iterator[R]:
    joblib = _imported("joblib")
    broken = _imported("joblib.externals.loky.process_executor").BrokenProcessPool
    with ExitStack() as stack:
        backend = stack.enter_context(_started(workers))
        path = stack.enter_context(_on_file(shared, by_value, workers.folder))
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=workers.count))
        task = joblib.delayed(partial(_work, work, path))
        try:
            if workers.backend is Backend.RAY:  # which gives no result before it has all
                parallel = stack.enter_context(joblib.Parallel())
                size = workers.count * _A_ROUND
                for start in range(0, len(items), size):
                    yield from parallel(task(item) for item in items[start : start + size])
            else:
                found = joblib.Parallel(return_as="generator_unordered")(task(item) for item in items)
                stack.callback(found.close)
                yield from found
        except broken as error:
            raise WorkerError(
                "a process that worked has ended before its time",
                hint="Perhaps memory ran out: fewer processes (--jobs) need less.",
            ) from error


def _work(work: Callable[[Any, Any], R], path: str, item: object) -> R:
    return work(_Shared.at(path), item)


class _Shared(Generic[S]):
    """What a process has read last; there is one sweep at a time."""

    _path = ""
    _value: Any = None

    @classmethod
    def at(cls, path: str) -> Any:
        if cls._path != path:
            try:
                content = Path(path).read_bytes()
            except OSError as error:
                raise WorkerError(
                    f"a worker cannot read {path}: {error.strerror}",
                    hint="On several machines, let JOBLIB_TEMP_FOLDER name a folder that all of them see.",
                ) from error
            cls._path, cls._value = path, pickle.loads(content)
        return cls._value


@contextmanager
def _on_file(shared: object, by_value: Sequence[ModuleType], folder: str) -> Iterator[str]:
    """A file of what every worker needs, for as long as they work."""
    cloudpickle = _imported("cloudpickle")
    with ExitStack() as stack:
        for module in by_value:
            cloudpickle.register_pickle_by_value(module)
            stack.callback(cloudpickle.unregister_pickle_by_value, module)
        content = cloudpickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
    with tempfile.TemporaryDirectory(prefix="kschedctl-", dir=folder or None) as own:
        path = Path(own, "shared")
        path.write_bytes(content)
        yield str(path)


@contextmanager
def _started(workers: Workers) -> Iterator[str]:
    """The name by which joblib knows the backend, once there is a cluster behind it."""
    match workers.backend:
        case Backend.LOKY:
            yield "loky"
        case Backend.DASK:
            _imported("dask")
            distributed = _imported("distributed")
            local = {"n_workers": workers.count, "threads_per_worker": 1, "dashboard_address": None}
            options = {"address": workers.address} if workers.address else local
            with distributed.Client(**options, set_as_default=True):
                yield "dask"
        case Backend.RAY:
            ray = _imported("ray")
            started = not ray.is_initialized()
            if started:
                where = {"address": workers.address} if workers.address else {"num_cpus": workers.count}
                ray.init(include_dashboard=False, logging_level="error", log_to_driver=False, **where)
            try:
                ray.util.joblib.register_ray()
                yield "ray"
            finally:
                if started:
                    ray.shutdown()


def _imported(name: str) -> Any:
    """A library that only some need.

    Raises:
        UsageError: it is not installed.
    """
    try:
        module = import_module(name)
        if name == "ray":
            import_module("ray.util.joblib")
    except ModuleNotFoundError as error:
        library = (error.name or name).partition(".")[0]
        if library not in _LIBRARIES:
            raise
        extra = {"joblib": "sweep", "cloudpickle": "sweep", "ray": "ray"}.get(library, "dask")
        raise UsageError(
            f"several processes need the library {library}, which is not installed",
            hint=f"pip install 'kschedctl[{extra}]', or --jobs 1 does without.",
        ) from error
    return cast("Any", module)
