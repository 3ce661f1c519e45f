"""Audit log entries: who did what, from where, and with what result.

An entry names users and objects by id and settings by name. It contains no text that a user wrote:
no message, name or address.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from msgspec import field

DONE = "done"
LOGIN = "login"

_TELLING_VALUE = re.compile("-?[0-9]{1,18}|true|false|null")
MAX_DETAILS = 50


class Act(msgspec.Struct, frozen=True):
    """An action that is about to run, and its actor."""

    act: str  # `DELETE /users/17`, `user deactivate`, `login`
    actor_id: int | None  # None for the command line and for unauthenticated callers
    address: str  # the client's address, or `command line`
    details: Mapping[str, Any] = field(default_factory=dict)


class AuditEntry(msgspec.Struct, frozen=True):
    id: int
    at: float
    actor_id: int | None
    address: str
    act: str
    details: Mapping[str, Any]
    result: str


def redacted(params: Mapping[str, str], texts: Collection[str]) -> dict[str, str | None]:
    """The names of the parameters, with the values of numbers and switches.

    The value of a text parameter is never included: it may be a phone number or a numeric password.
    """
    names = sorted(params)[:MAX_DETAILS]
    return {
        name[:60]: params[name]
        if name not in texts and _TELLING_VALUE.fullmatch(params[name])
        else None
        for name in names
    }
