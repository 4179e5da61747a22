"""What the API server does to a pod before the scheduler sees it: defaults, admission, validation."""

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.defaults import default_namespace, default_node
from kschedctl.admission.gates import AdmissionFacts, AdmissionGates
from kschedctl.admission.invalid import FieldProblem, Invalid

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
