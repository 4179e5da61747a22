"""What `TYPE/NAME` means in a cluster, by the names that kubectl knows types by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import UsageError
from kschedctl.objects.apps import CronJob
from kschedctl.objects.core import Service
from kschedctl.objects.kind_names import kind_named
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import either
from kschedctl.objects.pod import Pod
from kschedctl.whatif.session import Session
from kschedctl.workloads import WORKLOADS, Workload

_MOST = 3


def find_candidate(session: Session, word: str, name: str, namespace: str) -> PodRecord | Workload:
    """A pod of the cluster, running or pending, or a workload.

    Args:
        session: the cluster.
        word: its type, by any name of kubectl's.
        name: its name.
        namespace: where it is looked for.

    Raises:
        UsageError: it is of a type that makes no pods, or there is none of this name.
    """
    kind = kind_named(word)
    if kind is None:
        raise UsageError(
            f"{word}/{name} is no file, and {word!r} no kind that scheduling reads",
            hint="Pods and workloads of the cluster are named pod/NAME, deployment/NAME and so on.",
        )
    if kind.type is Pod:
        return _pod(session, name, namespace)
    found = session.cluster.objects.all(kind.type).get((namespace if kind.namespaced else "", name))
    if isinstance(found, WORKLOADS):
        return found
    if found is None and kind.namespaced:
        known = session.cluster.objects.all(kind.type)
        hint = _elsewhere(space for space, its_name in known if its_name == name)
        hint = hint or _meant(name, [its_name for space, its_name in known if space == namespace])
        raise UsageError(f"{kind.kind} {namespace}/{name} is not in the cluster", hint=hint)
    what = f"{word}/{name}: a {kind.kind} has no pods of its own"
    if isinstance(found, Service):
        owners = list(_selected(session, found))
        if owners:
            raise UsageError(
                f"{what}; it selects those of {' and '.join(map(_title, owners[:_MOST]))}",
                hint=f"Ask for {' or '.join(map(_reference, owners[:_MOST]))}.",
            )
    raise UsageError(what, hint="Ask for a pod or a workload: pod/NAME, deployment/NAME and so on.")


def _pod(session: Session, name: str, namespace: str) -> PodRecord:
    record = session.find(namespace, name)
    if record is not None:
        return record
    records = session.cluster.pods.records
    hint = _elsewhere(r.namespace for r in records if r.name == name)
    hint = hint or _meant(name, [r.name for r in records if r.namespace == namespace])
    raise UsageError(f"pod {namespace}/{name} is not in the cluster, or has ended", hint=hint)


def _elsewhere(namespaces: Iterable[str]) -> str | None:
    found = sorted(set(namespaces))
    return f"There is one in {', '.join(found[:_MOST])}: use -n {found[0]}." if found else None


def _meant(name: str, known: Sequence[str]) -> str | None:
    """The names that are written alike."""
    close = get_close_matches(name, known, n=_MOST)
    return f"Did you mean {either(close)}?" if close else None


def _selected(session: Session, service: Service) -> Iterator[Workload]:
    """The workloads whose pods a service selects; those that another one controls are not told beside it."""
    wanted = (service.spec.selector or {}).items()
    for kind in WORKLOADS:
        for workload in session.cluster.objects.all(kind).values():
            own = workload.namespace == service.namespace and workload.metadata.controller is None
            if isinstance(workload, WORKLOADS) and own and wanted and wanted <= _labels(workload).items():
                yield workload


def _labels(workload: Workload) -> dict[str, str]:
    """The labels of its pods, as far as they are written down."""
    spec = workload.spec.job_template.spec if isinstance(workload, CronJob) else workload.spec
    return spec.template.metadata.labels


def _title(obj: TopLevel) -> str:
    return f"{BY_TYPE[type(obj)].kind} {obj.name}"


def _reference(obj: TopLevel) -> str:
    return f"{BY_TYPE[type(obj)].kind.lower()}/{obj.name}"
