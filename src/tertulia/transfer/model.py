"""What an export holds, whichever server it comes from, in words of our own.

People, channels and files have the keys that the export calls them by. A text names them as
`person(key)`, `channel(key)` and so on, until it is known under which numbers they are here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Protocol

import msgspec
from msgspec import field

from tertulia.domain.people.user import Role
from tertulia.transfer.importing.tally import Tally

MARK = "\ue0ff"  # of private use: nobody types it
NAMED = re.compile(f"{MARK}([pmca])([^{MARK}]*){MARK}")


def person(key: str, label: str = "") -> str:
    """A person, by the label where the key is not known."""
    return f"{MARK}p{key}|{label}{MARK}"


def mention(key: str) -> str:
    """The same, of a person who was called by it."""
    return f"{MARK}m{key}{MARK}"


def channel(key: str, label: str = "") -> str:
    return f"{MARK}c{key}|{label}{MARK}"


def address(key: str) -> str:
    """Of a file: the address alone, inside a link that the text has made."""
    return f"{MARK}a{key}{MARK}"


class ArrivingPerson(msgspec.Struct, frozen=True):
    key: str
    name: str
    email: str = ""
    number: int | None = None  # the id it had, if ids can be kept
    role: Role = Role.MEMBER
    is_bot: bool = False
    is_active: bool = True
    joined_at: float | None = None
    timezone: str = ""
    is_house_bot: bool = False  # stands for our own bot, and gets no account
    is_incoming_webhook: bool = False  # of a bot: may only send
    owner: str = ""  # of a bot


class ArrivingChannel(msgspec.Struct, frozen=True):
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
    creator: str = ""
    permissions: Mapping[str, "ArrivingGroupValue"] = field(default_factory=dict)
    # What members have chosen for themselves, by their keys: columns of our subscriptions.
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class ArrivingFolder(msgspec.Struct, frozen=True):
    key: str
    name: str
    description: str = ""
    creator: str = ""
    created_at: float | None = None
    is_archived: bool = False


class ArrivingGroupValue(msgspec.Struct, frozen=True):
    """Who has a permission: people and groups."""

    people: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class ArrivingFile(msgspec.Struct, frozen=True):
    key: str
    name: str
    owner: str
    open: Callable[[], IO[bytes]]
    path_id: str = ""  # where it was found, if addresses can be kept


class ArrivingReaction(msgspec.Struct, frozen=True):
    person: str
    name: str
    code: str = ""
    type: str = ""


class ArrivingSubmessage(msgspec.Struct, frozen=True):
    """A part of a poll or a to-do list; the first one of a message is the widget itself."""

    sender: str
    type: str
    content: str


class ArrivingEdit(msgspec.Struct, frozen=True):
    """What a message was before a change."""

    person: str
    at: float
    content: str | None = None
    topic: str | None = None
    new_topic: str | None = None
    channel: str | None = None
    new_channel: str | None = None


class ArrivingMessage(msgspec.Struct):
    sender: str
    at: float
    text: str
    channel: str = ""  # a key, or nothing for a direct message
    people: tuple[str, ...] = ()  # of a direct message, the sender included
    topic: str = ""
    number: int | None = None
    edited_at: float | None = None
    files: tuple[str, ...] = ()
    reactions: list[ArrivingReaction] = field(default_factory=list)
    unread_by: list[str] = field(default_factory=list)
    received_by: list[str] | None = None  # None for all who are in the channel
    marks: list[tuple[str, str]] = field(default_factory=list)  # person and flag
    parts: list[ArrivingSubmessage] = field(default_factory=list)
    edits: list[ArrivingEdit] = field(default_factory=list)  # oldest first
    unknown_emoji: int = 0  # names in the text that stay as they are


class ArrivingEmoji(msgspec.Struct, frozen=True):
    key: str
    name: str
    author: str
    open: Callable[[], IO[bytes]]
    is_deactivated: bool = False


class ArrivingAvatar(msgspec.Struct, frozen=True):
    person: str
    open: Callable[[], IO[bytes]]


class ArrivingGroup(msgspec.Struct, frozen=True):
    key: str
    name: str
    description: str = ""
    members: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()
    is_deactivated: bool = False
    creator: str = ""
    permissions: Mapping[str, ArrivingGroupValue] = field(default_factory=dict)


class ArrivingProfileField(msgspec.Struct, frozen=True):
    name: str
    type: int
    hint: str = ""
    data: str = ""
    in_summary: bool = False
    required: bool = False
    editable_by_user: bool = True
    values: dict[str, str] = field(default_factory=dict)  # by person; people in them by their keys


class ArrivingTopicPolicy(msgspec.Struct, frozen=True):
    person: str
    channel: str
    topic: str
    policy: int


class ArrivingStatus(msgspec.Struct, frozen=True):
    person: str
    text: str
    emoji: ArrivingReaction | None = None


class ArrivingLinkifier(msgspec.Struct, frozen=True):
    pattern: str
    url_template: str
    example_input: str | None = None
    reverse_template: str | None = None
    alternative_url_templates: tuple[str, ...] = ()


class ArrivingPlayground(msgspec.Struct, frozen=True):
    name: str
    language: str
    url_template: str


class ArrivingWording(msgspec.Struct, frozen=True):
    """A draft or a scheduled message: what was written, and where it is to go."""

    person: str
    content: str
    at: float  # when it was written, or is to be sent
    channel: str = ""
    people: tuple[str, ...] = ()
    topic: str = ""


class ArrivingSnippet(msgspec.Struct, frozen=True):
    person: str
    title: str
    content: str
    created_at: float | None = None


class ArrivingView(msgspec.Struct, frozen=True):
    person: str
    fragment: str
    name: str | None = None
    is_pinned: bool = False


class ProfileData(msgspec.Struct):
    """What people and the organization have, beside what was said."""

    emoji: list[ArrivingEmoji] = field(default_factory=list)
    avatars: list[ArrivingAvatar] = field(default_factory=list)
    groups: list[ArrivingGroup] = field(default_factory=list)
    profile_fields: list[ArrivingProfileField] = field(default_factory=list)
    topic_policies: list[ArrivingTopicPolicy] = field(default_factory=list)
    muted_people: list[tuple[str, str]] = field(default_factory=list)
    alert_words: list[tuple[str, str]] = field(default_factory=list)
    statuses: list[ArrivingStatus] = field(default_factory=list)
    linkifiers: list[ArrivingLinkifier] = field(default_factory=list)
    playgrounds: list[ArrivingPlayground] = field(default_factory=list)
    drafts: list[ArrivingWording] = field(default_factory=list)
    scheduled: list[ArrivingWording] = field(default_factory=list)
    snippets: list[ArrivingSnippet] = field(default_factory=list)
    views: list[ArrivingView] = field(default_factory=list)


class Source(Protocol):
    """An export that was opened. Messages come in the order of time, the same each time."""

    kind: str
    name: str  # of the organization
    number: int | None  # its id, if ids can be kept
    message_count: int
    last_message: int  # the highest number of a message, if numbers can be kept

    def people(self) -> list[ArrivingPerson]: ...
    def folders(self) -> list[ArrivingFolder]: ...
    def channels(self) -> list[ArrivingChannel]: ...
    def belongings(self) -> ProfileData: ...
    def files(self) -> Iterator[ArrivingFile]: ...
    def messages(self) -> Iterator[ArrivingMessage]: ...
    def tally(self) -> Tally: ...
