"""Invalid parameters."""

from tertulia.errors import ClientError


class NotUtf8(ClientError):
    message = "The request is not valid UTF-8"


class MalformedForm(ClientError):
    message = "The form data cannot be read: {reason}"


class TooManyParameters(ClientError):
    message = "Too many parameters (limit: {limit})"
    problem = "too-many"


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
