"""The parts of the snapshot that are plain lists from the database, one line for each.

A list has the name by which clients request it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.events.directory.organization import Organization
from tertulia.events.types.organization.mail_domains import DomainObject
from tertulia.events.types.organization.playgrounds import PlaygroundObject


class ListedPart(msgspec.Struct, frozen=True):
    """What to read from the database, and how to encode each element."""

    table: str
    of_all_users: Callable[[Tx], Iterable[Any]] | None = None
    of_user: Callable[[Tx, int], Iterable[Any]] | None = None
    to_wire: Callable[[Organization, Any], Any] = lambda org, each: each

    def read(self, tx: Tx, user_id: int) -> list[Any]:
        found = self.of_user(tx, user_id) if self.of_user else ()
        return [*found, *(self.of_all_users(tx) if self.of_all_users else ())]


def _plainly(to_wire: Callable[[Any], Any]) -> Callable[[Organization, Any], Any]:
    """For elements that do not depend on the organization."""
    return lambda org, each: to_wire(each)


LISTS = {
    "alert_words": ListedPart("alert_word", of_user=storage.personal.alert_words.of_user),
    "channel_folders": ListedPart(
        "channel_folder",
        of_all_users=storage.channels.folders.list_all,
        to_wire=_plainly(events.types.channels.folders.folder_object),
    ),
    "drafts": ListedPart(
        "draft",
        of_user=lambda tx, user_id: reversed(storage.personal.drafts.of_user(tx, user_id)),
        to_wire=_plainly(events.types.personal.drafts.draft_object),
    ),
    "muted_users": ListedPart(
        "muted_user",
        of_user=storage.personal.muted_users.of_user,
        to_wire=_plainly(events.types.personal.muted_users.mute_object),
    ),
    "navigation_views": ListedPart(
        "navigation_view",
        of_user=storage.personal.navigation_views.of_user,
        to_wire=_plainly(events.types.personal.navigation_views.view_object),
    ),
    "realm_domains": ListedPart(
        "mail_domain",
        of_all_users=storage.organization.mail_domains.list_all,
        to_wire=_plainly(DomainObject.of),
    ),
    "realm_playgrounds": ListedPart(
        "playground",
        of_all_users=storage.organization.playgrounds.list_all,
        to_wire=_plainly(PlaygroundObject.of),
    ),
    "reminders": ListedPart(
        "reminder",
        of_user=storage.later.reminders.of_user,
        to_wire=events.types.later.reminders.reminder_object,
    ),
    "saved_snippets": ListedPart(
        "saved_snippet",
        of_user=storage.personal.snippets.of_user,
        to_wire=_plainly(events.types.personal.snippets.snippet_object),
    ),
    "scheduled_messages": ListedPart(
        "scheduled_message",
        of_user=storage.later.scheduled.of_user,
        to_wire=events.types.later.scheduled.scheduled_message_object,
    ),
}
