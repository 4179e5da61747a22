"""What all parts of a configuration have in common."""

from __future__ import annotations

from typing import Final

import msgspec

GROUP: Final = "kubescheduler.config.k8s.io"
API_VERSION: Final = f"{GROUP}/v1"
KIND: Final = "KubeSchedulerConfiguration"


class ConfigObject(msgspec.Struct, frozen=True, rename="camel", kw_only=True, gc=False):
    """Base of every typed part of a configuration: immutable, camelCase on the wire.

    The default of a field is the one the API gives it where it is absent. A field is `| None` only where
    absent and empty differ.
    """
