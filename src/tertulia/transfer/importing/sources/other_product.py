"""What exports of other products have in common: their ids are not kept, their channels are in no
folders, and their texts name people who are in no list of users."""

from collections.abc import Container, Iterable, Mapping
from typing import Any

from tertulia.domain.people.profile_fields import FieldType
from tertulia.domain.people.user import Role
from tertulia.markdown import emoji_names
from tertulia.transfer.importing.emoji import EmojiMatch
from tertulia.transfer.importing.import_counts import (
    ANSWERS,
    AVATARS,
    BOTS,
    CHANNELS,
    DEFAULTS,
    EMOJI,
    FIELDS,
    FOLDERS,
    GROUPS,
    MEMBERS,
    PEOPLE,
    STATUSES,
    SUBSCRIPTIONS,
    ImportCounts,
)
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedFolder,
    ImportedPerson,
    ImportedProfileField,
    ImportedReaction,
    ImportedStatus,
    ProfileData,
)

NOTICE = "about joining, leaving and the like"
TEMPORARY = "that end at a set time"


class OtherProduct:
    kind: str
    number: int | None = None
    last_message = 0
    knows_receivers = False

    def __init__(self) -> None:
        self.name = f"Imported from {self.kind}"
        self._counts = ImportCounts()
        self._unlisted: dict[str, ImportedPerson] = {}

    def folders(self) -> list[ImportedFolder]:
        return []

    def counts(self) -> ImportCounts:
        return self._counts

    def _add_unlisted(self, key: str, name: str = "", *, is_bot: bool = False) -> None:
        """Note an author who is in no list of users; the account will be deactivated.

        Call it only with keys that are not in the list. The first name wins over none.
        """
        known = self._unlisted.get(key)
        if known is None or (name and known.name == key):
            self._unlisted[key] = ImportedPerson(key, name or key, is_bot=is_bot, is_active=False)

    def _count_accounts(
        self, people: Iterable[ImportedPerson], channels: Iterable[ImportedChannel]
    ) -> None:
        counts = self._counts
        for person in people:
            counts.read[BOTS if person.is_bot else PEOPLE] += 1
        listed = sum(not each.is_bot for each in self._unlisted.values())
        counts.notes["authors who are not in the list of users"] += listed
        for channel in channels:
            counts.read[CHANNELS] += 1
            counts.read[SUBSCRIPTIONS] += len(channel.members)
            counts.read[DEFAULTS] += channel.is_default
        counts.read[FOLDERS] += len(self.folders())

    def _count_profiles(self, profiles: ProfileData) -> None:
        read = self._counts.read
        read[EMOJI] += len(profiles.emoji)
        read[AVATARS] += len(profiles.avatars)
        read[FIELDS] += len(profiles.profile_fields)
        read[ANSWERS] += sum(len(each.values) for each in profiles.profile_fields)
        read[STATUSES] += len(profiles.statuses)
        read[GROUPS] += len(profiles.groups)
        read[MEMBERS] += sum(len(each.members) for each in profiles.groups)


def joined(*texts: Any) -> str:
    """The description of a channel: its purpose, topic, header and so on, each once."""
    return "\n".join(dict.fromkeys(str(text) for text in texts if text))


def profile_fields(
    labels: Mapping[str, str], rows: Iterable[tuple[str, Mapping[str, Any]]]
) -> list[ImportedProfileField]:
    """Profile fields from the values of users, by the name of the value."""
    values: dict[str, dict[str, str]] = {name: {} for name in labels}
    for person, row in rows:
        for name, answers in values.items():
            if isinstance(row.get(name), str) and row[name].strip():
                answers[person] = row[name].strip()
    return [
        ImportedProfileField(labels[name], int(FieldType.SHORT_TEXT), values=answers)
        for name, answers in values.items()
        if answers
    ]


def status(person: str, text: str, emoji: EmojiMatch | None) -> ImportedStatus:
    if emoji is None:
        return ImportedStatus(person, text)
    (name, *_) = emoji_names.names_for(emoji.code) or ("",)
    reaction = ImportedReaction(person, name, emoji.code)
    return ImportedStatus(person, text, reaction if name else None)


def shown_as(sender: str, name: str) -> str:
    """The key of a bot that writes as `sender` under another name."""
    return f"{sender}/{name}"


def role_among(roles: Container[str], administrator: str) -> Role:
    if administrator in roles:
        return Role.OWNER
    return Role.GUEST if "guest" in roles else Role.MEMBER
