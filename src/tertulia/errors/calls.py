"""Calls that cannot be held."""

from tertulia.errors import BadRequest


class CallServerFailed(BadRequest):
    """The server for calls does not help, in words for whoever wants to call."""
