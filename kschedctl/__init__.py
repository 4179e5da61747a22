"""kschedctl: the decision kube-scheduler would take, offline and explained."""

__version__ = "0.1.0"
