"""The base classes: errors of a request, and errors that prevent a start."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

_FIELD = re.compile(r"(?<!\{)\{(\w+)")


class ClientError(Exception):
    """A request that the server refuses.

    `message` may contain `{name}` fields, filled from the keyword arguments. Arguments that are
    named in `keys` are also keys of the answer.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "BAD_REQUEST"
    message: ClassVar[str] = "Bad request"
    problem: str = ""  # what exactly is wrong: clients find their own text by it
    hint: ClassVar[str] = ""  # how to correct a typical mistake; clients compare `msg`, not this
    keys: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[dict[str, str]] = {}
    reports_absence: ClassVar[bool] = False  # another server may have made it

    def __init__(self, **values: Any) -> None:
        self._fill(self.message, values)

    def _fill(self, template: str, values: dict[str, Any]) -> None:
        self.template = template
        self.values = values
        self.msg = template.format(**values) if values else template
        super().__init__(self.msg)

    def extra(self) -> dict[str, Any]:
        """The keys of the answer besides `result`, `msg` and `code`."""
        extra = {key: self.values[key] for key in self.keys if key in self.values}
        return extra | {"hint": self.hint} if self.hint else extra

    def problem_keys(self) -> dict[str, Any]:
        """The keys of the answer that say what exactly is wrong, with the values of the message."""
        if not self.problem:
            return {}
        shown = {
            name: value if isinstance(value := self.values[name], int) else str(value)
            for name in _FIELD.findall(self.template)
        }
        return {"problem": self.problem} | ({"problem_values": shown} if shown else {})

    def reply_headers(self) -> dict[str, str]:
        return self.headers


class WordedError(ClientError):
    """An error whose message is given where it is raised; it may contain `{name}` fields, too.

    `answer` has keys of the answer.
    """

    def __init__(
        self,
        msg: str,
        *,
        problem: str = "",
        answer: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> None:
        self.problem = problem or self.problem
        self.answer = dict(answer or {})
        self._fill(msg, values)

    def extra(self) -> dict[str, Any]:
        return self.answer


class BadRequest(WordedError):
    """An error with only a message: `raise BadRequest("Invalid anchor")`."""


class StartupError(Exception):
    """The server or a command cannot start; the text is for the operator."""
