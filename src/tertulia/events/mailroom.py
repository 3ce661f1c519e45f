"""The mailroom: the mailboxes that this process holds, and who among them may be meant.

It knows who listens to what only roughly: whether somebody is told of an event is for the
audience to say, mailbox by mailbox.
"""

from collections.abc import Iterable, Iterator

from pyroaring import BitMap

from tertulia.events.audience import Audience, Nobody, Subscribers, Users
from tertulia.events.directory import Organization
from tertulia.events.log import Happening
from tertulia.events.mailbox import Mailbox
from tertulia.events.types.messages import MessageSent


class Mailroom:
    def __init__(self) -> None:
        self._mailboxes: dict[str, Mailbox] = {}
        self._of_user: dict[int, set[str]] = {}
        self._wide: dict[int, set[str]] = {}  # queues that hear all public channels, by realm

    def __iter__(self) -> Iterator[Mailbox]:
        """All of them; whoever goes through them may throw some away."""
        return iter(list(self._mailboxes.values()))

    def __len__(self) -> int:
        return len(self._mailboxes)

    def count_parked(self) -> int:
        """At how many of them a poll waits."""
        return sum(mailbox.is_parked for mailbox in self._mailboxes.values())

    def find(self, queue_id: str) -> Mailbox | None:
        return self._mailboxes.get(queue_id)

    def put(self, mailbox: Mailbox) -> None:
        listener = mailbox.listener
        self._mailboxes[listener.queue_id] = mailbox
        self._of_user.setdefault(listener.user_id, set()).add(listener.queue_id)
        if listener.options.hears_public_channels:
            self._wide.setdefault(mailbox.realm_id, set()).add(listener.queue_id)

    def discard(self, mailbox: Mailbox) -> None:
        queue_id, user_id = mailbox.listener.queue_id, mailbox.listener.user_id
        self._mailboxes.pop(queue_id, None)
        self._wide.get(mailbox.realm_id, set()).discard(queue_id)
        ids = self._of_user.get(user_id, set())
        ids.discard(queue_id)
        if not ids:
            self._of_user.pop(user_id, None)

    def of_users(self, user_ids: Iterable[int]) -> list[Mailbox]:
        return [
            self._mailboxes[queue_id]
            for user_id in user_ids
            for queue_id in self._of_user.get(user_id, ())
        ]

    def for_audience(self, org: Organization, audience: Audience) -> list[Mailbox]:
        """Mailboxes that may be meant; the audience itself still has to say."""
        found = self.of_users(self._listening(org, audience))
        return [mailbox for mailbox in found if mailbox.realm_id == org.realm.id]

    def for_happening(self, org: Organization, happening: Happening) -> Iterable[Mailbox]:
        """The same for an event; of a message also those that hear of all public channels."""
        found = {
            mailbox.listener.queue_id: mailbox
            for mailbox in self.for_audience(org, happening.audience)
        }
        if isinstance(happening.event, MessageSent):
            for queue_id in self._wide.get(org.realm.id, ()):
                found[queue_id] = self._mailboxes[queue_id]
        return found.values()

    def _listening(self, org: Organization, audience: Audience) -> Iterable[int]:
        if isinstance(audience, Nobody):
            return ()
        if isinstance(audience, Users):
            return audience.ids
        if isinstance(audience, Subscribers):
            subscribers = org.subscribers.get(audience.id) or BitMap()
            if len(subscribers) < len(self._of_user):
                return [user_id for user_id in subscribers if user_id in self._of_user]
            return [user_id for user_id in self._of_user if user_id in subscribers]
        return list(self._of_user)
