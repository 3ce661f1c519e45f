"""Counts what an import read, imported and dropped, by kind.

The source counts what it reads and drops; the importer counts what it imports and drops. So the
sums can be checked: for every kind, read = imported + dropped.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec import field

PEOPLE, BOTS = "people", "bots"
CHANNELS, FOLDERS = "channels", "channel folders"
SUBSCRIPTIONS, DEFAULTS = "subscriptions", "default channels"
MESSAGES, REACTIONS, FILES = "messages", "reactions", "files"
VOTES = "parts of polls and to-do lists"
EDITS = "edits"
UNREAD, MARKS = "unread messages", "stars, mentions and collapsed messages"
EMOJI, AVATARS = "custom emoji", "pictures of people"
GROUPS, MEMBERS, SUBGROUPS = "groups", "members of groups", "groups in groups"
FIELDS, ANSWERS = "profile fields", "answers in profiles"
POLICIES = "topics muted or followed"
MUTED, ALERT_WORDS, STATUSES = "muted people", "alert words", "statuses"
LINKIFIERS, PLAYGROUNDS = "linkifiers", "code playgrounds"
DRAFTS, SNIPPETS, VIEWS = "drafts", "saved snippets", "views of the sidebar"
SCHEDULED = "scheduled messages"

# Reasons that several sources use.
NOT_IN_ARCHIVE = "that are not in the archive"
OF_UNKNOWN_PEOPLE = "of people who were not imported"
OF_DROPPED_MESSAGES = "of messages that were not imported"
DUPLICATES = "that are duplicates"
NOT_DISPLAYABLE = "that clients cannot display"

Dropped = dict[str, dict[str, int]]  # by kind and reason


class ImportCounts(msgspec.Struct):
    read: Counter[str] = field(default_factory=Counter)
    imported: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)  # what was imported in another form
    warnings: list[str] = field(default_factory=list)  # losses that are probably not intended

    def drop(self, kind: str, reason: str, number: int = 1) -> None:
        if number:
            self.dropped.setdefault(kind, Counter())[reason] += number

    def drop_unread(self, kind: str, number: int) -> None:
        """Count objects that are not supported."""
        self.read[kind] += number
        self.drop(kind, "that are not supported", number)

    def dropped_of(self, kind: str) -> int:
        return sum(self.dropped.get(kind, Counter()).values())

    def unaccounted(self) -> dict[str, int]:
        """The difference by kind, where the sums do not match."""
        return {
            kind: missing
            for kind in self.kinds()
            if (missing := self.read[kind] - self.imported[kind] - self.dropped_of(kind))
        }

    def kinds(self) -> Iterable[str]:
        """All kinds that were found, imported ones first."""
        known = [*self.read, *self.imported, *self.dropped]
        found = dict.fromkeys(
            kind
            for kind in known
            if self.read[kind] or self.imported[kind] or self.dropped_of(kind)
        )
        return sorted(found, key=lambda kind: not self.imported[kind])

    def with_import(
        self,
        imported: dict[str, int],
        dropped: Dropped,
        notes: dict[str, int],
        lost_channels: dict[str, int],
    ) -> "ImportCounts":
        """The counts of the source together with those of the importer."""
        whole = ImportCounts(
            Counter(self.read),
            Counter(imported),
            {kind: Counter(reasons) for kind, reasons in self.dropped.items()},
            self.notes + Counter(notes),
            list(self.warnings),
        )
        for kind, reasons in dropped.items():
            for reason, number in reasons.items():
                whole.drop(kind, reason, number)
        for name, number in lost_channels.items():
            whole.warn_of_lost_messages(name, number)
        return whole

    def warn_of_lost_messages(self, place: str, number: int) -> None:
        """Warn that all messages of a folder or channel are left out."""
        self.warnings.append(
            f"All messages of {place} are left out ({number:,}), because the export does not"
            " describe this channel."
        )
