"""The refusal of a pod: an answer, not an error."""

from __future__ import annotations

from msgspec import Struct


class FieldProblem(Struct, frozen=True):
    """One thing the API server has against an object."""

    path: str
    """Field path, as the API server writes it: `spec.containers[0].name`; "" for the object as a whole."""
    message: str
    """The API server's text without the path."""
    hint: str | None = None
    """What to do about it, where the text does not say so."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Invalid(Struct, frozen=True):
    """A candidate that the API server would refuse, with every reason."""

    errors: tuple[FieldProblem, ...]

    @property
    def hint(self) -> str | None:
        """The first thing to do about it, where there is something that the errors do not say."""
        return next((error.hint for error in self.errors if error.hint), None)

    def __str__(self) -> str:
        texts = [str(error) for error in self.errors]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
