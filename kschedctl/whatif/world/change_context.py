"""What decides how the text of a change is read, beside the text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.changes import Patch
from kschedctl.whatif.world.targets import DEFAULT_NAMESPACE


class ChangeContext(Struct, frozen=True):
    """What decides how texts of changes are read.

    Attributes:
        directory: to which the paths of files relate, None for the working directory.
        fail_mode: what becomes of failed nodes.
        rollout: what happens to running pods of patched workloads.
        namespace: of workloads and other objects that are named without one.
    """

    directory: Path | None = None
    fail_mode: FailMode = FailMode.GONE
    rollout: RolloutMode = RolloutMode.RECREATE
    namespace: str | None = None

    def reference(self, text: str) -> str:
        """`KIND/NAME` with the namespace in front, if there is one."""
        return f"{self.namespace}/{text}" if self.namespace and text.count("/") == 1 else text

    def patch(self, data: Mapping[str, Any]) -> Patch:
        """The patch that some data is.

        Raises:
            UsageError: it does not say of what.
        """
        metadata = data.get("metadata")
        if not data.get("kind") or not isinstance(metadata, Mapping) or not metadata.get("name"):
            raise UsageError("a patch is an object with kind and metadata.name")
        return Patch(dict(data), self.rollout, self.namespace or DEFAULT_NAMESPACE)

    def path(self, text: str) -> str:
        """A path as it is to be opened."""
        if self.directory is None or text == "-":
            return text
        return os.path.normpath(self.directory / text)
