"""The base classes: errors of a request, and errors that prevent a start."""

from typing import Any, ClassVar


class ClientError(Exception):
    """A request that the server refuses.

    `message` may contain `{name}` fields, filled from the keyword arguments. Arguments that are
    named in `keys` are also keys of the answer.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "BAD_REQUEST"
    message: ClassVar[str] = "Bad request"
    hint: ClassVar[str] = ""  # how to correct a typical mistake; clients compare `msg`, not this
    keys: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[dict[str, str]] = {}
    reports_absence: ClassVar[bool] = False  # another server may have made it

    def __init__(self, **values: Any) -> None:
        self.values = values
        self.msg = self.message.format(**values) if values else self.message
        super().__init__(self.msg)

    def extra(self) -> dict[str, Any]:
        """The keys of the answer besides `result`, `msg` and `code`."""
        extra = {key: self.values[key] for key in self.keys if key in self.values}
        return extra | {"hint": self.hint} if self.hint else extra

    def reply_headers(self) -> dict[str, str]:
        return self.headers


class BadRequest(ClientError):
    """An error with only a message: `raise BadRequest("Invalid anchor")`."""

    def __init__(self, msg: str, **extra: Any) -> None:
        self.values = extra
        self.msg = msg
        Exception.__init__(self, msg)

    def extra(self) -> dict[str, Any]:
        return self.values


class StartupError(Exception):
    """The server or a command cannot start; the text is for the operator."""
