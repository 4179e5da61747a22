"""Snapshots with the names in them replaced, so that they can be shown to others: the decisions stay.

| renamed                                            | how                                                     |
|----------------------------------------------------|---------------------------------------------------------|
| nodes, namespaces, volumes, slices, pools, ...     | by rank, so their order stays                           |
| pods, claims, workloads                            | by rank in their namespace; names made of names follow  |
| label values, values of taints and in selectors    | alike wherever they stand                               |
| values of topology labels                          | part by part: `a-b-c` keeps three parts                 |
| images                                             | repository and tag apart; `latest` stays                |
| identifiers of volumes                             | part by part; zones in them are zones                   |
| texts of device attributes, and in selectors       | alike, unless a selector does more than comparing them  |
| every other text that is not known to be harmless  | by rank: schedulers, gates, ports, hosts, paths, ...    |

What is kept because it decides, or because it tells nothing, is a table of fields (`harmless`): keys of labels and
taints, numbers compared by Gt and Lt, ordinals of StatefulSets, namespaces that every cluster has, classes (storage,
priority, runtime, devices), drivers, names of containers and devices, uids. A field that is in no table is replaced.
"""

from kschedctl.sources.redaction.redact import Redacted, redact_names

__all__ = ["Redacted", "redact_names"]
