"""The mailroom: the mailboxes that this process holds, and who among them may be meant.

It knows who listens to what only roughly: whether somebody is told of an event is for the
audience to say, mailbox by mailbox.
"""

from collections.abc import Iterable, Iterator

from tertulia.events.audience import Audience
from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.directory.organization import Organization
from tertulia.events.logged_event import LoggedEvent


class MailboxRegistry:
    def __init__(self) -> None:
        self._mailboxes: dict[str, Mailbox] = {}
        self._of_user: dict[int, dict[int, set[str]]] = {}  # queues by realm and user
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
        listening = self._of_user.setdefault(mailbox.realm_id, {})
        listening.setdefault(listener.user_id, set()).add(listener.queue_id)
        if listener.options.hears_public_channels:
            self._wide.setdefault(mailbox.realm_id, set()).add(listener.queue_id)

    def discard(self, mailbox: Mailbox) -> None:
        queue_id, user_id = mailbox.listener.queue_id, mailbox.listener.user_id
        if self._mailboxes.get(queue_id) is not mailbox:
            return  # given up before, and perhaps made anew
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
        """Where somebody listens."""
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
        """Mailboxes that may be meant; the audience itself still has to say."""
        listening = self._of_user.get(org.realm.id, {})
        return self.of_users(org.realm.id, audience.among(org, listening.keys()))

    def for_event(self, org: Organization, happening: LoggedEvent) -> Iterable[Mailbox]:
        """The same for an event, with those who overhear it in a public channel."""
        found = {
            mailbox.listener.queue_id: mailbox
            for mailbox in self.for_audience(org, happening.audience)
        }
        wide = self._wide.get(org.realm.id)
        if wide and happening.event.overheard_in(org) is not None:
            found |= {queue_id: self._mailboxes[queue_id] for queue_id in wide}
        return found.values()
