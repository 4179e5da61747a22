"""The verdict on a configuration: would kube-scheduler start with it, and would pods then fail."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import SchedulerConfiguration, inconsistencies
from kschedctl.reports.model import API_VERSION, ReportObject, doc


class ConfigurationVerdict(ReportObject, frozen=True, kw_only=True):
    """What `config validate` says."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this report.")] = API_VERSION
    kind: Annotated[Literal["ConfigurationVerdict"], doc("Kind of this report.")] = "ConfigurationVerdict"
    configuration: Annotated[str | None, doc("The configuration file; null: the defaults.")]
    version: Annotated[str, doc("Minor version of kube-scheduler.")]
    valid: Annotated[bool, doc("Whether kube-scheduler starts with it.")]
    problems: Annotated[list[str], doc("Why it does not, in its own words.")]
    line: Annotated[int | None, doc("Line of the first problem in the file, counted from 1.")] = None
    hint: Annotated[str | None, doc("What to do about it.")] = None
    warnings: Annotated[list[str], doc("What it accepts and what then fails pods.")]


def verdict_on(configuration: SchedulerConfiguration) -> ConfigurationVerdict:
    """The verdict on a configuration that was loaded: it is valid, and may hold halves of plugins."""
    several = len(configuration.profiles) > 1
    return ConfigurationVerdict(
        configuration=configuration.origin,
        version=str(configuration.version),
        valid=True,
        problems=[],
        warnings=[
            f"profile {profile.scheduler_name}: {text}" if several else text
            for profile in configuration.profiles
            for text in inconsistencies(profile, configuration.registry)
        ],
    )


def refusal(configuration: str | None, version: str, error: ConfigurationError) -> ConfigurationVerdict:
    """The verdict on a configuration that kube-scheduler refuses."""
    return ConfigurationVerdict(
        configuration=configuration,
        version=version,
        valid=False,
        problems=[error.message],
        line=error.place.line if error.place else None,
        hint=error.hint,
        warnings=[],
    )
