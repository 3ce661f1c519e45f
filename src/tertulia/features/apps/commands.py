"""Commands: what people call by `/name`. A bot offers one under a name that is its own.

Where a command works and who may use it is decided by the owner of the bot and by administrators;
a bot that registers its command again, for example at each start, does not change that.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import GroupValue, Members, Permission
from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.features.apps import fields
from tertulia.features.apps.fields import Field
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul, NotBlank, Stripped
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import BotId

MAX_COMMANDS = 1000  # of an organization
MAX_OF_BOT = 50
MAX_CHANNELS = 200
MAX_NAME_LENGTH = 32
BUILT_IN = frozenset({"poll", "todo", "me"})

MAY_USE = Permission("may_use", "role:everyone", everyone=True)

CommandId = Annotated[int, Doc("The id of the command.", example=4)]
Name = Annotated[
    str,
    Stripped,
    NotBlank,
    NoNul,
    MaxLength(MAX_NAME_LENGTH),
    Doc("The name, without the slash.", example="deploy"),
]
Description = Annotated[
    str,
    Stripped,
    NotBlank,
    NoNul,
    MaxLength(fields.MAX_LABEL_LENGTH),
    Doc("What it does, in one line.", example="Put a version on a server"),
]
Parameters = Annotated[
    list[Field], MaxItems(fields.MAX_FIELDS), Doc("What it asks for, in order; needed ones first.")
]
ChannelIds = Annotated[
    list[int], MaxItems(MAX_CHANNELS), Doc("The ids of the channels where it is offered.")
]
InDirect = Annotated[bool, Doc("Whether it is offered in direct conversations.")]
MayUse = Annotated[GroupValue, Doc("Who may use it: a group, or people and groups.")]

_value: msgspec.json.Decoder[GroupValue] = msgspec.json.Decoder(GroupValue)


class Command(Record, frozen=True, table="command"):
    id: int
    bot_id: int
    grant_id: int | None
    name: str
    description: str
    parameters: list[Field]
    channel_ids: list[int] | None
    in_direct: bool
    may_use: str
    created_at: float

    @property
    def permission(self) -> GroupValue:
        return _value.decode(self.may_use)

    def is_offered_in(self, channel: Channel | None) -> bool:
        if channel is None:
            return self.in_direct
        return self.channel_ids is None or channel.id in self.channel_ids


class CommandNotFound(ClientError):
    status = 404
    message = "Command does not exist"
    problem = "command-not-found"


class CommandObject(msgspec.Struct):
    id: CommandId
    name: Annotated[str, Doc("The name, without the slash.")]
    description: Annotated[str, Doc("What it does, in one line.")]
    parameters: Annotated[list[Field], Doc("What it asks for, in order.")]
    bot_id: BotId
    agent: Annotated[str | None, Doc("The name of the agent that offers it; null for a bot.")]
    stream_ids: Annotated[
        list[int] | None, Doc("The channels where it is offered; null for all channels.")
    ]
    in_direct: InDirect


class CommandsChanged(Event, frozen=True, kind="commands", invalidates_permits=False):
    """The commands of the organization have changed. Clients fetch those they may use."""

    class Wire(WireEvent, tag="commands"):
        op: Literal["changed"]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("changed")


class NewCommand(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: list[Field]
    channel_ids: list[int] | None
    in_direct: bool
    may_use: GroupValue | None


class CommandChanges(msgspec.Struct, frozen=True):
    """None keeps a value; an empty list of channels means all channels."""

    channel_ids: list[int] | None = None
    in_direct: bool | None = None
    may_use: GroupValue | None = None


# --- rules ---


def checked_name(name: str) -> str:
    name = name.removeprefix("/").lower()
    if not name or not all(each.isalnum() or each in "-_" for each in name):
        raise BadRequest(
            "A command has only letters, digits, - and _ in its name.",
            problem="command-name-invalid",
        )
    if name in BUILT_IN:
        raise BadRequest("/{name} is built in.", problem="command-built-in", name=name)
    return name


def is_alive(tx: Tx, bot: User | None, grant: Grant | None, grant_id: int | None) -> bool:
    """Whether the bot is active, and the agent still has its grant."""
    if bot is None or not bot.is_active:
        return False
    return grant_id is None or (grant is not None and not grant.has_ended(tx.now))


def grants_of(tx: Tx, grant_ids: Collection[int]) -> dict[int, Grant]:
    found = (storage.people.agents.find_grant(tx, each) for each in grant_ids)
    return {each.id: each for each in found if each is not None}


def usable_by(tx: Tx, user: User) -> list[tuple[Command, list[int] | None]]:
    """The commands that the user may use somewhere, each with the channels that the user may read;
    None for all."""
    found = Command.where(tx, "name")
    bots = {
        each.id: each
        for each in storage.people.users.find_many(tx, list({each.bot_id for each in found}))
    }
    grants = grants_of(tx, {each.grant_id for each in found if each.grant_id is not None})
    allows = actions.groups.permissions.permission_checker(tx, [user])
    channels = storage.channels.table.find_many(
        tx, sorted({number for each in found for number in each.channel_ids or ()})
    )
    seen = {each.id for each in channels if actions.channels.lookups.may_read(tx, user, each)}
    usable: list[tuple[Command, list[int] | None]] = []
    for each in found:
        grant = grants.get(each.grant_id or 0)
        if not is_alive(tx, bots.get(each.bot_id), grant, each.grant_id):
            continue
        if not allows(user, each.permission):
            continue
        shown = (
            None
            if each.channel_ids is None
            else [number for number in each.channel_ids if number in seen]
        )
        if shown is None or shown or each.in_direct:
            usable.append((each, shown))
    return usable


def usable(tx: Tx, user: User, command_id: int) -> Command:
    """The only lookup of a command to call. A command that the user may not use does not exist."""
    for each, _ in usable_by(tx, user):
        if each.id == command_id:
            return each
    raise CommandNotFound()


def objects(tx: Tx, found: Sequence[tuple[Command, list[int] | None]]) -> list[CommandObject]:
    grants = grants_of(tx, {each.grant_id for each, _ in found if each.grant_id is not None})
    return [
        CommandObject(
            each.id,
            each.name,
            each.description,
            each.parameters,
            each.bot_id,
            None if each.grant_id is None else grants[each.grant_id].agent,
            shown,
            each.in_direct,
        )
        for each, shown in found
    ]


def list_usable(tx: Tx, user: User) -> list[CommandObject]:
    return objects(tx, usable_by(tx, actions.groups.permissions.current_rights(tx, user)))


# --- what bots and their managers do ---


def register(tx: Tx, user: User, bot_id: int | None, new: NewCommand) -> int:
    """Offer a command, or describe it anew. Returns its id."""
    user = actions.groups.permissions.current_rights(tx, user)
    bot, grant_id = _offering(tx, user, bot_id)
    name = checked_name(new.name)
    parameters = fields.checked_fields(new.parameters, of_command=True)
    present = Command.find(tx, name=name)
    if present is not None and _is_abandoned(tx, present):
        _remove(tx, present)
        present = None
    if present is not None:
        if (present.bot_id, present.grant_id) != (bot.id, grant_id):
            raise BadRequest(
                "/{name} is offered by another bot.", problem="command-taken", name=name
            )
        if (new.description, parameters) != (present.description, present.parameters):
            changed = {"description": new.description, "parameters": parameters}
            Command.update(tx, present.id, **_stored(changed))
            events.log.announce(tx, CommandsChanged(), to=Everyone())
        return present.id
    if Command.count(tx) >= MAX_COMMANDS:
        raise TooMany("commands", MAX_COMMANDS)
    if Command.count(tx, bot_id=bot.id) >= MAX_OF_BOT:
        raise TooMany("commands of a bot", MAX_OF_BOT)
    everyone = storage.groups.system_ids(tx)["role:everyone"]
    may_use = everyone if new.may_use is None else new.may_use
    command_id = Command.insert(
        tx,
        bot_id=bot.id,
        grant_id=grant_id,
        name=name,
        created_at=tx.now,
        in_direct=new.in_direct,
        **_stored(
            {
                "description": new.description,
                "parameters": parameters,
                "channel_ids": _checked_channels(tx, user, new.channel_ids),
                "may_use": actions.groups.permissions.checked_value(tx, MAY_USE, may_use),
            }
        ),
    )
    events.log.announce(tx, CommandsChanged(), to=Everyone())
    return command_id


def edit(tx: Tx, user: User, command_id: int, changes: CommandChanges) -> None:
    """Change where a command works, and who may use it."""
    user, command = _managed(tx, user, command_id)
    changed: dict[str, object] = {}
    if changes.channel_ids is not None:
        changed["channel_ids"] = _checked_channels(tx, user, changes.channel_ids or None)
    if changes.in_direct is not None:
        changed["in_direct"] = changes.in_direct
    if changes.may_use is not None:
        changed["may_use"] = actions.groups.permissions.checked_value(tx, MAY_USE, changes.may_use)
    if changed:
        Command.update(tx, command.id, **_stored(changed))
        events.log.announce(tx, CommandsChanged(), to=Everyone())


def remove(tx: Tx, user: User, command_id: int) -> None:
    _, command = _managed(tx, user, command_id, by_itself=True)
    _remove(tx, command)


def remove_of_grant(tx: Tx, grant: Grant) -> None:
    """The commands of an agent end with its grant."""
    for each in Command.where(tx, "id", grant_id=grant.id):
        _remove(tx, each)


def _remove(tx: Tx, command: Command) -> None:
    Command.delete(tx, id=command.id)
    events.log.announce(tx, CommandsChanged(), to=Everyone())


def _is_abandoned(tx: Tx, command: Command) -> bool:
    """The name of a bot that is gone is free again."""
    bot = storage.people.users.find(tx, command.bot_id)
    grant = (
        None if command.grant_id is None else storage.people.agents.find_grant(tx, command.grant_id)
    )
    return not is_alive(tx, bot, grant, command.grant_id)


def _offering(tx: Tx, user: User, bot_id: int | None) -> tuple[User, int | None]:
    """The bot that is to offer a command, or the agent's user and its grant."""
    if user.grant is not None:
        return user, user.grant.id
    if user.is_bot and bot_id in (None, user.id):
        bot = user
    elif user.is_bot or bot_id is None:
        raise BadRequest("Name the bot that offers the command.", problem="command-without-bot")
    else:
        bot = actions.people.bots.managed_by(tx, user, bot_id)
    if not bot.is_active or bot.bot_type not in (BotType.GENERIC, BotType.OUTGOING_WEBHOOK):
        raise BadRequest("This bot cannot offer commands.", problem="bot-without-commands")
    return bot, None


def _managed(
    tx: Tx, user: User, command_id: int, *, by_itself: bool = False
) -> tuple[User, Command]:
    """A command of a bot that the user manages. What others may not use, they do not find."""
    user = actions.groups.permissions.current_rights(tx, user)
    command = Command.find(tx, id=command_id)
    if command is None:
        raise CommandNotFound()
    if user.is_admin or (by_itself and user.id == command.bot_id):
        return user, command
    bot = storage.people.users.find(tx, command.bot_id)
    if bot is None or user.id not in (bot.id, bot.bot_owner_id):
        raise CommandNotFound()
    if bot.id == user.id and user.is_bot:
        raise InsufficientPermission()
    return user, command


def _checked_channels(tx: Tx, user: User, channel_ids: Sequence[int] | None) -> list[int] | None:
    if channel_ids is None:
        return None
    lookup = actions.channels.lookups.visible_to
    return sorted({lookup(tx, user, each).id for each in channel_ids})


def _stored(columns: Mapping[str, object]) -> dict[str, object]:
    """Values as JSON where the column holds JSON."""
    stored = dict(columns)
    for name in ("parameters", "channel_ids", "may_use"):
        if stored.get(name) is not None:
            stored[name] = msgspec.json.encode(stored[name]).decode()
    return stored


# --- administration ---


class CommandUse(msgspec.Struct):
    """A command, as administrators see it."""

    command: Annotated[CommandObject, Doc("The command.")]
    may_use: Annotated[int | Members, Doc("Who may use it: a group, or people and groups.")]
    is_active: Annotated[bool, Doc("Whether the bot that offers it is active.")]
    used: Annotated[int, Doc("How often it was called in the last 30 days.")]
    unanswered: Annotated[int, Doc("How many of these calls the bot did not answer.")]


def list_all(tx: Tx, user: User, counts: dict[str, tuple[int, int]]) -> list[CommandUse]:
    """The commands that the user manages: all for administrators."""
    user = actions.groups.permissions.current_rights(tx, user)
    found = Command.where(tx, "name")
    bots = {
        each.id: each
        for each in storage.people.users.find_many(tx, list({each.bot_id for each in found}))
    }
    grants = grants_of(tx, {each.grant_id for each in found if each.grant_id is not None})
    listed = []
    for each in found:
        bot = bots.get(each.bot_id)
        if bot is None or not (user.is_admin or user.id in (bot.id, bot.bot_owner_id)):
            continue
        (shown,) = objects(tx, [(each, each.channel_ids)])
        used, unanswered = counts.get(each.name, (0, 0))
        is_active = is_alive(tx, bot, grants.get(each.grant_id or 0), each.grant_id)
        listed.append(CommandUse(shown, each.permission, is_active, used, unanswered))
    return listed
