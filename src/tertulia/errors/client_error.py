"""What every refusal is, and what keeps us from starting."""

from typing import Any, ClassVar


class ClientError(Exception):
    """Something the caller did that cannot be done.

    `message` may hold `{name}` fields, filled from the keyword arguments. Those named in `keys`
    also travel beside `msg` in the answer.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "BAD_REQUEST"
    message: ClassVar[str] = "Bad request"
    keys: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[dict[str, str]] = {}
    reports_absence: ClassVar[bool] = False  # of what may have been made elsewhere just now

    def __init__(self, **values: Any) -> None:
        self.values = values
        self.msg = self.message.format(**values) if values else self.message
        super().__init__(self.msg)

    def extra(self) -> dict[str, Any]:
        """The keys that stand beside `result`, `msg` and `code`."""
        return {key: self.values[key] for key in self.keys if key in self.values}

    def reply_headers(self) -> dict[str, str]:
        return self.headers


class BadRequest(ClientError):
    """A plain refusal whose words are its only content: `raise BadRequest("Invalid anchor")`."""

    def __init__(self, msg: str, **extra: Any) -> None:
        self.values = extra
        self.msg = msg
        Exception.__init__(self, msg)

    def extra(self) -> dict[str, Any]:
        return self.values


class StartupError(Exception):
    """What keeps a server or a command from its work, in words for whoever runs it."""
