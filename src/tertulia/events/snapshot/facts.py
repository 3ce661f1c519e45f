"""What the snapshot needs from the database beyond the directory, read at one moment."""

from dataclasses import dataclass, field

from pyroaring import BitMap64

from tertulia import storage
from tertulia.domain.channels.channel import Subscription
from tertulia.domain.channels.folders import Folder
from tertulia.domain.later.reminders import Reminder
from tertulia.domain.later.scheduled import ScheduledMessage
from tertulia.domain.organization.mail_domains import MailDomain
from tertulia.domain.organization.playgrounds import Playground
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.domain.personal.drafts import SavedDraft
from tertulia.domain.personal.snippets import Snippet
from tertulia.storage.database.tx import Tx
from tertulia.storage.messages.unread import UnreadMessage
from tertulia.storage.personal.muted_users import Mute
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
        facts.starred = storage.messages.unread.with_flag(tx, user_id, "starred")
    if wanted("recent_private_conversations"):
        facts.conversations = storage.messages.conversations.recent(tx, user_id, MOST_CONVERSATIONS)
    if wanted("subscription") or wanted("message"):
        facts.subscriptions = storage.channels.subscriptions.of_user(tx, user_id)
    if wanted("user_topic") or wanted("muted_topics") or wanted("message"):
        facts.user_topics = storage.personal.topic_policies.of_user(tx, user_id)
    if wanted("scheduled_messages"):
        facts.scheduled = storage.later.scheduled.of_user(tx, user_id)
    if wanted("reminders"):
        facts.reminders = storage.later.reminders.of_user(tx, user_id)
    if wanted("channel_folders"):
        facts.folders = storage.channels.folders.everything(tx)
    if wanted("realm_bot"):
        facts.bots = storage.people.bots.kept_by(tx, user_id)
    if wanted("realm_domains"):
        facts.mail_domains = storage.organization.mail_domains.everything(tx)
    if wanted("realm_playgrounds"):
        facts.playgrounds = storage.organization.playgrounds.everything(tx)
    _read_personal(tx, user_id, wanted, facts)
    return facts


def _read_personal(tx: Tx, user_id: int, wanted: "Wanted", facts: Facts) -> None:
    if wanted("drafts"):
        facts.drafts = storage.personal.drafts.of_user(tx, user_id)
    if wanted("saved_snippets"):
        facts.snippets = storage.personal.snippets.of_user(tx, user_id)
    if wanted("alert_words"):
        facts.alert_words = storage.personal.alert_words.of_user(tx, user_id)
    if wanted("muted_users"):
        facts.muted_users = storage.personal.muted_users.of_user(tx, user_id)
    if wanted("user_status"):
        facts.statuses = storage.people.statuses.everyone(tx)


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
