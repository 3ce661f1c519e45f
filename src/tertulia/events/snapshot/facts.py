"""What the snapshot needs from the database beyond the directory, read at one moment."""

from dataclasses import dataclass, field

from pyroaring import BitMap64

from tertulia.domain.bots import Bot
from tertulia.domain.channels import Subscription
from tertulia.domain.drafts import SavedDraft
from tertulia.domain.folders import Folder
from tertulia.domain.mail_domains import MailDomain
from tertulia.domain.playgrounds import Playground
from tertulia.domain.reminders import Reminder
from tertulia.domain.scheduled import ScheduledMessage
from tertulia.domain.snippets import Snippet
from tertulia.domain.status import Status
from tertulia.storage import (
    alert_words,
    bots,
    conversations,
    drafts,
    folders,
    history,
    mail_domains,
    muted_users,
    playgrounds,
    reminders,
    scheduled,
    selections,
    snippets,
    statuses,
    subscriptions,
    unread,
    user_topics,
)
from tertulia.storage.muted_users import Mute
from tertulia.storage.tx import Tx
from tertulia.storage.unread import UnreadMessage
from tertulia.storage.user_topics import UserTopic

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
    scheduled: list[ScheduledMessage] = field(default_factory=list)
    reminders: list[Reminder] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)
    drafts: list[SavedDraft] = field(default_factory=list)
    snippets: list[Snippet] = field(default_factory=list)
    alert_words: list[str] = field(default_factory=list)
    muted_users: list[Mute] = field(default_factory=list)
    statuses: dict[int, Status] = field(default_factory=dict)
    bots: dict[int, Bot] = field(default_factory=dict)
    mail_domains: list[MailDomain] = field(default_factory=list)
    playgrounds: list[Playground] = field(default_factory=list)


def read_facts(tx: Tx, user_id: int, wanted: "Wanted") -> Facts:
    """Only what is wanted is read: most clients ask for little."""
    facts = Facts()
    if wanted("message"):
        facts.max_message_id = _newest_received(tx, user_id)
    if wanted("message") and wanted("update_message_flags"):
        _read_unread(tx, user_id, facts)
    if wanted("starred_messages"):
        facts.starred = unread.with_flag(tx, user_id, "starred")
    if wanted("recent_private_conversations"):
        facts.conversations = conversations.recent(tx, user_id, MOST_CONVERSATIONS)
    if wanted("subscription") or wanted("message"):
        facts.subscriptions = subscriptions.of_user(tx, user_id)
    if wanted("user_topic") or wanted("muted_topics") or wanted("message"):
        facts.user_topics = user_topics.of_user(tx, user_id)
    if wanted("scheduled_messages"):
        facts.scheduled = scheduled.of_user(tx, user_id)
    if wanted("reminders"):
        facts.reminders = reminders.of_user(tx, user_id)
    if wanted("channel_folders"):
        facts.folders = folders.everything(tx)
    if wanted("realm_bot"):
        facts.bots = bots.kept_by(tx, user_id)
    if wanted("realm_domains"):
        facts.mail_domains = mail_domains.everything(tx)
    if wanted("realm_playgrounds"):
        facts.playgrounds = playgrounds.everything(tx)
    _read_personal(tx, user_id, wanted, facts)
    return facts


def _read_personal(tx: Tx, user_id: int, wanted: "Wanted", facts: Facts) -> None:
    if wanted("drafts"):
        facts.drafts = drafts.of_user(tx, user_id)
    if wanted("saved_snippets"):
        facts.snippets = snippets.of_user(tx, user_id)
    if wanted("alert_words"):
        facts.alert_words = alert_words.of_user(tx, user_id)
    if wanted("muted_users"):
        facts.muted_users = muted_users.of_user(tx, user_id)
    if wanted("user_status"):
        facts.statuses = statuses.everyone(tx)


def _newest_received(tx: Tx, user_id: int) -> int:
    found = history.newest(tx, selections.received(tx, user_id))
    return -1 if found is None else found


def _read_unread(tx: Tx, user_id: int, facts: Facts) -> None:
    waiting: BitMap64 = unread.load(tx, user_id)
    ids = list(waiting)
    facts.unread_missing = len(ids) > MOST_UNREAD
    newest = ids[-MOST_UNREAD:]
    facts.unread = unread.describe(tx, user_id, newest)
    for flag in ("mentioned", "topic_wildcard_mentioned"):
        facts.mentioned.update(unread.with_flag(tx, user_id, flag))
    facts.mentioned.update(unread.wildcards_among(tx, newest))
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
