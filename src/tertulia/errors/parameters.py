"""Invalid parameters."""

from typing import Any

from tertulia.errors import BadRequest, ClientError


class NotUtf8(ClientError):
    message = "The request is not valid UTF-8"


class MalformedForm(ClientError):
    message = "The form data cannot be read: {reason}"


class TooMany(ClientError):
    """`raise TooMany("drafts", MAX_DRAFTS)`"""

    message = "Too many {things} (limit: {limit})"
    problem = "too-many"

    def __init__(self, things: str, limit: int) -> None:
        self._fill(f"Too many {things} (limit: {{limit}})", {"limit": limit})


class NulInText(ClientError):
    """PostgreSQL cannot store this character, so no database accepts it."""

    message = "A text must not contain null bytes"
    problem = "null-byte"


class MissingParameter(ClientError):
    message = "Missing '{name}' argument"


class NothingToDo(ClientError):
    message = "Nothing to do. Specify at least one of {names}."


class UnsupportedCombination(ClientError):
    message = "Unsupported parameter combination: {parameters}"
    keys = ("parameters",)


class ExpectationMismatch(ClientError):
    """Another user has changed what the caller expected to find."""

    code = "EXPECTATION_MISMATCH"
    message = "'{field_name}' value does not match the expected value."
    keys = ("field_name",)


class InvalidForm(BadRequest):
    """Compat: clients show the messages in `errors`, by field."""

    def __init__(
        self, msg: str, field: str = "__all__", *, problem: str = "", **values: Any
    ) -> None:
        super().__init__(msg, problem=problem, **values)
        self.answer = {"errors": {field: [self.msg]}}


class BadUrlTemplate(InvalidForm):
    def __init__(self, field: str = "__all__") -> None:
        super().__init__("Invalid URL template.", field)
