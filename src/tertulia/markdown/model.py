"""Input and output of rendering, as plain values.

A text may refer to users, groups, channels and topics by name. `References` lists the names,
`Resolved` is what the caller found for this sender; a name that was not found stays text.
"""

from collections.abc import Iterable, Mapping
from typing import Self

import msgspec


class MentionedUser(msgspec.Struct, frozen=True):
    id: int
    full_name: str
    is_active: bool = True


class MentionedGroup(msgspec.Struct, frozen=True):
    id: int
    name: str
    is_active: bool = True


class LinkedChannel(msgspec.Struct, frozen=True):
    id: int
    name: str


class Upload(msgspec.Struct, frozen=True):
    """An uploaded file; `path_id` is the part of its path after `/user_uploads/`."""

    path_id: str
    content_type: str
    width: int = 0
    height: int = 0
    is_animated: bool = False
    thumbnail: str = ""  # path of the thumbnail; empty while it is being made


class LinkPattern(msgspec.Struct, frozen=True):
    id: int
    pattern: str  # an RE2 regular expression with named groups
    url_template: str  # an RFC 6570 template with those names


class Settings(msgspec.Struct, frozen=True):
    """Settings of the organization and the sender, shared by many messages."""

    base_url: str = ""  # the organization's URL, without a slash at the end
    default_code_language: str = ""
    translate_emoticons: bool = False
    image_previews: bool = True
    linkifiers: tuple[LinkPattern, ...] = ()
    custom_emoji: Mapping[str, str] = {}  # URL of the picture by name
    empty_topic_name: str = "general chat"


class References(msgspec.Struct, frozen=True):
    """Names that a text may refer to. User names are in lower case, others as typed."""

    user_names: frozenset[str] = frozenset()
    user_ids: frozenset[int] = frozenset()
    group_names: frozenset[str] = frozenset()
    channel_names: frozenset[str] = frozenset()
    topics: frozenset[tuple[str, str]] = frozenset()  # channel name and topic, both as typed
    upload_path_ids: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(
            self.user_names
            or self.user_ids
            or self.group_names
            or self.channel_names
            or self.upload_path_ids
        )


class Resolved(msgspec.Struct, frozen=True):
    """What the sender may mention and link to. Leave out what the sender may not see."""

    # By name in lower case; ambiguous names are left out.
    users_by_name: Mapping[str, MentionedUser] = {}
    users_by_id: Mapping[int, MentionedUser] = {}
    groups: Mapping[str, MentionedGroup] = {}
    channels: Mapping[str, LinkedChannel] = {}
    newest_in_topic: Mapping[tuple[int, str], int] = {}
    uploads: Mapping[str, Upload] = {}

    @classmethod
    def of(
        cls,
        users: Iterable[MentionedUser] = (),
        groups: Iterable[MentionedGroup] = (),
        channels: Iterable[LinkedChannel] = (),
        newest_in_topic: Mapping[tuple[int, str], int] | None = None,
        uploads: Iterable[Upload] = (),
    ) -> Self:
        """`newest_in_topic` maps a channel id and a topic in lower case to a message id."""
        people = list(users)
        by_name: dict[str, MentionedUser] = {}
        shared: set[str] = set()
        for user in people:
            name = user.full_name.lower()
            if by_name.setdefault(name, user) is not user:
                shared.add(name)
        for name in shared:
            del by_name[name]  # ambiguous: only the form with an id can refer to them
        return cls(
            users_by_name=by_name,
            users_by_id={user.id: user for user in people},
            groups={group.name: group for group in groups},
            channels={channel.name: channel for channel in channels},
            newest_in_topic=newest_in_topic or {},
            uploads={upload.path_id: upload for upload in uploads},
        )


class Rendered(msgspec.Struct, frozen=True):
    """The HTML, and what sending needs to know. Silent mentions are not included."""

    html: str
    mentioned_user_ids: frozenset[int] = frozenset()
    mentioned_group_ids: frozenset[int] = frozenset()
    mentions_channel: bool = False  # @**all**, @**everyone**, @**channel**, @**stream**
    mentions_topic: bool = False
    links: tuple[str, ...] = ()  # each address once, in order
    attachment_path_ids: tuple[str, ...] = ()
    has_link: bool = False
    has_image: bool = False
    has_attachment: bool = False
    is_me_message: bool = False
