"""What the API server does to a pod before the scheduler sees it: defaults, admission, validation."""

from .admitted import AdmittedPod
from .chain import Admission, admit_node
from .context import AdmissionContext, AdmissionGates
from .defaults import default_namespace
from .invalid import FieldProblem, Invalid

__all__ = [
    "Admission",
    "AdmissionContext",
    "AdmissionGates",
    "AdmittedPod",
    "FieldProblem",
    "Invalid",
    "admit_node",
    "default_namespace",
]
