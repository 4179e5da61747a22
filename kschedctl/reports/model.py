"""What every report says beside its answer: which scheduler, which cluster, which pod, and what weakens it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, cast

import msgspec

from kschedctl.errors import Place
from kschedctl.framework.status import Code as StatusCode

API_VERSION: Final = "kschedctl.dev/v1alpha1"


def doc(text: str) -> msgspec.Meta:
    """The description of a field; it goes into the JSON Schema."""
    return msgspec.Meta(description=text)


class ReportObject(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all parts of a report: every key is always there, `null` where there is nothing to say."""

    def brief(self) -> ReportObject:
        """The same without what is told node by node, most of a report on a large cluster."""
        return self


class SchedulerSummary(ReportObject, frozen=True, kw_only=True):
    """The scheduler whose decision this is."""

    version: Annotated[str, doc("Minor version of kube-scheduler.")]
    profile: Annotated[
        str | None, doc("schedulerName of the profile that decided; null: none handles the pod.")
    ]
    configuration: Annotated[str | None, doc("The configuration file; null: the defaults.")]
    options: Annotated[dict[str, str | int], doc("What was chosen where kube-scheduler leaves room.")]
    feature_gates: Annotated[dict[str, bool], doc("The gates that differ from the defaults of the version.")]


class Caveat(ReportObject, frozen=True, kw_only=True):
    """Something that the answer does not take into account."""

    code: Annotated[str, doc("Short name of the kind of caveat, stable for scripts.")]
    message: Annotated[str, doc("What is left out, in a sentence.")]
    may_change_answer: Annotated[bool, doc("Whether yes could be no, or no be yes, because of it.")]


class ClusterSummary(ReportObject, frozen=True, kw_only=True):
    """The cluster in which it was decided."""

    source: Annotated[list[str], doc("Files, directories or contexts, as given.")]
    taken_at: Annotated[str | None, doc("When the snapshot was taken (RFC 3339); null: not known.")]
    nodes: Annotated[int, doc("Number of nodes.")]
    pods: Annotated[int, doc("Pods that are on a node.")]
    pending: Annotated[int, doc("Pods that are on no node.")]
    caveats: Annotated[list[Caveat], doc("What weakens the answer.")]
    changes: Annotated[
        list[str], doc("What was changed in it before a question about single pods was asked, in order.")
    ] = []


class SourcePlace(ReportObject, frozen=True, kw_only=True):
    """Where an object stands in the input."""

    file: Annotated[str | None, doc("The file as given.")]
    document: Annotated[int | None, doc("Number of the YAML document, from 1; null: the only one.")]
    line: Annotated[int | None, doc("Line, from 1.")]
    template: Annotated[
        str | None, doc("The template of a chart that it was rendered from; null: none is named.")
    ] = None

    @classmethod
    def of(cls, place: Place) -> SourcePlace:
        """A place, for reports."""
        return cls(file=place.file, document=place.document, line=place.line, template=place.template)

    def __str__(self) -> str:
        return str(Place(self.file, self.document, self.line, template=self.template))


class WorkloadSummary(ReportObject, frozen=True, kw_only=True):
    """The workload that was asked about, where one of its pods is judged."""

    kind: Annotated[str, doc("Kind.")]
    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    pods: Annotated[
        int | None, doc("How many pods it asks for at once; null: its kind has no number of its own.")
    ]
    from_cluster: Annotated[
        bool, doc("Whether it was taken from the cluster, where the pods are that it has already.")
    ]


class PodSummary(ReportObject, frozen=True, kw_only=True):
    """The candidate."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    priority: Annotated[int | None, doc("Priority after admission; null for a refused pod.")]
    source: Annotated[SourcePlace | None, doc("Where it was read.")]
    running_on: Annotated[
        str | None,
        doc("The node it is on; it is judged as if it were to be placed anew. null: it is on none."),
    ]
    workload: Annotated[
        WorkloadSummary | None,
        doc("The workload that was asked about, of which this is one pod; null: it was the pod itself."),
    ] = None
    equal_pods: Annotated[
        list[str],
        doc(
            "Names of pending pods of its namespace that nobody can tell from it: asked about alone, each of them "
            "gets this answer, too. Found where all pending pods are asked about."
        ),
    ] = []

    @property
    def count(self) -> int:
        """How many pods the answer is about."""
        return 1 + len(self.equal_pods)

    @property
    def full_name(self) -> str:
        """`namespace/name`; a pod that is refused may have none."""
        return f"{self.namespace}/{self.name or '(without a name)'}"


Code = Literal["Error", "Unschedulable", "UnschedulableAndUnresolvable"]


def rejection_code(code: StatusCode) -> Code:
    """The name of the code of a rejection or an error, as kube-scheduler prints it."""
    return cast(Code, code.upstream)
