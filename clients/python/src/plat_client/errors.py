"""The errors that calls raise. All are PlatError."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .models import Problem


class PlatError(Exception):
    """A call failed."""


class ConnectionFailed(PlatError, ConnectionError):
    """The server cannot be reached, or the connection to it broke."""


class Timeout(PlatError, TimeoutError):
    """The server was silent for longer than the timeout."""


class AnswerError(PlatError, ValueError):
    """The answer is not one that this client understands."""


class ProblemError(PlatError):
    """The server refused a request. problem is its problem document (RFC 9457)."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.problem.status

    @property
    def detail(self) -> str:
        """What is wrong, and often what to do."""
        return self.problem.detail or self.problem.title

    def __str__(self) -> str:
        return f"{self.status} {self.problem.title}: {self.detail}"


class BadRequest(ProblemError):
    """400: the request is invalid; detail names the place."""


class Unauthorized(ProblemError):
    """401: the token is missing or wrong."""


class Forbidden(ProblemError):
    """403: this server does not allow it, as a change of an archive that it only reads."""


class NotFound(ProblemError):
    """404: the archive does not have it, or the server does not offer it."""


class Gone(NotFound):
    """410: it was removed from the archive on purpose."""


class TooLarge(ProblemError):
    """413: the request has too many bytes."""


class Unrenderable(ProblemError):
    """422 or 504: a page cannot be rendered, or takes too long."""


class Unavailable(ProblemError):
    """503: too many requests, or the server is starting; retry_after has the seconds that it asks to wait."""

    retry_after: float = 0


KINDS = {400: BadRequest, 401: Unauthorized, 403: Forbidden, 404: NotFound, 410: Gone, 413: TooLarge, 422: Unrenderable, 503: Unavailable, 504: Unrenderable}
