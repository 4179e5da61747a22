"""Rules that are not the same in all versions, each by a name that says what holds (spec 06 §0)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from msgspec import Struct

from kschedctl.admission.gates import AdmissionFacts
from kschedctl.dra.rules import DeviceRules


class ImageVolumes(Enum):
    """What ImageLocality makes of volumes that are images."""

    IGNORED = auto()
    SUMMED = auto()
    """Their sizes count, the volumes do not count as containers."""
    COUNTED = auto()
    """Their sizes count, and each volume counts like a container."""


class GroupCycle(Enum):
    """How pods of a group are scheduled."""

    NONE = auto()
    """Each by itself."""
    OF_MEMBERS = auto()
    """Members wait one by one; the one that is taken pulls the others along; each is tried, and may preempt."""
    OF_GROUPS = auto()
    """A group waits as one; it is given up once minCount is out of reach, and preempts as a whole."""


class Facts(Struct, frozen=True):
    """The rules of one version. What is not here is the same in all of them, or follows from a gate."""

    ties_are_random: bool
    """Of several best nodes one is drawn, each with the same chance; else the order of a heap decides."""
    node_order_is_random: bool
    """The first list of nodes is read in the order of a hash map: it is anew at each start of the scheduler."""
    taint_reason_names_the_taint: bool
    """TaintToleration's reason holds key and value of the first untolerated taint."""
    balance_is_relative: bool
    """NodeResourcesBalancedAllocation scores how the pod changes the balance, not the balance it leaves."""
    image_volumes: ImageVolumes
    in_use_by_whole_pod: bool
    """What a pod on a node uses is the maximum of three sums over the whole pod, not a sum of maxima a container."""
    every_csi_driver_must_be_present: bool
    """With VolumeLimitScaling a node lacks every driver that exists and is not there, not only those that insist."""
    portworx_by_annotation: bool
    """Portworx volumes count for their CSI driver only on nodes whose CSINode says so."""
    declared_features_reason_lists_them: bool
    """NodeDeclaredFeatures names the features that a node lacks."""
    declared_features: frozenset[str]
    """Features that NodeDeclaredFeatures infers from a pod that is to be scheduled."""
    known_features: frozenset[str] | None
    """Features of nodes that it knows; it takes their list to be sorted. None: all, in any order."""
    devices: DeviceRules
    """How devices are allocated."""
    deallocation_is_told: bool
    """DynamicResources says in PostFilter that there is nothing to deallocate."""
    preemption_is_told: bool
    """The event of a pod that preempts names the node and how many victims there are."""
    strategy_needs_its_curve: bool
    """NodeResourcesFitArgs are refused where type and requestedToCapacityRatio do not go together."""
    overflow_names_the_scores: bool
    """The refusal of score weights that could overflow says which kind of score it is."""
    binding_timeout_is_known: bool
    """DynamicResourcesArgs have a bindingTimeout."""
    unknown_points: frozenset[str]
    """Extension points that a configuration of this version does not know."""
    terms_keep_their_namespace_selector: bool
    """A namespace selector of an incoming pod's affinity term matches unknown namespaces by NotIn and DoesNotExist."""
    every_budget_is_charged: bool
    """A victim is charged to all budgets that match it, not only up to the first one that it exceeds."""
    unstarted_pods_read_the_clock: bool
    """A victim without start time gets a new one at each comparison, which turns the order of equal ones around."""
    group_cycle: GroupCycle
    group_condition: str
    """Type of the condition that tells whether a group was scheduled; empty where there are no groups."""
    group_priority_gate: str
    """The gate behind which priority and disruption mode of a group count; empty where there are no groups."""
    unscheduled_pod_event: str
    """What the queue calls a pod on no node in the names of events."""
    target_pod_event: str
    """What it calls the waiting pod itself there."""
    taints_wake_whom_nodes_wake: bool
    """A plugin whose rejections a new node may lift is woken by every change of taints, unless it looks at them."""
    any_anti_term_wakes: bool
    """A pod rejected by InterPodAffinity is woken where one anti-affinity term is lifted; else by all at once."""
    deleted_claims_wake: bool
    """DynamicResources hears of deleted claims."""
    binding_frees_nomination: bool
    """Binding a nominated pod wakes others as if the room that was kept for it were free."""
    gated_pods_are_nominated: bool
    """The nomination of a pod counts though it is kept out of the queue."""
    nominations_wake_by_topology: bool
    """PodTopologySpread and InterPodAffinity take the end of a nomination for the end of a pod on the node."""
    repelled_pods_wake: bool
    """A pod rejected by InterPodAffinity is woken by its own new labels, and when a pod that repels it goes."""
    terminating_victims_are_left_alone: bool
    """A victim that is terminating already is not evicted once more."""
    api_versions: Mapping[str, tuple[str, ...]]
    """Versions, without their group, of kinds that do not have the same ones everywhere, the best first."""
    admission: AdmissionFacts
    """What the API server accepts, and its words."""
    nominated_pods_take_hints: bool
    """Batching keeps a hint even for a pod that has a nominated node, which is tried instead."""
    batches_score_the_last_node_again: bool
    """A node that is not full after the last pod is scored again for the next one; else the batch is of no use."""
