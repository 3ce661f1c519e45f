"""Audit log entries: who did what, from where, and with what result.

An entry names users and objects by id and settings by name. It contains no text that a user wrote:
no message, name or address. Only the reason of a legal hold is written for this log.
"""

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import field

from tertulia.wire import Doc
from tertulia.wire_fields import ClientAddress

DONE = "done"
LOGIN = "login"

_TELLING_VALUE = re.compile("-?[0-9]{1,18}|true|false|null")
MAX_DETAILS = 50


# How the address of an entry begins if no client made the call.
SOURCES = {"command": "command line", "provider": "provider, "}

# What an act is about, by patterns as in SQL's LIKE; the first area that matches decides. Features
# add theirs. The migrations 0151 and 0193 have the same list.
AREA_PATTERNS = {
    "login": [
        "login",
        "% /users/me/second_factor%",
        "% /users/me/sessions%",
        "% /users/me/api_key%",
        "% /settings%",
    ],
    "messages": ["% /messages%", "% /streams/%/delete_topic"],
    "channels": [
        "% /streams%",
        "% /channels%",
        "% /default_streams%",
        "% /users/me/subscriptions",
    ],
    "groups": ["% /user_groups%"],
    "bots": ["% /bots%"],
    "people": ["% /users%", "% /invites%", "% /realm/accounts%", "user %", "provider %"],
    "exports": ["% /export/%", "export%", "import%", "backup%", "restore%", "discover%"],
    "content": [
        "% /realm/icon%",
        "% /realm/logo%",
    ],
    "settings": ["% /realm%", "org %", "hold %"],
}
AREAS = (*AREA_PATTERNS, "other")
_OWN_ACCOUNT = re.compile(r"[A-Z]+ /(users/me|settings)\b.*")
_OBJECT_IN_PATH = re.compile(r"[A-Z]+ /(users|bots|streams|user_groups|messages)/([0-9]+).*")
_OBJECT_TYPES = {
    "users": "user",
    "bots": "user",
    "streams": "channel",
    "user_groups": "group",
    "messages": "message",
}


EntryId = Annotated[int, Doc("The id of the entry.", example=17)]


class Act(msgspec.Struct, frozen=True):
    """An action that is about to run, and its actor."""

    act: str  # `DELETE /users/17`, `user deactivate`, `login`
    actor_id: int | None  # None for the command line and for unauthenticated callers
    address: str  # the client's address, or `command line`
    details: Mapping[str, Any] = field(default_factory=dict)


class AuditEntry(msgspec.Struct, frozen=True):
    id: EntryId
    at: Annotated[float, Doc("The time of the action, in UNIX seconds.")]
    actor_id: Annotated[int | None, Doc("The id of the user; null for the server or an operator.")]
    address: ClientAddress
    act: Annotated[str, Doc("The action, such as `login`.")]
    details: Annotated[Mapping[str, Any], Doc("Further details.")]
    result: Annotated[str, Doc("The result: `done`, or the error code.")]
    area: Annotated[str, Doc("The area: `login`, `people`, `channels` and so on.")]
    object: Annotated[
        str | None,
        Doc("The object of the action, such as `user/17`; null if it is not about one object."),
    ]  # `user/17`, `channel/5`, `group/8`, `message/99`


class AuditFilter(msgspec.Struct, frozen=True):
    """Which entries are asked for; a field that is None allows all of them."""

    actor_id: int | None = None
    source: str | None = None
    area: str | None = None
    object: str | None = None
    after: float | None = None
    until: float | None = None
    is_failed: bool | None = None
    search: str | None = None
    without_holds: bool | None = None  # users on legal hold are not informed, also administrators


def area_of(act: Act) -> str:
    """The part of the administration that an act belongs to."""
    for area, patterns in AREA_PATTERNS.items():
        if any(re.fullmatch(each.replace("%", ".*"), act.act) for each in patterns):
            return area
    return "other"


def object_of(act: Act) -> str | None:
    """The user, channel, group or message that an act is about, if it is about one of them."""
    if _OWN_ACCOUNT.fullmatch(act.act):
        return None if act.actor_id is None else f"user/{act.actor_id}"
    if found := _OBJECT_IN_PATH.fullmatch(act.act):
        return f"{_OBJECT_TYPES[found[1]]}/{found[2]}"
    user_id = None
    if act.act.startswith("provider "):
        user_id = act.details.get("user_id")
    elif act.act.startswith("user ") and act.act != "user import":
        user_id = next(iter(act.details.get("numbers", ())), None)
    return None if user_id is None else f"user/{user_id}"


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
