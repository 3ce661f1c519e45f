"""The data model between exports and the importer, independent of the server.

Users, channels and files have the keys of the export. A text refers to them with `person(key)`,
`channel(key)` and so on, until their ids here are known.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Protocol

import msgspec
from msgspec import field

from tertulia.domain.organization.linkifiers import LinkifierRule
from tertulia.domain.people.user import Role
from tertulia.transfer.importing.import_counts import ImportCounts

MARK = "\ue0ff"  # private use, does not occur in texts
NAMED = re.compile(f"{MARK}([pmca])([^{MARK}]*){MARK}")


def person(key: str, label: str = "") -> str:
    """A reference to a user; `label` is shown if the key is unknown."""
    return f"{MARK}p{key}|{label}{MARK}"


def mention(key: str) -> str:
    """A reference to a user that is a mention."""
    return f"{MARK}m{key}{MARK}"


def channel(key: str, label: str = "") -> str:
    return f"{MARK}c{key}|{label}{MARK}"


def address(key: str) -> str:
    """The URL of a file, for use inside a link."""
    return f"{MARK}a{key}{MARK}"


class ImportedPerson(msgspec.Struct, frozen=True):
    key: str
    name: str
    email: str = ""
    number: int | None = None  # the original id, if ids are kept
    role: Role = Role.MEMBER
    is_bot: bool = False
    is_active: bool = True
    joined_at: float | None = None
    timezone: str = ""
    is_system_bot: bool = False  # is mapped to our own bot and gets no account
    is_incoming_webhook: bool = False  # a bot that may only send
    owner: str = ""  # of a bot


class ImportedChannel(msgspec.Struct, frozen=True):
    key: str
    name: str
    description: str = ""
    number: int | None = None
    is_private: bool = False
    is_web_public: bool = False
    shares_history: bool = True
    is_archived: bool = False
    is_default: bool = False
    created_at: float | None = None
    members: tuple[str, ...] = ()
    folder: str = ""
    topics_policy: str = "inherit"
    retention_days: int | None = None
    default_push: bool = False
    allows_summaries: bool = True
    creator: str = ""
    permissions: Mapping[str, "ImportedGroupValue"] = field(default_factory=dict)
    # Settings of members by user key: columns of our subscriptions.
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class ImportedFolder(msgspec.Struct, frozen=True):
    key: str
    name: str
    description: str = ""
    creator: str = ""
    created_at: float | None = None
    is_archived: bool = False


class ImportedGroupValue(msgspec.Struct, frozen=True):
    """The value of a permission: users and groups."""

    people: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class ImportedFile(msgspec.Struct, frozen=True):
    key: str
    name: str
    owner: str
    open: Callable[[], IO[bytes]]
    path_id: str = ""  # the original path, if URLs are kept


class ImportedReaction(msgspec.Struct, frozen=True):
    person: str
    name: str
    code: str = ""
    type: str = ""


class ImportedSubmessage(msgspec.Struct, frozen=True):
    """A part of a poll or to-do list; the first one of a message is the widget itself."""

    sender: str
    type: str
    content: str


class ImportedEdit(msgspec.Struct, frozen=True):
    """The state of a message before an edit."""

    person: str
    at: float
    content: str | None = None
    topic: str | None = None
    new_topic: str | None = None
    channel: str | None = None
    new_channel: str | None = None


class ImportedMessage(msgspec.Struct):
    sender: str
    at: float
    text: str
    channel: str = ""  # a key; empty for a direct message
    people: tuple[str, ...] = ()  # of a direct message, including the sender
    topic: str = ""
    number: int | None = None
    edited_at: float | None = None
    files: tuple[str, ...] = ()
    reactions: list[ImportedReaction] = field(default_factory=list)
    unread_by: list[str] = field(default_factory=list)
    received_by: list[str] | None = None  # None for all subscribers
    marks: list[tuple[str, str]] = field(default_factory=list)  # user and flag
    parts: list[ImportedSubmessage] = field(default_factory=list)
    edits: list[ImportedEdit] = field(default_factory=list)  # oldest first
    unknown_emoji: int = 0  # unknown names that remain in the text


class ImportedEmoji(msgspec.Struct, frozen=True):
    key: str
    name: str
    author: str
    open: Callable[[], IO[bytes]]
    is_deactivated: bool = False


class ImportedAvatar(msgspec.Struct, frozen=True):
    person: str
    open: Callable[[], IO[bytes]]


class ImportedGroup(msgspec.Struct, frozen=True):
    key: str
    name: str
    description: str = ""
    members: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()
    is_deactivated: bool = False
    creator: str = ""
    permissions: Mapping[str, ImportedGroupValue] = field(default_factory=dict)


class ImportedProfileField(msgspec.Struct, frozen=True):
    name: str
    type: int
    hint: str = ""
    data: str = ""
    in_summary: bool = False
    required: bool = False
    editable_by_user: bool = True
    values: dict[str, str] = field(default_factory=dict)  # by user key; may contain user keys


class ImportedTopicPolicy(msgspec.Struct, frozen=True):
    person: str
    channel: str
    topic: str
    policy: int


class ImportedStatus(msgspec.Struct, frozen=True):
    person: str
    text: str
    emoji: ImportedReaction | None = None


class ImportedPlayground(msgspec.Struct, frozen=True):
    name: str
    language: str
    url_template: str


class ImportedDraft(msgspec.Struct, frozen=True):
    """A draft or a scheduled message with its destination."""

    person: str
    content: str
    at: float  # when it was written or is due
    channel: str = ""
    people: tuple[str, ...] = ()
    topic: str = ""


class ImportedSnippet(msgspec.Struct, frozen=True):
    person: str
    title: str
    content: str
    created_at: float | None = None


class ImportedNavigationView(msgspec.Struct, frozen=True):
    person: str
    fragment: str
    name: str | None = None
    is_pinned: bool = False


class ProfileData(msgspec.Struct):
    """Everything but messages: profiles, groups, emoji, settings."""

    emoji: list[ImportedEmoji] = field(default_factory=list)
    avatars: list[ImportedAvatar] = field(default_factory=list)
    groups: list[ImportedGroup] = field(default_factory=list)
    profile_fields: list[ImportedProfileField] = field(default_factory=list)
    topic_policies: list[ImportedTopicPolicy] = field(default_factory=list)
    muted_people: list[tuple[str, str]] = field(default_factory=list)
    alert_words: list[tuple[str, str]] = field(default_factory=list)
    statuses: list[ImportedStatus] = field(default_factory=list)
    linkifiers: list[LinkifierRule] = field(default_factory=list)
    playgrounds: list[ImportedPlayground] = field(default_factory=list)
    drafts: list[ImportedDraft] = field(default_factory=list)
    scheduled: list[ImportedDraft] = field(default_factory=list)
    snippets: list[ImportedSnippet] = field(default_factory=list)
    views: list[ImportedNavigationView] = field(default_factory=list)


class Source(Protocol):
    """An open export. Messages are in order of time, the same order in every pass."""

    kind: str
    name: str  # of the organization
    number: int | None  # its id, if ids are kept
    message_count: int
    last_message: int  # the highest message id, if ids are kept
    knows_receivers: bool  # whether messages list their recipients

    def people(self) -> list[ImportedPerson]: ...
    def folders(self) -> list[ImportedFolder]: ...
    def channels(self) -> list[ImportedChannel]: ...
    def profile_data(self) -> ProfileData: ...
    def files(self) -> Iterator[ImportedFile]: ...
    def messages(self) -> Iterator[ImportedMessage]: ...
    def counts(self) -> ImportCounts: ...
