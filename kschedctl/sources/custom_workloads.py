"""Pods behind custom resources: where an object of a kind holds the templates of its pods, and how many of each.

Controllers of custom resources make pods by rules of their own. What is read here is the common core: a template and a
number. Each template becomes a ReplicaSet that the custom resource controls, so that its pods are made, counted and
named as those of any workload.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Protocol

from msgspec import Struct

from kschedctl.sources.held_template import HeldTemplate, pods_counted
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.spark_application import SparkPods
from kschedctl.sources.untyped import value_at

_SPARK_GROUP = "sparkoperator.k8s.io"
_SPARK: Mapping[tuple[str, str], tuple[SparkPods, ...]] = {
    (_SPARK_GROUP, "SparkApplication"): (SparkPods(),),
    (_SPARK_GROUP, "ScheduledSparkApplication"): (SparkPods(("spec", "template")),),
}
_HEAD = "It begins with apiVersion: kschedctl.dev/v1alpha1 and kind: PodTemplates."


class TemplateSource(Protocol):
    """What knows where the objects of a kind hold templates."""

    def held(self, data: Mapping[str, Any]) -> Iterator[HeldTemplate]:
        """The templates of an object.

        Raises:
            BadValueError: something that decides them is not what it should be.
        """


class PodTemplateRule(Struct, frozen=True):
    """Where the objects of a kind hold a template.

    Attributes:
        template: the template.
        replicas: how many pods, as a product; what is not written counts as 1.
        each: what holds several, for each entry of which the others apply; None: there is one.
        name: what its pods are called beside the object; None: nothing is.
        called: the same, where it is always so.
    """

    template: FieldPath
    replicas: tuple[FieldPath, ...] = ()
    each: FieldPath | None = None
    name: FieldPath | None = None
    called: str = ""

    def held(self, data: Mapping[str, Any]) -> Iterator[HeldTemplate]:
        """See `TemplateSource.held`."""
        for part, path, key in _parts(data, self):
            template = value_at(part, self.template)
            if not isinstance(template, Mapping) or "spec" not in template:
                continue
            name = value_at(part, self.name) if self.name is not None else self.called or key
            count = 1
            for pointer in self.replicas:
                count *= pods_counted(value_at(part, pointer), (*path, *pointer))
            yield HeldTemplate(template, (*path, *self.template), count, str(name or ""))


PodTemplates = Mapping[tuple[str, str], tuple[TemplateSource, ...]]
"""`(group, kind)` -> its templates; none: its controller makes no pods."""


def _parts(data: Mapping[str, Any], rule: PodTemplateRule) -> Iterator[tuple[Any, FieldPath, str]]:
    """The parts of an object to which a rule applies, each with its path and, in a mapping, its key."""
    if rule.each is None:
        yield data, (), ""
        return
    match value_at(data, rule.each):
        case list() as entries:
            yield from ((entry, (*rule.each, at), "") for at, entry in enumerate(entries))
        case dict() as entries:
            yield from ((entry, (*rule.each, key), str(key).lower()) for key, entry in entries.items())


@cache
def built_in() -> PodTemplates:
    """The kinds that are known without being told."""
    text = files("kschedctl.sources").joinpath("custom_workloads.json").read_text()
    return MappingProxyType({**_rules(json.loads(text)), **_SPARK})


def load_pod_templates(path: str) -> PodTemplates:
    """Read a file of kinds; those that are known without being told stay, unless it has them.

    Raises:
        InputError: the only problem of the file.
        InputErrors: all its problems.
    """
    from kschedctl.sources.document import load_document, raise_all
    from kschedctl.sources.own_files import problems_of

    document = load_document(path)
    raise_all(list(problems_of(document, "PodTemplates", pod_templates_schema(), _HEAD)))
    return MappingProxyType({**built_in(), **_rules(document.data)})


def pod_templates_schema() -> dict[str, Any]:
    """The JSON Schema of such a file."""
    from kschedctl.sources.own_files import packaged_schema

    return packaged_schema("kschedctl.sources", "pod_templates.schema.json")


def _rules(data: Mapping[str, Any]) -> PodTemplates:
    return MappingProxyType(
        {(one["group"], one["kind"]): tuple(_rule(entry) for entry in one["pods"]) for one in data["kinds"]}
    )


def _rule(data: Mapping[str, Any]) -> PodTemplateRule:
    replicas = data.get("replicas", [])
    return PodTemplateRule(
        template=_pointer(data["template"]),
        replicas=tuple(map(_pointer, [replicas] if isinstance(replicas, str) else replicas)),
        each=_pointer(data["each"]) if "each" in data else None,
        name=_pointer(data["name"]) if "name" in data else None,
        called=data.get("called", ""),
    )


def _pointer(text: str) -> FieldPath:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])
