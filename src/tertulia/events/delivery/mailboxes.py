"""The mailbox registry: the mailboxes of this process, and a quick filter of those for an event.

The filter may return too many. The audience decides for each mailbox.
"""

from collections.abc import Iterable, Iterator

from tertulia.events.audience import Audience
from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.directory.organization import Organization
from tertulia.events.logged_event import LoggedEvent


class MailboxRegistry:
    def __init__(self) -> None:
        self._mailboxes: dict[str, Mailbox] = {}
        self._of_user: dict[int, dict[int, set[str]]] = {}  # queue ids by realm and user
        # Queue ids, by realm, that receive all public channels.
        self._wide: dict[int, set[str]] = {}

    def __iter__(self) -> Iterator[Mailbox]:
        """A copy: the caller may remove mailboxes while it iterates."""
        return iter(list(self._mailboxes.values()))

    def __len__(self) -> int:
        return len(self._mailboxes)

    def count_parked(self) -> int:
        """The number of mailboxes with a waiting poll."""
        return sum(mailbox.is_parked for mailbox in self._mailboxes.values())

    def find(self, queue_id: str) -> Mailbox | None:
        return self._mailboxes.get(queue_id)

    def add(self, mailbox: Mailbox) -> None:
        listener = mailbox.listener
        self._mailboxes[listener.queue_id] = mailbox
        listening = self._of_user.setdefault(mailbox.realm_id, {})
        listening.setdefault(listener.user_id, set()).add(listener.queue_id)
        if listener.options.includes_public_channels:
            self._wide.setdefault(mailbox.realm_id, set()).add(listener.queue_id)

    def discard(self, mailbox: Mailbox) -> None:
        queue_id, user_id = mailbox.listener.queue_id, mailbox.listener.user_id
        if self._mailboxes.get(queue_id) is not mailbox:
            return  # dropped before, and perhaps recreated
        del self._mailboxes[queue_id]
        self._wide.get(mailbox.realm_id, set()).discard(queue_id)
        listening = self._of_user[mailbox.realm_id]
        listening[user_id].discard(queue_id)
        if not listening[user_id]:
            del listening[user_id]
        if not listening:
            del self._of_user[mailbox.realm_id]
            self._wide.pop(mailbox.realm_id, None)

    def realms(self) -> list[int]:
        """Organizations with at least one mailbox."""
        return list(self._of_user)

    def is_listening(self, realm_id: int) -> bool:
        return realm_id in self._of_user

    def of_users(self, realm_id: int, user_ids: Iterable[int]) -> list[Mailbox]:
        listening = self._of_user.get(realm_id, {})
        return [
            self._mailboxes[queue_id]
            for user_id in user_ids
            for queue_id in listening.get(user_id, ())
        ]

    def of_organization(self, realm_id: int) -> list[Mailbox]:
        return self.of_users(realm_id, self._of_user.get(realm_id, {}))

    def for_audience(self, org: Organization, audience: Audience) -> list[Mailbox]:
        """Mailboxes that may be in the audience; the audience decides."""
        listening = self._of_user.get(org.realm.id, {})
        return self.of_users(org.realm.id, audience.among(org, listening.keys()))

    def for_event(self, org: Organization, logged: LoggedEvent) -> Iterable[Mailbox]:
        """The same for an event, plus mailboxes that receive all public channels."""
        found = {
            mailbox.listener.queue_id: mailbox
            for mailbox in self.for_audience(org, logged.audience)
        }
        wide = self._wide.get(org.realm.id)
        if wide and logged.event.public_channel_of(org) is not None:
            found |= {queue_id: self._mailboxes[queue_id] for queue_id in wide}
        return found.values()
