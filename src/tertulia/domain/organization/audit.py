"""What the audit log holds: who did what, from where, and with what result.

An entry names people and things by number and settings by name. No text that somebody wrote is in
it: not a message, not a name, not an address.
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
    """Something that is about to be done, and by whom."""

    act: str  # `DELETE /users/17`, `user deactivate`, `login`
    actor_id: int | None  # None for the command line, and for whoever was not recognized
    address: str  # the client's, or `command line`
    details: Mapping[str, Any] = field(default_factory=dict)


class AuditEntry(msgspec.Struct, frozen=True):
    id: int
    at: float
    actor_id: int | None
    address: str
    act: str
    details: Mapping[str, Any]
    result: str


def told(params: Mapping[str, str], texts: Collection[str]) -> dict[str, str | None]:
    """The names of what was given, and of numbers and switches also the value; of what is a text,
    and may be a telephone number or a password of digits, never."""
    names = sorted(params)[:MAX_DETAILS]
    return {
        name[:60]: params[name]
        if name not in texts and _TELLING_VALUE.fullmatch(params[name])
        else None
        for name in names
    }
