"""Scheduler configurations of older versions, as one of today."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import field_of, load_configuration
from kschedctl.framework.configuration.legacy import Translation, policy_text, translate
from kschedctl.framework.registry import Registry
from kschedctl.framework.versions import DEFAULT, feature_gates, parse_version
from kschedctl.plugins.registry import IN_TREE
from kschedctl.sources.content import STDIN
from kschedctl.sources.document import load_document


def translation_of(
    path: str,
    *,
    version: str | None = None,
    gates: Mapping[str, bool] | None = None,
    stdin: BinaryIO | None = None,
    registry: Registry = IN_TREE,
) -> Translation:
    """Turn a Policy, a ConfigMap that holds one, or a KubeSchedulerConfiguration v1beta1 to v1beta3 into one of v1.

    Args:
        path: the file.
        version: the version of kube-scheduler that it is for, None for the default one.
        gates: changes to its gates.
        stdin: the stream that `-` stands for.
        registry: the plugins that there are.

    Raises:
        ConfigurationError: it is none of these, says something that never was valid, or kube-scheduler would not start
            with what it becomes.
        InputError: the file cannot be read.
        UnsupportedError: the text names no version.
        UsageError: a gate is unknown or locked.
    """
    known = DEFAULT if version is None else parse_version(version)
    features = feature_gates(known, gates or {})
    document = load_document(path, stdin)
    text = policy_text(document.data)
    policy = document if text is None else load_document(STDIN, BytesIO(text.encode()))
    try:
        found = translate(policy.data, known, features, registry)
        load_configuration(found.configuration, known, features, registry)
    except ConfigurationError as error:
        field = field_of(error.message) if text is None else ("data",)
        place = document.position.place_of_object(field)
        raise ConfigurationError(error.message, place=place, hint=error.hint) from error
    return found
