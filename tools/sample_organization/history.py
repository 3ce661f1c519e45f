"""Generates messages and reactions over the years.

Joining and leaving are real actions. Messages are written in bulk with the same rows as sending
would write: the message, its mentions, the followers of its topic. Events are not written, because
the log would have been trimmed by now.
"""

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any

from tools.sample_organization import vocabulary
from tools.sample_organization.members import (
    SIZE_EXPONENT,
    Conversation,
    GeneratedMembers,
    Person,
    Room,
    Topic,
)
from tools.sample_organization.texts import Piece, Text, TextWriter

from tertulia import domain, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.emoji import UNICODE
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.domain.people.user import SECONDS_PER_DAY, Role
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.markdown import Resolved

DIRECT = 0.15  # share of all messages
NEW_TOPIC = 1 / 50
LIVE_TOPICS = 12  # active topics of a channel at a time
MENTIONS = 0.06
MENTION_ALL_SHARE = 0.02  # share of the messages of administrators
REACTIONS = 0.06
EDITS = 0.005
GROUP_CONVERSATIONS = 0.25
CONVERSATIONS_EACH = 8
CLIENTS = ("website", "website", "ZulipMobile", "ZulipElectron", "ZulipTerminal")
BOT_CLIENT = "ZulipPython"

# Relative number of messages by hour of the day.
HOURS = (1, 1, 1, 1, 1, 1, 2, 4, 9, 12, 12, 10, 7, 9, 12, 11, 9, 7, 4, 3, 3, 2, 2, 1)

FOLLOWED = ("realm_id", "user_id", "channel_id", "topic_key", "topic", "policy", "updated_at")
EDIT = ("realm_id", "message_id", "user_id", "edited_at", "prev_content", "prev_rendered")

Row = tuple[Any, ...]


@dataclass(slots=True)
class JobsByOrganization:
    """Rows that are written together."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    flags: list[Row] = field(default_factory=list)
    followed: list[Row] = field(default_factory=list)
    reactions: list[Row] = field(default_factory=list)
    edits: list[Row] = field(default_factory=list)

    def write(self, tx: Tx) -> None:
        storage.bulk_import.load_messages(tx, self.messages)
        tx.bulk.load_rows("message_flag", storage.bulk_import.FLAG, self.flags)
        tx.bulk.load_rows("user_topic", FOLLOWED, self.followed)
        tx.bulk.load_rows("reaction", storage.bulk_import.REACTION, self.reactions)
        tx.bulk.load_rows("message_edit", EDIT, self.edits)
        tx.bulk.allocate_ids("message")


@dataclass(frozen=True, slots=True)
class Turn:
    """The next message: its id, its time, and the batch for its rows."""

    tx: Tx
    batch: JobsByOrganization
    message_id: int
    at: float


class History:
    def __init__(self, dice: Random, members: GeneratedMembers, writer: TextWriter) -> None:
        self.times: array[float] = array("d")  # send time of each message
        self.first_id = 0
        self._dice = dice
        self._members = members
        self._writer = writer
        self._mentions: dict[int, Piece] = {}
        self._everybody = writer.piece("@**all**")
        self._follows: set[tuple[int, int, str]] = set()
        self._rooms_in_order: list[Room] = []
        self._weights: list[float] = []

    def send(self, tx: Tx, count: int, begin: float, end: float) -> None:
        """Generate this many messages between two times."""
        self._update_weights()
        next_id = storage.messages.table.newest_id(tx) + 1
        self.first_id = self.first_id or next_id
        batch = JobsByOrganization()
        spoken_in: dict[Room, float] = {}
        for message_id, at in enumerate(self._moments(count, begin, end), next_id):
            self.times.append(at)
            conversation = None
            if self._dice.random() < DIRECT:
                conversation = self._conversation(tx)
            if conversation is not None:
                self._post_direct(Turn(tx, batch, message_id, at), conversation)
            else:
                room = self._room()
                self._post_in_channel(Turn(tx, batch, message_id, at), room)
                spoken_in[room] = at
        batch.write(tx)
        for room, at in spoken_in.items():
            storage.channels.table.record_message(tx.at(at), room.channel, room.message_ids[0])

    def before(self, at: float) -> int:
        """The last message up to a time."""
        return self.first_id + bisect_right(self.times, at) - 1

    # --- times and places ---

    def _moments(self, count: int, begin: float, end: float) -> list[float]:
        """Ordered times, most of them during the day."""
        days = max(1, round((end - begin) / SECONDS_PER_DAY))
        hours = self._dice.choices(range(24), HOURS, k=count)
        day = (end - begin) / days
        random = self._dice.random
        return sorted(
            begin + day * (int(days * random()) + (hour + random()) / 24) for hour in hours
        )

    def _update_weights(self) -> None:
        self._rooms_in_order = list(self._members.rooms)
        weights = (rank**-SIZE_EXPONENT for rank in range(1, len(self._rooms_in_order) + 1))
        self._weights = list(accumulate(weights))

    def _room(self) -> Room:
        """A channel with members; older ones are more active."""
        (room,) = self._dice.choices(self._rooms_in_order, cum_weights=self._weights)
        return room if room.members else self._rooms_in_order[0]

    def _conversation(self, tx: Tx) -> Conversation | None:
        """An existing or a new conversation of a user; None if no partner is found."""
        people = self._members.people
        person = people[int(len(people) * self._dice.random() ** 2)]
        if self._dice.random() * CONVERSATIONS_EACH >= len(person.conversations):
            return self._new_conversation(tx, person)
        conversation = self._dice.choice(person.conversations)
        return conversation if conversation.is_possible else None

    def _new_conversation(self, tx: Tx, person: Person) -> Conversation | None:
        size = self._dice.randrange(2, 5) if self._dice.random() < GROUP_CONVERSATIONS else 1
        others = self._dice.sample(self._members.people, min(size, len(self._members.people)))
        members = sorted({person, *others}, key=lambda each: each.user.id)
        if not all(each.is_active for each in members):
            return None
        number = storage.messages.conversations.get_or_start(tx, [each.user.id for each in members])
        for each in members:
            for known in each.conversations:
                if known.id == number:
                    return known
        conversation = Conversation(number, members)
        for each in members:
            each.conversations.append(conversation)
        return conversation

    # --- topics ---

    def _post_direct(self, turn: Turn, conversation: Conversation) -> None:
        sender = self._dice.choice(conversation.members)
        text = self._writer.message()
        self._write(turn, sender, (None, conversation.id, None), text, conversation.members)

    def _post_in_channel(self, turn: Turn, room: Room) -> None:
        sender = room.members[int(len(room.members) * self._dice.random() ** 2)]
        topic, starts_topic = self._topic(turn, room, sender)
        text = self._writer.message()
        mentioned = None
        mentions_all = False
        if not text.is_block and self._dice.random() < MENTIONS:
            mentioned = self._dice.choice(room.members)
            text = self._writer.with_mention(self._mention(mentioned), text)
        elif not text.is_block and sender.user.role <= Role.ADMINISTRATOR:
            mentions_all = self._dice.random() < MENTION_ALL_SHARE
            if mentions_all:
                text = self._writer.with_mention(self._everybody, text)
        rank = (room.channel.id, None, topic.row_id)
        self._write(turn, sender, rank, text, room.members, mentions_all=mentions_all)
        topic.newest = turn.message_id
        room.message_ids.append(turn.message_id)
        if starts_topic and not sender.user.is_bot:
            self._follow(turn, sender, room, topic)
        if mentioned is not None:
            flag = (turn.tx.realm_id, mentioned.user.id, "mentioned", turn.message_id)
            turn.batch.flags.append(flag)
            if mentioned is not sender and not mentioned.user.is_bot:
                self._follow(turn, mentioned, room, topic)

    def _write(
        self,
        turn: Turn,
        sender: Person,
        rank: tuple[int | None, int | None, int | None],
        text: Text,
        readers: list[Person],
        *,
        mentions_all: bool = False,
    ) -> None:
        realm_id, message_id = turn.tx.realm_id, turn.message_id
        client = BOT_CLIENT if sender.user.is_bot else CLIENTS[message_id % len(CLIENTS)]
        edited_at = None
        if not text.is_block and self._dice.random() < EDITS:
            edited_at = turn.at + self._dice.randrange(20, 500)
            before = (text.content, text.html)
            turn.batch.edits.append((realm_id, message_id, sender.user.id, edited_at, *before))
            text = self._writer.continued(text)
        draft = Draft(
            text.content,
            text.html,
            markdown.VERSION,
            client,
            domain.messages.message.is_read_by_sender(None, client),
            Mentions(channel_wildcard=mentions_all),
            has_link=text.has_link,
            has_image=text.has_image,
        )
        given = {"id": message_id, "realm_id": realm_id, "sent_at": turn.at, "edited_at": edited_at}
        turn.batch.messages.append(
            given | storage.messages.table.new_row(sender.user.id, draft, *rank)
        )
        if self._dice.random() < REACTIONS:
            self._react(turn, readers)

    def _topic(self, turn: Turn, room: Room, sender: Person) -> tuple[Topic, bool]:
        """A topic, and whether it is new to the sender."""
        if not room.topics or self._dice.random() < NEW_TOPIC:
            name = self._writer.topic()
            key = domain.channels.topics.fold(name)
            topic = room.topics.get(key)
            if topic is None:
                row = storage.channels.topics.get_or_start(turn.tx, room.channel.id, name)
                topic = room.topics[key] = Topic(name, key, row.id)
                room.live_topics = [*room.live_topics, topic][-LIVE_TOPICS:]
                return topic, True
        else:
            topic = room.live_topics[-1 - int(len(room.live_topics) * self._dice.random() ** 2)]
        return topic, self._is_new_to(room, topic, sender)

    def _is_new_to(self, room: Room, topic: Topic, sender: Person) -> bool:
        """With protected history, a topic is new to users who received none of it."""
        if room.channel.history_public:
            return False
        return topic.newest <= room.joined_after[sender.user.id]

    def _mention(self, person: Person) -> Piece:
        known = self._mentions.get(person.user.id)
        if known is None:
            found = Resolved.of([markdown.MentionedUser(person.user.id, person.user.full_name)])
            known = self._writer.piece(f"@**{person.user.full_name}**", found)
            self._mentions[person.user.id] = known
        return known

    def _follow(self, turn: Turn, person: Person, room: Room, topic: Topic) -> None:
        key = (person.user.id, room.channel.id, topic.name_key)
        if key not in self._follows:
            self._follows.add(key)
            policy = int(TopicPolicy.FOLLOWED)
            turn.batch.followed.append((turn.tx.realm_id, *key, topic.name, policy, turn.at))

    def _react(self, turn: Turn, readers: list[Person]) -> None:
        count = min(len(readers), 1 + int(3 * self._dice.random() ** 2))
        name = self._dice.choice(vocabulary.EMOJI)
        code = markdown.emoji_names.code_for(name)
        for person in self._dice.sample(readers, count):
            row = (turn.tx.realm_id, turn.message_id, person.user.id, name, code, UNICODE)
            turn.batch.reactions.append(row)
