"""An organization that is large in everything that one call may name: users, channels, messages.

It is written in plain SQL: this takes a second, and real actions would take minutes. `make bench`
measures writes in it, and tests count what they do.
"""

from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COLORS
from tertulia.markdown import VERSION

MEMBERS = 10_000
CHANNELS = 1_000
MESSAGES = 15_000
GROUPS = 100


@dataclass
class LargeOrganization:
    """The users, channels and messages by id. The owner is in all channels; all are in kitchen and
    in the last group."""

    owner_id: int
    kitchen_id: int
    member_ids: list[int] = field(default_factory=list)
    channel_ids: list[int] = field(default_factory=list)
    message_ids: list[int] = field(default_factory=list)
    group_ids: list[int] = field(default_factory=list)

    @property
    def channel_names(self) -> list[str]:
        return [f"channel {number}" for number in self.channel_ids]


def fill(tx: Tx, large: LargeOrganization) -> LargeOrganization:
    """Fill an organization, without events: a server that runs must restart."""
    _add_members(tx, large)
    _add_channels(tx, large)
    _subscribe(tx, large)
    _add_messages(tx, large)
    _add_groups(tx, large)
    return large


def enlarge(tx: Tx, large: LargeOrganization, user_id: int) -> None:
    """Give a user as much as one can have: channels, bots, groups, flags, topic policies. Most of
    these have no messages."""
    first = tx.number("SELECT max(id) AS value FROM account") + 1
    tx.bulk.load_rows(
        "account",
        ("id", "realm_id", "email", "email_key", "full_name", "role", "joined_at", "bot_type",
         "bot_owner_id"),
        [
            (number, tx.realm_id, f"b{number}@x.example", f"b{number}@x.example", f"Bot {number}",
             400, tx.now, 1, user_id)
            for number in range(first, first + domain.limits.MAX_BOTS)
        ],
    )  # fmt: skip
    tx.bulk.allocate_ids("account")
    _load_subscriptions(tx, [(channel_id, user_id) for channel_id in large.channel_ids])
    tx.bulk.load_rows(
        "user_group_member",
        ("realm_id", "group_id", "user_id"),
        [(tx.realm_id, group_id, user_id) for group_id in large.group_ids[:-1]],
    )
    tx.bulk.load_rows(
        "message_flag",
        ("realm_id", "user_id", "flag", "message_id"),
        [(tx.realm_id, user_id, "starred", message_id) for message_id in large.message_ids],
    )
    tx.bulk.load_rows(
        "user_topic",
        ("realm_id", "user_id", "channel_id", "topic_key", "topic", "policy", "updated_at"),
        [
            (tx.realm_id, user_id, large.kitchen_id, f"topic {number}", f"topic {number}", 1,
             tx.now)
            for number in range(10_000)
        ],
    )  # fmt: skip


def _add_members(tx: Tx, large: LargeOrganization) -> None:
    first = (tx.value("SELECT max(id) AS value FROM account") or 0) + 1
    large.member_ids = list(range(first, first + MEMBERS))
    tx.bulk.load_rows(
        "account",
        ("id", "realm_id", "email", "email_key", "full_name", "role", "joined_at"),
        [
            (number, tx.realm_id, f"m{number}@x.example", f"m{number}@x.example",
             f"Member {number}", 400, tx.now)
            for number in large.member_ids
        ],
    )  # fmt: skip
    tx.bulk.allocate_ids("account")


def _add_channels(tx: Tx, large: LargeOrganization) -> None:
    model = tx.one("SELECT * FROM channel WHERE realm_id = :realm ORDER BY id LIMIT 1")
    assert model is not None
    first = tx.number("SELECT max(id) AS value FROM channel") + 1
    large.channel_ids = list(range(first, first + CHANNELS))
    tx.bulk.load_rows(
        "channel",
        ("id", "realm_id", "name", "name_key", "description", "rendered_description", "created_at",
         "creator_id", "invite_only", "history_public", "permissions"),
        [
            (number, tx.realm_id, f"channel {number}", f"channel {number}", "", "", tx.now,
             large.owner_id, False, True, model["permissions"])
            for number in large.channel_ids
        ],
    )  # fmt: skip
    tx.bulk.allocate_ids("channel")


def _subscribe(tx: Tx, large: LargeOrganization) -> None:
    pairs = [(large.kitchen_id, user_id) for user_id in large.member_ids]
    pairs += [(channel_id, large.owner_id) for channel_id in large.channel_ids]
    _load_subscriptions(tx, pairs)


def _load_subscriptions(tx: Tx, pairs: list[tuple[int, int]]) -> None:
    tx.bulk.load_rows(
        "subscription",
        ("realm_id", "channel_id", "user_id", "active", "color"),
        [(tx.realm_id, *pair, True, COLORS[0]) for pair in pairs],
    )
    tx.bulk.load_rows(
        "subscription_span",
        ("realm_id", "channel_id", "user_id", "start_seq", "start_message_id"),
        [(tx.realm_id, *pair, 0, 0) for pair in pairs],
    )


def _add_messages(tx: Tx, large: LargeOrganization) -> None:
    """They are unread for the owner, and read for all others."""
    draft = domain.messages.message.Draft("Soup", "<p>Soup</p>", VERSION, "test", False)
    first = storage.messages.table.newest_id(tx) + 1
    large.message_ids = list(range(first, first + MESSAGES))
    topic_id = storage.channels.topics.start(tx, large.kitchen_id, "lunch")
    row = storage.messages.table.new_row(
        large.member_ids[0], draft, large.kitchen_id, None, topic_id
    )
    given: dict[str, Any] = {"realm_id": tx.realm_id, "sent_at": tx.now, "edited_at": None}
    storage.bulk_import.load_messages(
        tx, [{"id": number, **given, **row} for number in large.message_ids]
    )
    tx.bulk.allocate_ids("message")
    tx.bulk.load_rows(
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
    storage.groups.add_members(tx, large.group_ids[-1], large.member_ids)
