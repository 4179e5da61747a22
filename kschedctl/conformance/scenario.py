"""Golden cases: a scenario and what kube-scheduler decided for it, as lines of JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from kschedctl.conformance.compare import OtherKey, check_shape, other_expectations
from kschedctl.conformance.emit import Result
from kschedctl.conformance.timeline import TimeScenario, time_scenario
from kschedctl.errors import InputError, Place, UnsupportedError
from kschedctl.framework.versions import Version, parse_version, version_of
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import with_written
from kschedctl.sources.content import Input
from kschedctl.sources.foreign_json import json_value


class GoldenScenario(Struct, frozen=True):
    """What was put before the scheduler.

    Attributes:
        name: unique name of the case.
        objects: the cluster.
        pods: the candidates, in order.
        config: a KubeSchedulerConfiguration, None for the default.
        gates: feature gates that differ from the defaults.
        version: the version that decided.
        sequence: one after another, each scheduled pod assumed; else each alone against the same cluster.
        native: the real cycle with its own sampling, order and tie-break.
        time: what happens in time; None where candidates are decided one by one.
        extender_replies: the rules by which extenders answer.
    """

    name: str
    objects: tuple[TopLevel, ...]
    pods: tuple[Pod, ...]
    config: Mapping[str, Any] | None
    gates: Mapping[str, bool]
    version: Version
    sequence: bool
    native: bool
    time: TimeScenario | None = None
    extender_replies: tuple[Mapping[str, Any], ...] = ()


class GoldenCase(Struct, frozen=True):
    """A scenario with what kube-scheduler made of it.

    Attributes:
        name: unique name of the case.
        scenario: what was put before the scheduler; None where it holds something that is not modelled.
        expected: one result a candidate; None where the case has none to compare with.
        others: what is expected beside the results, each of which counts like a pod.
        unsupported: why there is no scenario.
    """

    name: str
    scenario: GoldenScenario | None
    expected: tuple[Result, ...] | None
    others: Mapping[OtherKey, Any]
    unsupported: str = ""


def read_cases(path: Path) -> Iterator[GoldenCase]:
    """The cases of a file, plain or gzip, one after another.

    Raises:
        InputError: the file cannot be read, or a line is no golden case.
    """
    yield from parse_cases(io.BytesIO(Input(str(path)).read()), str(path))


def parse_cases(lines: IO[bytes] | Iterator[bytes], origin: str) -> Iterator[GoldenCase]:
    """The cases of a stream of lines.

    Raises:
        InputError: a line is no golden case.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Place(file=origin, line=number)
        try:
            yield _case(json_value(line))
        except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
            hint = 'a line holds {"scenario": ..., "expected": ...}'
            raise InputError(f"is no golden case: {_reason(error)}", place=place, hint=hint) from error


def _reason(error: Exception) -> str:
    match error:
        case UnicodeDecodeError():
            return "not UTF-8 text"
        case json.JSONDecodeError():
            return f"not JSON: {error.msg} at column {error.colno}"
        case KeyError():
            return f"{error} is missing"
        case _:
            return str(error)


def _case(data: Mapping[str, Any]) -> GoldenCase:
    scenario, expected = data["scenario"], data.get("expected") or {}
    results = None if expected.get("error") else tuple(expected.get("results") or ())
    for result in results or ():
        if not isinstance(result, dict) or not isinstance(result.get("pod"), str):
            raise ValueError("each result is an object that names its pod")
        check_shape(result)
    others = {} if results is None else other_expectations(expected)
    try:
        return GoldenCase(scenario["name"], _scenario(scenario), results, others)
    except UnsupportedError as error:
        return GoldenCase(scenario["name"], None, results, others, str(error))


def _scenario(data: Mapping[str, Any]) -> GoldenScenario:
    return GoldenScenario(
        name=data["name"],
        objects=tuple(_object(item) for item in data.get("objects") or ()),
        pods=tuple(with_written(msgspec.convert(item, Pod), item) for item in data["pods"]),
        config=data.get("config"),
        gates=data.get("featureGates") or {},
        version=parse_version(data["kubernetesVersion"])
        if data.get("kubernetesVersion")
        else version_of("1.36"),
        sequence=bool(data.get("simulate")),
        native=bool(data.get("native")),
        time=time_scenario(data) if "timeline" in data else None,
        extender_replies=tuple(data.get("extenderReplies") or ()),
    )


def _object(item: Mapping[str, Any]) -> TopLevel:
    kind = BY_GVK.get((item["apiVersion"], item["kind"]))
    if kind is None:
        raise UnsupportedError(f"{item['apiVersion']} {item['kind']} is not a kind that scheduling reads")
    return msgspec.convert(item, kind.type)
