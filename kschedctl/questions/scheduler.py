"""The scheduler that is asked: a configuration file, a version, feature gates, and what the cluster shows of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import BinaryIO, Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.shown_gates import SHOWN
from kschedctl.errors import ConfigurationError, UsageError
from kschedctl.framework.configuration import SchedulerConfiguration, field_of, load_configuration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.registry import Registry
from kschedctl.framework.versions import DEFAULT, Version, feature_gates, is_version, parse_version
from kschedctl.plugins.outside import enabling, with_installed
from kschedctl.plugins.registry import IN_TREE
from kschedctl.sources.document import Document, load_document
from kschedctl.sources.load import Loaded

_NO_GATES: Final[Mapping[str, bool]] = {}


class WrittenScheduler(Struct, frozen=True):
    """A scheduler as somebody asks for it, read once; which configuration it has hangs on the version.

    Attributes:
        path: of the KubeSchedulerConfiguration; None: the defaults.
        document: what it says.
        version: as people write it; None: that of the cluster, else the default one.
        gates: changes to the gates of the version.
        registry: the plugins that there are.
        ignore_unknown: leave plugins out that nobody knows, instead of refusing them.
        weights: plugin -> weight of its scores in every profile that has it, instead of the one it has.
    """

    path: str | None = None
    document: Document | None = None
    version: str | None = None
    gates: Mapping[str, bool] = _NO_GATES
    registry: Registry = IN_TREE
    ignore_unknown: bool = False
    weights: Mapping[str, int] = {}

    def check(self) -> None:
        """See what can be said before a cluster is read, whichever gates it may show to be on.

        Raises:
            KschedError: as `configuration` does, whatever the cluster is.
        """
        if self.version is not None:
            self.configuration(shown=SHOWN)

    def configuration(
        self, running: str | None = None, shown: Collection[str] | None = None
    ) -> SchedulerConfiguration:
        """The configuration that kube-scheduler would run with.

        Args:
            running: the version of the cluster, which counts where none is asked for.
            shown: gates that the cluster shows to be on.

        Raises:
            ConfigurationError: kube-scheduler would not start with it.
            UnsupportedError: a text names no version.
            UsageError: a gate is unknown or locked; no profile scores by a plugin that is to have another weight.
        """
        return _weighted(self._configuration(running, shown), self.weights)

    def _configuration(self, running: str | None, shown: Collection[str] | None) -> SchedulerConfiguration:
        text = self.version or running
        version = DEFAULT if text is None else parse_version(text)
        features = feature_gates(version, {**self.gates, **_shown_on(version, self.gates, shown or ())})
        if self.path is None or self.document is None:
            added = [plugin for name, plugin in self.registry.items() if name not in IN_TREE]
            data = enabling(added) if added else None
            return load_configuration(data, version, features, self.registry)
        registry = with_installed(self.registry, self.document.data)
        try:
            return load_configuration(
                self.document.data,
                version,
                features,
                registry,
                origin=self.path,
                ignore_unknown=self.ignore_unknown,
            )
        except ConfigurationError as error:
            place = self.document.position.place_of_object(field_of(error.message))
            raise ConfigurationError(error.message, place=place, hint=error.hint) from error


def written_scheduler(
    path: str | None = None,
    *,
    version: str | None = None,
    gates: Mapping[str, bool] | None = None,
    stdin: BinaryIO | None = None,
    registry: Registry = IN_TREE,
    ignore_unknown: bool = False,
) -> WrittenScheduler:
    """Read a scheduler; arguments as for `scheduler_of`.

    Raises:
        InputError: the file cannot be read.
    """
    document = None if path is None else load_document(path, stdin)
    return WrittenScheduler(path, document, version, gates or {}, registry, ignore_unknown)


def scheduler_of(
    path: str | None = None,
    *,
    version: str | None = None,
    gates: Mapping[str, bool] | None = None,
    stdin: BinaryIO | None = None,
    registry: Registry = IN_TREE,
    ignore_unknown: bool = False,
) -> SchedulerConfiguration:
    """A scheduler: a KubeSchedulerConfiguration file (None: the defaults) in a version with feature gates.

    Args:
        path: the file.
        version: as people write it, None for the default one (`running_version` tells that of a cluster).
        gates: changes to the gates of the version.
        stdin: the stream that `-` stands for.
        registry: the plugins that there are, beside those that installed packages announce; without a file those that
            are none of kube-scheduler's own are enabled.
        ignore_unknown: leave plugins out that nobody knows, instead of refusing them.

    Raises:
        ConfigurationError: kube-scheduler would not start with the file.
        InputError: the file cannot be read.
        UnsupportedError: the text names no version.
        UsageError: a gate is unknown or locked.
    """
    return written_scheduler(
        path, version=version, gates=gates, stdin=stdin, registry=registry, ignore_unknown=ignore_unknown
    ).configuration()


def versions_in(text: str | None) -> tuple[str, str] | None:
    """The two versions of `1.34,1.37`; None for one version or none.

    Raises:
        UsageError: there are more than two.
    """
    found = [part.strip() for part in (text or "").split(",")]
    if len(found) < 2:
        return None
    if len(found) > 2 or not all(found):
        raise UsageError(
            f"{text!r} is not two versions", hint="Write two with a comma between them: 1.34,1.37."
        )
    return found[0], found[1]


def running_version(loaded: Loaded) -> str | None:
    """The version of the cluster that was read, as its snapshot or its API server writes it; None: nobody says."""
    written = (header.kubernetes_version for header in loaded.snapshots)
    return next((text for text in written if is_version(text)), None)


def _weighted(configuration: SchedulerConfiguration, weights: Mapping[str, int]) -> SchedulerConfiguration:
    """The configuration with other weights of scores."""
    if not weights:
        return configuration
    known = {name for profile in configuration.profiles for name in profile.plugins(ExtensionPoint.SCORE)}
    for name in weights.keys() - known:
        raise UsageError(
            f"no profile scores nodes by {name!r}", hint=f"Those that do are {', '.join(sorted(known))}."
        )
    profiles = []
    for profile in configuration.profiles:
        own = {name: weights[name] for name in profile.score_weights if name in weights}
        profiles.append(replace(profile, score_weights={**profile.score_weights, **own}))
    return replace(configuration, profiles=tuple(profiles))


def _shown_on(version: Version, asked: Mapping[str, bool], shown: Collection[str]) -> dict[str, bool]:
    """Gates that are on since the cluster shows it, unless whoever asks says otherwise or one lacks another."""
    more = {name: True for name in shown if name in version.gates and name not in asked}
    on = {name for name, gate in version.gates.items() if asked.get(name, gate.default)}
    while lacking := [name for name in more if not on.union(more).issuperset(version.gates[name].needs)]:
        for name in lacking:
            del more[name]
    return more
