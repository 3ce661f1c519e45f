"""What the snapshot needs from the database beyond the directory, read at one moment."""

from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from tertulia import storage
from tertulia.domain.channels.channel import Subscription
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.events.snapshot.lists import LISTS
from tertulia.storage.database.tx import Tx
from tertulia.storage.messages.unread import UnreadMessage
from tertulia.storage.personal.topic_policies import UserTopic

MOST_UNREAD = 50_000
MOST_CONVERSATIONS = 1000


@dataclass(slots=True)
class Facts:
    max_message_id: int = -1
    unread: list[UnreadMessage] = field(default_factory=list)
    unread_missing: bool = False
    mentioned: set[int] = field(default_factory=set)
    starred: list[int] = field(default_factory=list)
    conversations: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)
    user_topics: list[UserTopic] = field(default_factory=list)
    statuses: dict[int, Status] = field(default_factory=dict)
    bots: dict[int, Bot] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)  # by the name of the part


def read_facts(tx: Tx, user_id: int, wanted: "Wanted") -> Facts:
    """Only what is wanted is read: most clients ask for little."""
    facts = Facts()
    if wanted("message"):
        facts.max_message_id = _newest_received(tx, user_id)
    if wanted("message") and wanted("update_message_flags"):
        _read_unread(tx, user_id, facts)
    if wanted("starred_messages"):
        facts.starred = storage.messages.unread.with_flag(tx, user_id, "starred")
    if wanted("recent_private_conversations"):
        facts.conversations = storage.messages.conversations.recent(tx, user_id, MOST_CONVERSATIONS)
    if wanted("subscription") or wanted("message"):
        facts.subscriptions = storage.channels.subscriptions.of_user(tx, user_id)
    if wanted("user_topic") or wanted("muted_topics") or wanted("message"):
        facts.user_topics = storage.personal.topic_policies.of_user(tx, user_id)
    if wanted("realm_bot"):
        facts.bots = storage.people.bots.kept_by(tx, user_id)
    if wanted("user_status"):
        facts.statuses = storage.people.statuses.everyone(tx)
    for name, part in LISTS.items():
        if wanted(name):
            facts.lists[name] = part.read(tx, user_id)
    return facts


def _newest_received(tx: Tx, user_id: int) -> int:
    found = storage.messages.history.newest(tx, storage.messages.selections.received(tx, user_id))
    return -1 if found is None else found


def _read_unread(tx: Tx, user_id: int, facts: Facts) -> None:
    waiting: BitMap64 = storage.messages.unread.load(tx, user_id)
    ids = list(waiting)
    facts.unread_missing = len(ids) > MOST_UNREAD
    newest = ids[-MOST_UNREAD:]
    facts.unread = storage.messages.unread.describe(tx, user_id, newest)
    for flag in ("mentioned", "topic_wildcard_mentioned"):
        facts.mentioned.update(storage.messages.unread.with_flag(tx, user_id, flag))
    facts.mentioned.update(storage.messages.unread.wildcards_among(tx, newest))
    facts.mentioned.intersection_update(newest)


class Wanted:
    """Which parts of the state a client asked for."""

    def __init__(self, types: list[str] | None) -> None:
        self._types = None if types is None else frozenset(types)

    def __call__(self, event_type: str) -> bool:
        return self._types is None or event_type in self._types

    @property
    def everything(self) -> bool:
        return self._types is None
