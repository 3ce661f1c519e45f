"""Presence in the register snapshot."""

from functools import partial
from typing import Annotated, Any

from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.presence import PresencesByUser
from tertulia.events.snapshot.server_info import StatePart
from tertulia.wire import Doc


class PresencesState(StatePart):
    presences: Annotated[PresencesByUser, Doc("The presence of users.")]
    presence_last_update_id: Annotated[int, Doc("The number of the last presence update.")]
    server_timestamp: Annotated[float, Doc("The time of the presence data, in UNIX seconds.")]


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
) -> PresencesState:
    board = org.presence
    slim = options.slim_presence or options.capabilities.simplified_presence_events
    return PresencesState(
        presences=presences(org, me, slim, None, days, now),
        presence_last_update_id=board.head,
        server_timestamp=now,
    )
