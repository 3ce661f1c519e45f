"""Mentions of users, groups and everyone: `@**Zoe**`, `@**Zoe|7**`, `@*design*`, `@**all**`.

A name that was not found stays text. In a quote, and in the form with `_`, a mention is silent: it
is shown and notifies no one.
"""

import re

import msgspec
from msgspec import field

from tertulia.markdown import escape
from tertulia.markdown.model import MentionedGroup, MentionedUser, Resolved
from tertulia.markdown.stash import Stash

_BEFORE = r"(?<![^\s'\"(\[{/<])"
USER = re.compile(_BEFORE + r"@(_?)\*\*([^*\n]+)\*\*")
GROUP = re.compile(_BEFORE + r"@(_?)\*([^*\n]+)\*")
_NAME_AND_ID = re.compile(r"(.*)\|([0-9]{1,18})")

_CHANNEL_WORDS = frozenset(("all", "everyone", "channel", "stream"))
_SYSTEM_GROUPS = {
    "role:owners": "Owners",
    "role:administrators": "Administrators",
    "role:moderators": "Moderators",
    "role:fullmembers": "Full members",
    "role:members": "Members",
    "role:everyone": "Everyone",
    "role:internet": "Everyone on the internet",
    "role:nobody": "Nobody",
}


class Mentioned(msgspec.Struct):
    """Whom a message mentions, without silent mentions; collected during rendering."""

    user_ids: set[int] = field(default_factory=set)
    group_ids: set[int] = field(default_factory=set)
    channel: bool = False
    topic: bool = False


def name_and_id(mention: str) -> tuple[str, int] | None:
    """`Zoe|7` is `("Zoe", 7)`; None for a mention without an id."""
    match = _NAME_AND_ID.fullmatch(mention)
    return (match[1], int(match[2])) if match else None


def apply_users(
    text: str, stash: Stash, found: Resolved, mentioned: Mentioned, *, in_quote: bool
) -> str:
    def replace(match: re.Match[str]) -> str:
        is_silent = in_quote or bool(match[1])
        name = match[2]
        if name in _CHANNEL_WORDS:
            mentioned.channel |= not is_silent
            return _stash_mention(
                stash, "user-mention channel-wildcard-mention", name, is_silent, data_user_id="*"
            )
        if name == "topic":
            mentioned.topic |= not is_silent
            return _stash_mention(stash, "topic-mention", name, is_silent)
        user = _find_user(name, found)
        if user is None:
            return match[0]
        is_silent = is_silent or not user.is_active
        if not is_silent:
            mentioned.user_ids.add(user.id)
        return _stash_mention(
            stash, "user-mention", user.full_name, is_silent, data_user_id=str(user.id)
        )

    return USER.sub(replace, text)


def apply_groups(
    text: str, stash: Stash, found: Resolved, mentioned: Mentioned, *, in_quote: bool
) -> str:
    def replace(match: re.Match[str]) -> str:
        group: MentionedGroup | None = found.groups.get(match[2])
        if group is None:
            return match[0]
        is_silent = in_quote or bool(match[1]) or not group.is_active
        if not is_silent:
            mentioned.group_ids.add(group.id)
        shown = _SYSTEM_GROUPS.get(group.name, group.name)
        group_id = str(group.id)
        return _stash_mention(
            stash, "user-group-mention", shown, is_silent, data_user_group_id=group_id
        )

    return GROUP.sub(replace, text)


def _find_user(mention: str, found: Resolved) -> MentionedUser | None:
    with_id = name_and_id(mention)
    if with_id is None:
        return found.users_by_name.get(mention.lower())
    name, user_id = with_id
    user = found.users_by_id.get(user_id)
    return user if user and name in ("", user.full_name) else None


def _stash_mention(stash: Stash, kind: str, name: str, is_silent: bool, **attributes: str) -> str:
    shown = name if is_silent else f"@{name}"
    kind = f"{kind} silent" if is_silent else kind
    opening = escape.tag("span", class_=kind, **attributes)
    return stash.keep(f"{opening}{escape.text(shown)}</span>", shown)
