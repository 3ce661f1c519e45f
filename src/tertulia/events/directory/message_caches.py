"""Caches of message data that the follower keeps consistent with the log."""

from tertulia import events
from tertulia.events.directory.organization import Organization
from tertulia.events.history_cache.fragments import FragmentCache
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.message_locations import MessageLocations
from tertulia.events.snapshot.register_cache import RegisterCache


class MessageCaches:
    """Caches of history fragments, history pages, message locations and registers.

    An applied event updates or invalidates the entries of the messages that it sends or rewrites.
    """

    def __init__(self, fragments: FragmentCache) -> None:
        self.fragments = fragments
        self.pages = events.history_cache.pages.PageCache()
        self.locations = MessageLocations()
        self.registers = RegisterCache()

    def apply(self, logged: LoggedEvent) -> None:
        realm_id, event = logged.realm_id, logged.event
        sent, rewritten = event.sent(), event.rewritten()
        self.pages.note(realm_id, logged.seq, sent, rewritten)
        if sent is not None:
            self.locations.note_sent(sent)
        if rewritten:
            self.fragments.forget(realm_id, logged.seq, rewritten)
            if event.invalidates_permits:  # a reaction moves no message
                self.locations.forget(realm_id, logged.seq, rewritten)

    def reset(self, org: Organization) -> None:
        """Drop what is cached for an organization that was loaded from the database."""
        self.fragments.begin_afresh(org.realm.id, org.applied)
        self.locations.forget_all(org.realm.id, org.applied)
