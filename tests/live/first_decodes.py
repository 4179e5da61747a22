"""A program: the first objects of four kinds are read in four threads at once, in an interpreter of its own."""

import sys
import threading
from functools import partial

from kschedctl.live.connection import Response
from kschedctl.live.listing import list_kind
from kschedctl.live.parallel import run_all
from kschedctl.objects.apps import Deployment, Job, StatefulSet
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.pod import Pod

TYPES = (Pod, Deployment, StatefulSet, Job)
PAGE = b'{"metadata": {}, "items": [{"metadata": {"name": "a", "ownerReferences": [{"name": "b"}]}, "spec": {}}]}'


class Reader:
    """Gives everybody the same page, at the same moment."""

    connection = "the server"

    def __init__(self) -> None:
        self._together = threading.Barrier(len(TYPES))

    def get(self, path: str, query: object = None, *, optional: bool = False) -> Response:
        self._together.wait()
        return Response(200, {}, PAGE)


if __name__ == "__main__":
    sys.setswitchinterval(1e-6)
    reader = Reader()
    jobs = [partial(list_kind, reader, BY_TYPE[type_], 0, lambda done, total: None) for type_ in TYPES]
    for listing in run_all(jobs, len(TYPES), lambda: None):
        assert [obj.name for obj in listing.objects] == ["a"]
