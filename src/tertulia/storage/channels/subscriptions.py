"""Subscriptions, and the spans during which users were subscribed."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, Subscription
from tertulia.domain.messages.message import Message

PROPERTIES = set(Subscription._fields) - {"channel_id", "user_id", "active"}


# What a protected history shows: messages that were sent or moved to the channel while the user was
# subscribed.
RECEIVED_WHILE_SUBSCRIBED = (
    "EXISTS (SELECT 1 FROM subscription_span s WHERE s.user_id = :me"
    " AND s.channel_id = m.channel_id AND (CASE WHEN m.arrived_seq IS NULL"
    " THEN s.start_message_id < m.id AND (s.end_message_id IS NULL OR m.id <= s.end_message_id)"
    " ELSE s.start_seq < m.arrived_seq AND (s.end_seq IS NULL OR m.arrived_seq <= s.end_seq)"
    " END))"
)


MAX_LOOKED_UP = 500  # users; for more, all subscribers of the channel are read
# The ids that `received_by` lists for all users together.
MAX_LISTED_MESSAGES = 50_000


class Span(msgspec.Struct, frozen=True):
    """A period of a subscription: after the starting event and message, up to the ending ones."""

    channel_id: int
    start_seq: int
    start_message_id: int
    end_seq: int | None
    end_message_id: int | None

    def covers_event(self, seq: int) -> bool:
        return self.start_seq < seq and (self.end_seq is None or seq <= self.end_seq)

    def covers_message(self, message_id: int) -> bool:
        return self.start_message_id < message_id and (
            self.end_message_id is None or message_id <= self.end_message_id
        )

    def received(self, message: Message) -> bool:
        """Whether the message was sent during this span."""
        return self.channel_id == message.origin_channel_id and self.covers_message(message.id)

    def covers(self, message: Message) -> bool:
        """Whether the message was sent or moved to its channel during this span."""
        is_here = self.channel_id == message.channel_id
        return is_here and self.includes(message.id, message.arrived_seq)

    def includes(self, message_id: int, arrived_seq: int | None) -> bool:
        """The same for a message of this channel."""
        if arrived_seq is None:
            return self.covers_message(message_id)
        return self.covers_event(arrived_seq)


def find(tx: Tx, user_id: int, channel_id: int) -> Subscription | None:
    """The row, active or not."""
    row = tx.one(
        "SELECT * FROM subscription WHERE user_id = :user AND channel_id = :channel",
        user=user_id,
        channel=channel_id,
    )
    return None if row is None else _subscription(row)


def is_subscribed(tx: Tx, user_id: int, channel_id: int) -> bool:
    subscription = find(tx, user_id, channel_id)
    return subscription is not None and subscription.active


def of_user(tx: Tx, user_id: int) -> list[Subscription]:
    """All rows of the user, past subscriptions included."""
    rows = tx.tuples(
        f"SELECT {', '.join(Subscription._fields)} FROM subscription"
        " WHERE user_id = :user AND realm_id = :realm",
        user=user_id,
    )
    return [
        Subscription(
            channel_id,
            user_id,
            bool(active),
            color,
            bool(muted),
            bool(pinned),
            *[_MAYBE[value] for value in rest],
        )
        for channel_id, user_id, active, color, muted, pinned, *rest in rows
    ]


def of_channels(tx: Tx, channel_ids: list[int], user_ids: list[int]) -> list[Subscription]:
    """The rows of some users in some channels."""
    rows = tx.all(
        "SELECT * FROM subscription WHERE channel_id IN :channels AND user_id IN :users",
        channels=channel_ids,
        users=user_ids,
    )
    return [_subscription(row) for row in rows]


def active_user_ids(tx: Tx, channel_id: int, among: list[int] | None = None) -> set[int]:
    """Subscribers of a channel; only those among the given users, if any are given."""
    if among == []:
        return set()
    subscribed = "SELECT user_id AS id FROM subscription WHERE channel_id = :channel AND active"
    if among is None or len(among) > MAX_LOOKED_UP:
        found = set(tx.ids(subscribed, channel=channel_id))
        return found if among is None else found.intersection(among)
    return set(tx.column(f"{subscribed} AND user_id IN :among", channel=channel_id, among=among))


def inside(tx: Tx, channel_ids: list[int], user_ids: list[int]) -> dict[int, set[int]]:
    """Which of some channels each of some users is subscribed to."""
    found: dict[int, set[int]] = {user_id: set() for user_id in user_ids}
    if channel_ids and user_ids:
        # By an index of both, each channel would be looked up for each user.
        few = "+" if len(user_ids) < len(channel_ids) else ""
        rows = tx.tuples(
            "SELECT user_id, channel_id FROM subscription WHERE active"
            f" AND {few}channel_id IN :channels AND user_id IN :users",
            channels=channel_ids,
            users=user_ids,
        )
        for user_id, channel_id in rows:
            found[user_id].add(channel_id)
    return found


def active_pairs(tx: Tx) -> list[tuple[int, int]]:
    """All active subscriptions of the organization as (channel, user)."""
    rows = tx.all("SELECT channel_id, user_id FROM subscription WHERE realm_id = :realm AND active")
    return [(row["channel_id"], row["user_id"]) for row in rows]


def count_active(tx: Tx, channel_id: int) -> int:
    """Active subscribers whose accounts are active."""
    return counts_active(tx, [channel_id]).get(channel_id, 0)


def counts_active(tx: Tx, channel_ids: list[int]) -> dict[int, int]:
    """The same for several channels; those without subscribers are left out."""
    rows = tx.tuples(
        "SELECT s.channel_id, count(*) FROM subscription s JOIN account a ON a.id = s.user_id"
        " WHERE s.channel_id IN :channels AND s.active AND a.is_active GROUP BY s.channel_id",
        channels=channel_ids,
    )
    return dict(rows)


def colors_of(tx: Tx, user_ids: list[int]) -> dict[int, set[str]]:
    taken: dict[int, set[str]] = {user_id: set() for user_id in user_ids}
    rows = tx.all(
        "SELECT DISTINCT user_id, color FROM subscription WHERE user_id IN :ids", ids=user_ids
    )
    for row in rows:
        taken[row["user_id"]].add(row["color"])
    return taken


class NewSubscriber(NamedTuple):
    channel: Channel
    user_id: int
    color: str  # for a first subscription


def activate(tx: Tx, channel: Channel, colors: dict[int, str], seq: int, message_id: int) -> None:
    """Subscribe users to one channel; the colors are for first subscriptions."""
    new = [NewSubscriber(channel, user_id, color) for user_id, color in colors.items()]
    activate_all(tx, new, seq, message_id)


def activate_all(tx: Tx, new: list[NewSubscriber], seq: int, message_id: int) -> None:
    tx.insert_rows(
        "subscription",
        (
            {
                "channel_id": each.channel.id,
                "user_id": each.user_id,
                "color": each.color,
                "push_notifications": each.channel.default_push or None,
            }
            for each in new
        ),
        "ON CONFLICT (user_id, channel_id) DO UPDATE SET active = excluded.active",
        active=True,
    )
    tx.insert_rows(
        "subscription_span",
        ({"channel_id": each.channel.id, "user_id": each.user_id} for each in new),
        start_seq=seq,
        start_message_id=message_id,
    )


def end(tx: Tx, channel_ids: list[int], user_ids: list[int], seq: int, message_id: int) -> None:
    """Unsubscribe users from all of the channels that they are in."""
    tx.execute(
        "UPDATE subscription SET active = :no"
        " WHERE channel_id IN :channels AND user_id IN :users AND active",
        no=False,
        channels=channel_ids,
        users=user_ids,
    )
    tx.execute(
        "UPDATE subscription_span SET end_seq = :seq, end_message_id = :message"
        " WHERE channel_id IN :channels AND user_id IN :users AND end_seq IS NULL",
        seq=seq,
        message=message_id,
        channels=channel_ids,
        users=user_ids,
    )


def set_property(tx: Tx, user_id: int, name: str, values: Mapping[int, bool | str]) -> None:
    """Change one personal setting of some channels, by id, with one statement per value. The name
    is one of ours, never a client's."""
    assert name in PROPERTIES
    alike: dict[bool | str, list[int]] = {}
    for channel_id, value in values.items():
        alike.setdefault(value, []).append(channel_id)
    tx.execute_many(
        f"UPDATE subscription SET {name} = :value"
        " WHERE user_id = :user AND channel_id IN :channels",
        [{"value": value, "user": user_id, "channels": ids} for value, ids in alike.items()],
    )


def extend_back(tx: Tx, user_id: int, channel_ids: list[int], message_id: int) -> None:
    """Extend a new subscriber's span back to a message; they count as recipients of what followed
    it."""
    tx.execute(
        "UPDATE subscription_span SET start_message_id = :message"
        " WHERE user_id = :user AND channel_id IN :channels AND end_seq IS NULL",
        message=message_id,
        user=user_id,
        channels=channel_ids,
    )


def channel_ids_of(tx: Tx, user_id: int) -> list[int]:
    """The channels a user is subscribed to."""
    return tx.column(
        "SELECT channel_id FROM subscription"
        " WHERE user_id = :user AND realm_id = :realm AND active ORDER BY channel_id",
        user=user_id,
    )


def spans_of(tx: Tx, user_id: int) -> list[Span]:
    rows = tx.all(
        "SELECT channel_id, start_seq, start_message_id, end_seq, end_message_id"
        " FROM subscription_span WHERE user_id = :user ORDER BY id",
        user=user_id,
    )
    return [_span(row) for row in rows]


def spans_by_channel(tx: Tx, user_id: int) -> dict[int | None, list[Span]]:
    found: dict[int | None, list[Span]] = {}
    for span in spans_of(tx, user_id):
        found.setdefault(span.channel_id, []).append(span)
    return found


def is_in_some(tx: Tx, user_id: int) -> bool:
    """Whether a user is subscribed to any channel."""
    return tx.exists(
        "SELECT 1 AS found FROM subscription_span WHERE user_id = :user AND end_seq IS NULL"
        " LIMIT 1",
        user=user_id,
    )


def received_in(
    tx: Tx, user_id: int, channel_ids: list[int]
) -> dict[int, list[tuple[int, int | None]]]:
    """For some channels, the ranges of message ids during which a user was subscribed."""
    found: dict[int, list[tuple[int, int | None]]] = {}
    if not channel_ids:
        return found
    for channel_id, after, end in tx.tuples(
        "SELECT channel_id, start_message_id, end_message_id FROM subscription_span"
        " WHERE user_id = :user AND channel_id IN :channels",
        user=user_id,
        channels=channel_ids,
    ):
        found.setdefault(channel_id, []).append((after, end))
    return found


def receivers(tx: Tx, message: Message, among: list[int] | None = None) -> set[int]:
    """Users who were subscribed when a channel message was sent; only those among some users, if
    given."""
    wanted = "" if among is None else " AND user_id IN :among"
    rows = tx.all(
        "SELECT DISTINCT user_id FROM subscription_span WHERE channel_id = :channel"
        " AND start_message_id < :id AND (end_message_id IS NULL OR :id <= end_message_id)"
        f"{wanted}",
        channel=message.origin_channel_id,
        id=message.id,
        **({} if among is None else {"among": among}),
    )
    return {row["user_id"] for row in rows}


def spans_since(
    tx: Tx, channel_id: int, message_id: int, *, only_ended: bool
) -> dict[tuple[int, int | None], list[int]]:
    """Spans in a channel that include a message or begin after it: the users with each range of
    message ids. Thousands may have the same one."""
    still = "" if only_ended else " OR end_message_id IS NULL"
    found: dict[tuple[int, int | None], list[int]] = {}
    for user_id, after, last in tx.tuples(
        "SELECT user_id, start_message_id, end_message_id"
        " FROM subscription_span WHERE channel_id = :channel"
        f" AND (end_message_id >= :since{still})",
        channel=channel_id,
        since=message_id,
    ):
        found.setdefault((after, last), []).append(user_id)
    return found


def arrivals(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """Those of the messages that came from another channel, in the order of their arrival, each
    with the event with which it came."""
    rows = tx.tuples(
        "SELECT id, arrived_seq FROM message WHERE realm_id = :realm AND id IN :ids"
        " AND arrived_seq IS NOT NULL ORDER BY arrived_seq, id",
        ids=list(message_ids),
    )
    return dict(rows)


def received_by(
    tx: Tx, channel_id: int, message_ids: Sequence[int], also: Sequence[int] = ()
) -> tuple[list[tuple[list[int], list[int]]], list[int]]:
    """Which of the messages arrived in the channel while users were subscribed: messages and the
    users who received just these; and users who are left out, because so many others received
    other parts that naming all of them would take too long.

    For the present subscribers and some other users. Most of thousands received the same ones, so
    messages are collected once for all users with the same ranges of them.
    """
    moved = arrivals(tx, message_ids)
    sent = sorted(set(message_ids).difference(moved))
    arrived, seqs = list(moved), list(moved.values())
    rows = tx.tuples(
        "SELECT p.user_id, p.start_message_id, p.end_message_id, p.start_seq, p.end_seq"
        " FROM subscription_span p JOIN subscription s"
        " ON s.user_id = p.user_id AND s.channel_id = p.channel_id"
        " WHERE p.channel_id = :channel AND (s.active OR s.user_id IN :also) ORDER BY p.user_id",
        channel=channel_id,
        also=list(also),
    )
    ranges_of: dict[int, frozenset[tuple[range, range]]] = {}
    for user_id, after, last, after_seq, last_seq in rows:
        both = (_between(sent, after, last), _between(seqs, after_seq, last_seq))
        if any(both):
            ranges_of[user_id] = ranges_of.get(user_id, frozenset()) | {both}
    alike: dict[frozenset[tuple[range, range]], list[int]] = {}
    for user_id, ranges in ranges_of.items():
        alike.setdefault(ranges, []).append(user_id)
    found: dict[tuple[int, ...], list[int]] = {}
    left_out: list[int] = []
    room = MAX_LISTED_MESSAGES
    for ranges, user_ids in sorted(alike.items(), key=lambda each: len(each[1]), reverse=True):
        room -= sum(len(seen) + len(came) for seen, came in ranges)
        if found and room < 0:
            left_out += user_ids
            continue
        ids = {sent[each] for seen, _ in ranges for each in seen}
        ids.update(arrived[each] for _, came in ranges for each in came)
        found.setdefault(tuple(sorted(ids)), []).extend(user_ids)
    parts = [(list(ids), sorted(user_ids)) for ids, user_ids in found.items()]
    return parts, sorted(left_out)


def _between(numbers: list[int], after: int, last: int | None) -> range:
    """The places in a sorted list of those between two numbers."""
    end = len(numbers) if last is None else bisect_right(numbers, last)
    return range(bisect_right(numbers, after), end)


def _span(row: Row) -> Span:
    return Span(
        row["channel_id"],
        row["start_seq"],
        row["start_message_id"],
        row["end_seq"],
        row["end_message_id"],
    )


def _subscription(row: Row) -> Subscription:
    return Subscription(
        channel_id=row["channel_id"],
        user_id=row["user_id"],
        active=bool(row["active"]),
        color=row["color"],
        is_muted=bool(row["is_muted"]),
        pin_to_top=bool(row["pin_to_top"]),
        desktop_notifications=_maybe(row["desktop_notifications"]),
        audible_notifications=_maybe(row["audible_notifications"]),
        push_notifications=_maybe(row["push_notifications"]),
        email_notifications=_maybe(row["email_notifications"]),
        wildcard_mentions_notify=_maybe(row["wildcard_mentions_notify"]),
    )


_MAYBE = {None: None, 0: False, 1: True}  # SQLite has no booleans


def _maybe(value: int | None) -> bool | None:
    return _MAYBE[value]
