"""Rules for names, labels and annotations."""

from __future__ import annotations

from kschedctl.admission.invalid import FieldProblem
from kschedctl.objects.meta import ObjectMeta


def validate_metadata(metadata: ObjectMeta) -> list[FieldProblem]:
    """What is wrong with a pod's metadata."""
    return []
