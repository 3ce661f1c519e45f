"""An organization that is large in everything that one call may name: users, channels, messages.

It is written in plain SQL: this takes a second, and real actions would take minutes.
"""

from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64
from tests.support.people import Chat, Person

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COLORS

MEMBERS = 10_000
CHANNELS = 1_000
MESSAGES = 12_000
GROUPS = 100


@dataclass
class LargeOrganization:
    """The users, channels and messages by id. The owner is in all channels; all are in kitchen."""

    chat: Chat
    owner: Person
    kitchen_id: int
    member_ids: list[int] = field(default_factory=list)
    channel_ids: list[int] = field(default_factory=list)
    message_ids: list[int] = field(default_factory=list)
    group_ids: list[int] = field(default_factory=list)

    @property
    def channel_names(self) -> list[str]:
        return [f"channel {number}" for number in self.channel_ids]


def grow(chat: Chat, owner: Person) -> LargeOrganization:
    """Fill an organization whose owner is in kitchen. Its server restarts, to read it again."""
    large = LargeOrganization(chat, owner, chat.channel("kitchen").id)
    chat.write(_add_members, large)
    chat.write(_add_channels, large)
    chat.write(_subscribe, large)
    chat.write(_add_messages, large)
    chat.write(_add_groups, large)
    chat.server.restart()
    return large


def _add_members(tx: Tx, large: LargeOrganization) -> None:
    first = (tx.value("SELECT max(id) AS value FROM account") or 0) + 1
    large.member_ids = list(range(first, first + MEMBERS))
    tx.load_rows(
        "account",
        ("id", "realm_id", "email", "email_key", "full_name", "role", "joined_at"),
        [
            (number, tx.realm_id, f"m{number}@x.example", f"m{number}@x.example",
             f"Member {number}", 400, tx.now)
            for number in large.member_ids
        ],
    )  # fmt: skip
    tx.allocate_ids("account")


def _add_channels(tx: Tx, large: LargeOrganization) -> None:
    model = tx.one("SELECT * FROM channel WHERE realm_id = :realm ORDER BY id LIMIT 1")
    assert model is not None
    first = tx.number("SELECT max(id) AS value FROM channel") + 1
    large.channel_ids = list(range(first, first + CHANNELS))
    tx.load_rows(
        "channel",
        ("id", "realm_id", "name", "name_key", "description", "rendered_description", "created_at",
         "creator_id", "invite_only", "history_public", "permissions"),
        [
            (number, tx.realm_id, f"channel {number}", f"channel {number}", "", "", tx.now,
             large.owner.id, False, True, model["permissions"])
            for number in large.channel_ids
        ],
    )  # fmt: skip
    tx.allocate_ids("channel")


def _subscribe(tx: Tx, large: LargeOrganization) -> None:
    pairs = [(large.kitchen_id, user_id) for user_id in large.member_ids]
    pairs += [(channel_id, large.owner.id) for channel_id in large.channel_ids]
    tx.load_rows(
        "subscription",
        ("realm_id", "channel_id", "user_id", "active", "color"),
        [(tx.realm_id, *pair, True, COLORS[0]) for pair in pairs],
    )
    tx.load_rows(
        "subscription_span",
        ("realm_id", "channel_id", "user_id", "start_seq", "start_message_id"),
        [(tx.realm_id, *pair, 0, 0) for pair in pairs],
    )


def _add_messages(tx: Tx, large: LargeOrganization) -> None:
    """They are unread for the owner, and read for all others."""
    draft = domain.messages.message.Draft("Soup", "<p>Soup</p>", 0, "test", False)
    first = storage.messages.newest_id(tx) + 1
    large.message_ids = list(range(first, first + MESSAGES))
    topic_id = storage.channels.topics.start(tx, large.kitchen_id, "lunch")
    row = storage.messages.new_row(large.member_ids[0], draft, large.kitchen_id, None, topic_id)
    given: dict[str, Any] = {"realm_id": tx.realm_id, "sent_at": tx.now, "edited_at": None}
    storage.bulk_import.load_messages(
        tx, [{"id": number, **given, **row} for number in large.message_ids]
    )
    tx.allocate_ids("message")
    tx.load_rows(
        "unread",
        ("realm_id", "user_id", "bitmap", "caught_up_to"),
        [
            (tx.realm_id, user_id, BitMap64().serialize(), large.message_ids[-1])
            for user_id in large.member_ids
        ],
    )


def _add_groups(tx: Tx, large: LargeOrganization) -> None:
    names = [f"group {number}" for number in range(GROUPS)]
    large.group_ids = [each.id for each in actions.groups.synced.find_or_create(tx, names)]
