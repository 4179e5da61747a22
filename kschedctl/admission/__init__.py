"""What the API server does to a pod before the scheduler sees it: defaults, admission, validation."""

from .admitted import AdmittedPod
from .chain import Admission
from .context import AdmissionContext, AdmissionGates
from .defaults import default_namespace, default_node
from .invalid import FieldProblem, Invalid

__all__ = [
    "Admission",
    "AdmissionContext",
    "AdmissionGates",
    "AdmittedPod",
    "FieldProblem",
    "Invalid",
    "default_namespace",
    "default_node",
]
