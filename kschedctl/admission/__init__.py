"""What the API server does to a pod before the scheduler sees it: defaults, admission, validation."""

from .admitted import AdmittedPod
from .chain import Admission
from .context import AdmissionContext
from .defaults import default_namespace, default_node
from .gates import AdmissionFacts, AdmissionGates
from .invalid import FieldProblem, Invalid

__all__ = [
    "Admission",
    "AdmissionContext",
    "AdmissionFacts",
    "AdmissionGates",
    "AdmittedPod",
    "FieldProblem",
    "Invalid",
    "default_namespace",
    "default_node",
]
