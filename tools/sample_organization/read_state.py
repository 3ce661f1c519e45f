"""Generates read state, stars, muted and pinned channels."""

from bisect import bisect_right
from random import Random

from pyroaring import BitMap64
from tools.sample_organization.history import History
from tools.sample_organization.members import GeneratedMembers, Person, Room

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.storage.channels.subscriptions import Span

MAX_STARS = 30
AWAY_DAYS = (
    (0.7, 1.0),
    (0.9, 7.0),
    (1.0, 60.0),
)  # (cumulative share of users, days since they last read)
UNREAD_SHARE = 0.3  # share of users with a channel that was not read for weeks
UNREAD_DAYS = 30
MUTES = 0.2
PINS = 0.3


class ReadState:
    def __init__(self, dice: Random, members: GeneratedMembers, history: History) -> None:
        self._dice = dice
        self._history = history
        self._people = members.present()
        self._rooms = {room.channel.id: room for room in members.rooms}

    def write(self, tx: Tx) -> None:
        stars: list[tuple[int, int, str, int]] = []
        for person in self._people:
            spans = [
                span
                for span in storage.channels.subscriptions.spans_of(tx, person.user.id)
                if span.end_seq is None
            ]
            self._read(tx, person, spans)
            stars += [
                (tx.realm_id, person.user.id, "starred", message_id)
                for message_id in sorted(self._starred(spans))
            ]
            self._set_preferences(tx, person, spans)
        tx.bulk.load_rows("message_flag", storage.bulk_import.FLAG, stars)

    def _read(self, tx: Tx, person: Person, spans: list[Span]) -> None:
        """Most users have read everything until today, and some have a channel with many unread
        messages."""
        fate = self._dice.random()
        longest = next(days for share, days in AWAY_DAYS if fate <= share)
        looked_at = tx.now - self._dice.random() * longest * SECONDS_PER_DAY
        caught_up_to = self._history.before(looked_at)
        waiting = BitMap64()
        if spans and self._dice.random() < UNREAD_SHARE:
            since = looked_at - self._dice.random() * UNREAD_DAYS * SECONDS_PER_DAY
            span = self._dice.choice(spans)
            ids = self._received(span, self._history.before(since), caught_up_to)
            mine = storage.messages.unread.sent_by(tx, person.user.id, BitMap64(ids))
            waiting = BitMap64(ids) - BitMap64(mine)
        joined = max((span.start_message_id for span in spans), default=0)
        storage.messages.unread.store(tx, person.user.id, waiting, max(caught_up_to, joined))

    def _received(self, span: Span, after: int, up_to: int) -> list[int]:
        """The messages that a user received in a channel between two messages."""
        ids = self._rooms[span.channel_id].message_ids
        begin = bisect_right(ids, max(after, span.start_message_id))
        return list(ids[begin : bisect_right(ids, up_to)])

    def _starred(self, spans: list[Span]) -> set[int]:
        found: set[int] = set()
        for _ in range(int(MAX_STARS * self._dice.random() ** 3) if spans else 0):
            span = self._dice.choice(spans)
            ids = self._rooms[span.channel_id].message_ids
            begin = bisect_right(ids, span.start_message_id)
            if begin < len(ids):
                found.add(ids[self._dice.randrange(begin, len(ids))])
        return found

    def _set_preferences(self, tx: Tx, person: Person, spans: list[Span]) -> None:
        """Mute and pin channels at the end, so that it does not affect earlier messages."""
        if not spans or person.user.is_bot:
            return
        user_id = person.user.id
        if self._dice.random() < MUTES:
            channel_id = self._dice.choice(spans).channel_id
            storage.channels.subscriptions.set_property(tx, user_id, "is_muted", {channel_id: True})
        if self._dice.random() < PINS:
            channel_id = self._dice.choice(spans).channel_id
            storage.channels.subscriptions.set_property(
                tx, user_id, "pin_to_top", {channel_id: True}
            )
        if self._dice.random() < MUTES:
            self._mute_topic(tx, person, self._rooms[self._dice.choice(spans).channel_id])

    def _mute_topic(self, tx: Tx, person: Person, room: Room) -> None:
        if room.live_topics:
            topic = self._dice.choice(room.live_topics)
            muted = TopicPolicy.MUTED
            storage.personal.topic_policies.set_policy(
                tx, person.user.id, room.channel.id, topic.name, muted
            )
