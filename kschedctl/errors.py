"""The one tree of errors: a code, a message, the place in the input, and what to do about it.

"Does not fit" is an answer and never an exception. An exception says that no answer could be given;
`commands` maps every one of them to exit code 2, in one place.
"""

from __future__ import annotations

from collections.abc import Sequence


class Place:
    """Where in the input something stands; a plain class, so that `--help` need not import msgspec.

    Attributes:
        file: its name as text.
        document: number of the YAML document in the file, counted from 1.
        line: line of the file, counted from 1.
        field: path of the field, as an API server writes it: `spec.containers[0].image`.
        template: the template of a chart that it was rendered from.

    Every part that is not known is None.
    """

    __slots__ = ("document", "field", "file", "line", "template")

    def __init__(
        self,
        file: str | None = None,
        document: int | None = None,
        line: int | None = None,
        field: str | None = None,
        template: str | None = None,
    ) -> None:
        self.file = None if file is None else shown_path(file)
        self.document = document
        self.line = line
        self.field = field
        self.template = template

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"Place{self._parts}"

    @property
    def _parts(self) -> tuple[str | int | None, ...]:
        return self.file, self.document, self.line, self.field, self.template

    @property
    def without_field(self) -> Place:
        """The place of the whole object."""
        return Place(self.file, self.document, self.line, template=self.template)

    def __str__(self) -> str:
        parts = [self.file] if self.file else []
        if self.document is not None:
            parts.append(f"document {self.document}")
        if self.line is not None:
            parts.append(f"line {self.line}")
        head = ", ".join(parts) + (f" ({self.template})" if self.template else "")
        return ": ".join(p for p in (head, self.field) if p)


def shown_path(path: str) -> str:
    r"""The name of a file as text: bytes of it that are no UTF-8 are written as `\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class KschedError(Exception):
    """Root of all errors that reach a user: no answer could be given.

    Attributes:
        code: short kebab-case name of the kind of error, stable for scripts.
        message: what is wrong, without the place.
        place: where in the input, or None.
        hint: what to do about it, or None.
    """

    code = "error"

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        where = str(self.place) if self.place else ""
        return f"{where}: {self.message}" if where else self.message


class InputError(KschedError):
    """A manifest, a snapshot or one of its fields cannot be used."""

    code = "bad-input"


class InputErrors(KschedError):
    """All problems of the inputs of one run, so that a person mends them in one go."""

    code = "bad-input"

    def __init__(self, problems: Sequence[KschedError]) -> None:
        super().__init__(f"{len(problems)} problems in the input")
        self.problems = tuple(problems)


class PluginError(KschedError):
    """A plugin from outside cannot be loaded, fails, or does not keep to the contract."""

    code = "plugin-failed"


class ConfigurationError(KschedError):
    """The scheduler configuration is refused, in the words of kube-scheduler."""

    code = "bad-configuration"


class UnsupportedError(KschedError):
    """The answer would need something that this version does not evaluate; it is never guessed."""

    code = "unsupported"


class EndlessError(KschedError):
    """Pods of a run move each other in circles; there is no end to be told."""

    code = "endless"


class StaleDecisionError(KschedError):
    """Something is asked of a decision that was taken in another state of its cluster."""

    code = "stale-decision"


class UsageError(KschedError):
    """The command line asks for something that does not go together."""

    code = "usage"


class ClusterError(KschedError):
    """A live cluster could not be read."""

    code = "cluster-unreachable"
