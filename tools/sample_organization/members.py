"""Generates users, channels and memberships: users are created, join, leave and are deactivated by
real actions."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random

from msgspec.structs import replace
from pyroaring import BitMap64
from tools.sample_organization import vocabulary
from tools.sample_organization.texts import TextWriter

from tertulia import actions, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, NewUser, Role, User

DOMAIN = "example.com"
PEOPLE_PER_BOT = 100
PRIVATE_EVERY = 6  # one channel in so many; every other one has protected history
LARGEST = 0.6  # share of all users in the largest channel
SIZE_EXPONENT = 0.7  # size and activity of each channel relative to the one before
INITIAL_SHARE = 0.7  # share of users and channels that exist from the start
DEACTIVATED_SHARE = 0.02  # share of users who are deactivated at the end
JOINS_PER_STEP = 0.02  # share of users who join a channel, and who leave one, per step


@dataclass(eq=False, slots=True)
class Person:
    user: User
    key: str
    is_active: bool = True
    conversations: list["Conversation"] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Topic:
    name: str
    name_key: str
    row_id: int
    newest: int = 0  # id of its newest message


@dataclass(eq=False, slots=True)
class Room:
    """A channel with its members and topics."""

    channel: Channel
    size: float  # share of all users who are members
    members: list[Person] = field(default_factory=list)
    topics: dict[str, Topic] = field(default_factory=dict)
    live_topics: list[Topic] = field(default_factory=list)  # active ones, newest last
    joined_after: dict[int, int] = field(
        default_factory=dict
    )  # by user: the last message before they joined
    message_ids: "array[int]" = field(default_factory=lambda: array("q"))


@dataclass(eq=False, slots=True)
class Conversation:
    id: int
    members: list[Person]

    @property
    def is_possible(self) -> bool:
        return all(person.is_active for person in self.members)


class GeneratedMembers:
    def __init__(
        self, dice: Random, vault: Vault, writer: TextWriter, people: int, channel_count: int
    ) -> None:
        self.people: list[Person] = []
        self.rooms: list[Room] = []
        self._dice = dice
        self._vault = vault
        self._writer = writer
        self._new_people = list(_people(people))
        self._new_rooms = list(_channel_names(channel_count - 2))
        dice.shuffle(self._new_rooms)
        self._people, self._channels = people, channel_count

    def advance(self, tx: Tx, progress: float) -> None:
        """Apply the changes of one step; `progress` goes from 0 to 1."""
        arrived = self._add_people(tx, progress)
        if not self.rooms:
            self.rooms = [
                Room(channel, 1.0, [p for p in self.people if not _is_bot_or_guest(p)])
                for channel in storage.channels.table.defaults(tx)
            ]
        self._open_rooms(tx, progress)
        self._subscribe(tx, arrived)
        self._join_and_leave(tx)
        self._deactivate_some(tx, progress)

    def present(self) -> list[Person]:
        return [person for person in self.people if person.is_active]

    # --- people ---

    def _add_people(self, tx: Tx, progress: float) -> list[Person]:
        wanted = _count_at(self._people, progress)
        arrived = []
        while len(self.people) < wanted:
            new = self._new_people.pop(0)
            if new.bot_type is not None:
                owner = self._dice.choice([p for p in self.present() if not p.user.is_bot])
                new = replace(new, bot_owner_email=owner.user.email)
            arrived.append(Person(*actions.people.account_creation.add(tx, self._vault, new)))
            self.people.append(arrived[-1])
        for room in self.rooms:
            if room.size == 1.0:
                room.members += [person for person in arrived if not _is_bot_or_guest(person)]
        return arrived

    def _deactivate_some(self, tx: Tx, progress: float) -> None:
        gone = sum(not person.is_active for person in self.people)
        while gone < int(self._people * DEACTIVATED_SHARE * progress):
            person = self._dice.choice(self.people[1:])
            if not person.is_active or person.user.is_owner:
                continue
            actions.people.users.deactivate(tx, person.user.id)
            person.is_active = False
            gone += 1
            for room in self.rooms:
                if person in room.members:
                    room.members.remove(person)

    # --- channels ---

    def _open_rooms(self, tx: Tx, progress: float) -> None:
        while len(self.rooms) < max(2, _count_at(self._channels, progress)):
            number = len(self.rooms)
            is_private = number % PRIVATE_EVERY == 0
            new = NewChannel(
                name=self._new_rooms.pop(0),
                description=self._writer.description(),
                invite_only=is_private,
                history_public=not is_private or number % (2 * PRIVATE_EVERY) == 0,
            )
            size = LARGEST * (number - 1) ** -SIZE_EXPONENT
            present, count = self.present(), max(2, round(size * self._people))
            members = self._dice.sample(present, min(count, len(present)))
            creator = next((p for p in members if not _is_bot_or_guest(p)), self.people[0])
            rendered = markdown.render_description(new.description)
            channel = actions.channels.creation.create(
                tx, creator.user, new, rendered, web_public_allowed=False
            )
            self.rooms.append(Room(channel, size))
            self._add_members(tx, self.rooms[-1], list(dict.fromkeys([creator, *members])))

    def _subscribe(self, tx: Tx, arrived: list[Person]) -> None:
        """Subscribe new users to channels, unless they were created together with their channel."""
        for room in self.rooms:
            inside = set(room.members)
            newcomers = [
                person
                for person in arrived
                if person not in inside and room.size < 1.0 and self._dice.random() < room.size
            ]
            self._add_members(tx, room, newcomers)

    def _join_and_leave(self, tx: Tx) -> None:
        for _ in range(int(JOINS_PER_STEP * len(self.people))):
            room = self._dice.choice(self.rooms)
            if room.size < 1.0:
                person = self._dice.choice(self.people)
                if person.is_active and person not in room.members:
                    self._add_members(tx, room, [person])
                if len(room.members) > 2:
                    self._remove_member(tx, room, self._dice.choice(room.members))

    def _add_members(self, tx: Tx, room: Room, newcomers: list[Person]) -> None:
        if not newcomers:
            return
        actions.channels.subscriptions.join(tx, room.channel, [person.user for person in newcomers])
        newest = storage.messages.table.newest_id(tx)
        for person in newcomers:
            room.joined_after.setdefault(person.user.id, newest)
        room.members += newcomers

    def _remove_member(self, tx: Tx, room: Room, person: Person) -> None:
        """Unsubscribe a user who has read everything."""
        storage.messages.unread.store(
            tx, person.user.id, BitMap64(), storage.messages.table.newest_id(tx)
        )
        actions.channels.subscriptions.remove(tx, room.channel, [person.user])
        room.members.remove(person)


def _count_at(total: int, progress: float) -> int:
    """The number that exists at this progress."""
    return min(total, max(1, round(total * (INITIAL_SHARE + (1 - INITIAL_SHARE) * progress))))


def _people(count: int) -> Iterator[NewUser]:
    """All users in the order of their creation; the first one is the owner."""
    names = [
        f"{first} {last}" for last, first in product(vocabulary.LAST_NAMES, vocabulary.FIRST_NAMES)
    ]
    for number in range(count):
        index = number * 1009 % len(names)  # neighbours in the list have the same last name
        round_ = number // len(names)
        name = names[index] if round_ == 0 else f"{names[index]} {_roman(round_ + 1)}"
        email = f"{name.lower().replace(' ', '.')}@{DOMAIN}"
        if number % PEOPLE_PER_BOT == PEOPLE_PER_BOT - 1:
            subject = vocabulary.SUBJECTS[number // PEOPLE_PER_BOT % len(vocabulary.SUBJECTS)]
            email = f"{subject}{number}-bot@{DOMAIN}"
            yield NewUser(email, f"{subject.title()} Bot {number}", bot_type=BotType.GENERIC)
        else:
            yield NewUser(email, name, _role(number))


def _role(number: int) -> Role:
    if number == 0:
        return Role.OWNER
    roles = {1: Role.ADMINISTRATOR, 2: Role.MODERATOR, 3: Role.MODERATOR}
    guests = dict.fromkeys((20, 45, 70, 95), Role.GUEST)
    return (roles | guests).get(number % 100, Role.MEMBER)


def _roman(number: int) -> str:
    ones = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * (number // 10) + ones[number % 10]


def _channel_names(count: int) -> Iterator[str]:
    names = [
        *vocabulary.SUBJECTS,
        *(f"{s} {a}" for a, s in product(vocabulary.ASPECTS, vocabulary.SUBJECTS)),
    ]
    for number in range(count):
        name, round_ = names[number % len(names)], number // len(names)
        yield name if round_ == 0 else f"{name} {round_ + 1}"


def _is_bot_or_guest(person: Person) -> bool:
    """Bots and guests create no channels and are not in channels for everyone."""
    return person.user.is_guest or person.user.is_bot
