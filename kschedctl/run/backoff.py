"""How long a pod that failed waits before it is tried again (spec 01 §8.3, spec 08 §2)."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.run.clock import SECOND


class Backoff(Struct, frozen=True):
    """The rule of a configuration.

    Attributes:
        initial: seconds after the first failure.
        maximum: seconds at most; 0 for no back-off at all.
        pops_when_idle: gate SchedulerPopFromBackoffQ: times are cut to whole seconds, and nobody waits while the
            scheduler has nothing else to do.
    """

    initial: int = 1
    maximum: int = 10
    pops_when_idle: bool = True

    @classmethod
    def of(cls, configuration: SchedulerConfiguration) -> Backoff:
        """That of a configuration."""
        return cls(
            configuration.pod_initial_backoff_seconds,
            configuration.pod_max_backoff_seconds,
            configuration.gates.enabled("SchedulerPopFromBackoffQ"),
        )

    def duration(self, failures: int) -> int:
        """Microseconds after so many failures: doubled each time, up to the maximum."""
        if failures == 0 or self.maximum == 0:
            return 0
        doublings = failures - 1
        seconds = self.maximum if self.initial > self.maximum >> doublings else self.initial << doublings
        return seconds * SECOND

    def expiry(self, failed_at: int, failures: int) -> int:
        """The moment at which the wait ends, -1 for none."""
        duration = self.duration(failures)
        return self._window(failed_at + duration) if duration else -1

    def has_ended(self, expiry: int, now: int) -> bool:
        """Whether a wait is over: the whole second in which it ends still belongs to it."""
        return expiry < self._window(now)

    def _window(self, moment: int) -> int:
        return moment // SECOND * SECOND if self.pops_when_idle else moment
