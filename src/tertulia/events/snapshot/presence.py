"""Presence in the register snapshot."""

from functools import partial
from typing import Any

from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options


def is_shown(org: Organization) -> bool:
    return not org.realm.setting("presence_disabled")


def presences(
    org: Organization, viewer: User, slim: bool, since: int | None, days: int | None, now: float
) -> Any:
    """An object by user id, or in the older form by email address."""
    if not is_shown(org):
        return {}
    known = None if org.may_know_all(viewer) else partial(org.may_know, viewer)
    if slim:
        return org.presence.compact(since, days, now, known)
    return org.presence.legacy(days, now, org.email_domain, known)


def presence_state(
    org: Organization, me: User, options: Options, days: int | None, now: float
) -> dict[str, Any]:
    board = org.presence
    slim = options.slim_presence or options.capabilities.simplified_presence_events
    return {
        "presences": presences(org, me, slim, None, days, now),
        "presence_last_update_id": board.head,
        "server_timestamp": now,
    }
