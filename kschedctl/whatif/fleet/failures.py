"""Whether a cluster survives the failures that somebody wants it to survive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from kschedctl.objects.pod import Pod
from kschedctl.whatif.disruption.losses import Losses
from kschedctl.whatif.disruption.survival import FailureUnit, FatalFailure, fatal_losses, too_few
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.workloads import WorkloadKey


class Survival(Struct, frozen=True):
    """What may fail at once.

    Attributes:
        nodes: so many nodes.
        zones: so many zones.
    """

    nodes: int = 0
    zones: int = 0

    @property
    def asked(self) -> bool:
        """Whether anything may fail."""
        return bool(self.nodes or self.zones)

    def fatal(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        tasks: Sequence[Task] = (),
        losses: Losses | None = None,
    ) -> list[FatalFailure]:
        """The failures of the first kind of which some are not survived.

        Args:
            session: the cluster and its scheduler.
            workload_of: whose pod a pod is.
            tasks: the pods that are without a node where there is not so much that could fail.
            losses: what was tried on the cluster before; None: nothing.
        """
        for unit, at_once in ((FailureUnit.ZONES, self.zones), (FailureUnit.NODES, self.nodes)):
            if not at_once:
                continue
            if why := too_few(unit, session, at_once):
                return [FatalFailure((why,), tuple(tasks))]
            if found := list(fatal_losses(unit, session, workload_of, at_once, losses=losses)):
                return found
        return []
