"""Interactions: a call of a command, a press of a button or a submitted form, and its answer.

An interaction is `waiting` until a bot has fetched it, and can be taken back until then. It is
`fetched` until the bot has answered it, and `ended` if the bot has not done so within a day. The
values and the private part of the answer are deleted after a day. The log holds only ids.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, PendingInfo, Receipt
from tertulia.features.apps import commands, fields
from tertulia.features.apps.fields import Form
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    BotId,
    ChannelId,
    CreationTime,
    DirectMembers,
    HtmlText,
    MessageId,
    TopicName,
    UserId,
)

PATIENCE_SECONDS = 10  # then the caller is told that the bot has not answered
MAX_SECONDS = 86_400.0
KEPT_SECONDS = 30 * 86_400.0
MAX_OPEN = 50  # interactions of a user that wait for an answer
MAX_LISTED = 100
CLEARED_PER_BATCH = 1000

Kind = Literal["command", "button", "form"]
State = Literal["waiting", "fetched", "answered", "taken_back", "ended"]
OPEN = ("waiting", "fetched")

InteractionId = Annotated[int, Doc("The id of the interaction.", example=31)]

_EMPTY = Draft("", "", 0, "", read_by_sender=False)


class Interaction(Record, frozen=True, table="interaction"):
    id: int
    kind: Kind
    bot_id: int
    grant_id: int | None
    user_id: int
    command_name: str
    message_id: int | None
    choice: str
    parent_id: int | None
    channel_id: int | None
    topic: str
    user_ids: list[int]
    given: dict[str, Any]
    state: State
    created_at: float
    reply: str
    rendered: str
    form: str
    errors: dict[str, str]
    answer_message_id: int | None

    @property
    def asked_form(self) -> Form | None:
        return msgspec.json.decode(self.form, type=Form) if self.form else None

    @property
    def answer_by(self) -> int:
        return int(self.created_at) + PATIENCE_SECONDS


class InteractionNotFound(ClientError):
    status = 404
    message = "Interaction does not exist"
    problem = "interaction-not-found"


class InteractionEnded(ClientError):
    message = "This was taken back, or is over"
    problem = "interaction-ended"


class AlreadyFetched(ClientError):
    message = "The bot already has it"
    problem = "interaction-fetched"


# --- objects and events ---

KindField = Annotated[Kind, Doc("What happened: a command, a button, or a form.")]
CommandName = Annotated[str, Doc("The name of the command; empty for a button of a message.")]
ChoiceId = Annotated[str, Doc("The id of the button, as its bot named it.", example="live")]
Given = Annotated[dict[str, Any], Doc("The values, by the name of the parameter or field.")]
Place = Annotated[
    Literal["direct", "stream", "hidden"],
    Doc("Where it happened: `hidden` where the bot may not read."),
]
ButtonMessage = Annotated[MessageId | None, Doc("The message of the button.")]


class InteractionObject(msgspec.Struct, kw_only=True):
    """What a bot receives."""

    id: InteractionId
    kind: KindField
    bot_id: BotId
    user_id: UserId
    command: CommandName
    button: ChoiceId
    values: Given
    message_id: ButtonMessage
    in_answer_to: Annotated[
        int | None, Doc("Of a form: the interaction whose answer asked for it.")
    ]
    date_created: CreationTime
    message_type: Place
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET
    user_ids: DirectMembers | UnsetType = UNSET


class OwnInteraction(msgspec.Struct, kw_only=True):
    """What the user who called, pressed or submitted sees of it."""

    id: InteractionId
    kind: KindField
    state: Annotated[
        State, Doc("`waiting` can be taken back; `fetched` is with the bot; the others are over.")
    ]
    bot_id: BotId
    command: CommandName
    button: ChoiceId
    message_id: ButtonMessage
    date_created: CreationTime
    answer_by: Annotated[int, Doc("When to tell the user that there is no answer, UNIX seconds.")]
    message_type: Annotated[Literal["direct", "stream"], Doc("Where it happened.")]
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET
    user_ids: DirectMembers | UnsetType = UNSET
    rendered_content: Annotated[HtmlText, Doc("What only the user sees; empty if nothing.")] = ""
    answer_message_id: Annotated[MessageId | None, Doc("The message that the bot sent.")] = None
    form: Annotated[Form | None, Doc("What the bot asks for, if the user has not sent it yet.")] = (
        None
    )
    errors: Annotated[dict[str, str], Doc("What the bot refused, by the name of the field.")] = {}


class InteractionEvent(Event, frozen=True):
    """About one interaction, as it is when the event is read."""

    interaction_id: int
    shown: Any = None

    def completed(self, tx: Tx) -> Event:
        found = Interaction.find(tx, id=self.interaction_id)
        shown = None if found is None else self.object_of(tx, found)
        return msgspec.structs.replace(self, shown=shown)

    def object_of(self, tx: Tx, found: Interaction) -> "InteractionObject | OwnInteraction | None":
        raise NotImplementedError

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.shown is not None:
            wire: Callable[[Any], WireEvent] = self.wires[0]
            yield wire(self.shown)


class InteractionCreated(
    InteractionEvent, frozen=True, kind="interaction", invalidates_permits=False
):
    """For the bot, which gets no event once the use was answered or taken back."""

    class Wire(WireEvent, tag="interaction"):
        interaction: Annotated[InteractionObject, Doc("What happened.")]

    def object_of(self, tx: Tx, found: Interaction) -> InteractionObject | None:
        return for_bot(tx, found) if found.state in OPEN else None

    def about(self) -> PendingInfo:
        return PendingInfo(receipt=Receipt(self.interaction_id, fetch))


class InteractionChanged(
    InteractionEvent, frozen=True, kind="interaction_update", invalidates_permits=False
):
    """For the user: the bot has it, or has answered."""

    class Wire(WireEvent, tag="interaction_update"):
        interaction: Annotated[OwnInteraction, Doc("The interaction as it is now.")]

    def object_of(self, tx: Tx, found: Interaction) -> OwnInteraction:
        return for_user(tx, found)


def for_bot(tx: Tx, found: Interaction) -> InteractionObject:
    """Where it happened is left out if the bot may not read there."""
    bot = storage.people.users.find(tx, found.bot_id)
    place: dict[str, Any] = {"message_type": "hidden"}
    if bot is not None and may_read_place(tx, acting(tx, bot, found.grant_id), found):
        place = _place(found)
    return InteractionObject(
        id=found.id,
        kind=found.kind,
        bot_id=found.bot_id,
        user_id=found.user_id,
        command=found.command_name,
        button=found.choice,
        values=found.given,
        message_id=found.message_id,
        in_answer_to=found.parent_id,
        date_created=int(found.created_at),
        **place,
    )


def for_user(tx: Tx, found: Interaction) -> OwnInteraction:
    is_sent = bool(found.form) and Interaction.exists(tx, parent_id=found.id)
    return OwnInteraction(
        id=found.id,
        kind=found.kind,
        state=found.state,
        bot_id=found.bot_id,
        command=found.command_name,
        button=found.choice,
        message_id=found.message_id,
        date_created=int(found.created_at),
        answer_by=found.answer_by,
        rendered_content=found.rendered,
        answer_message_id=found.answer_message_id,
        form=None if is_sent else found.asked_form,
        errors={} if is_sent else found.errors,
        **_place(found),
    )


def _place(found: Interaction) -> dict[str, Any]:
    if found.channel_id is None:
        return {"message_type": "direct", "user_ids": found.user_ids}
    return {"message_type": "stream", "stream_id": found.channel_id, "topic": found.topic}


def may_read_place(tx: Tx, bot: User, found: Interaction) -> bool:
    if found.channel_id is None:
        return bot.id in found.user_ids and (bot.grant is None or bot.grant.direct_messages)
    channel = storage.channels.table.find(tx, found.channel_id)
    return channel is not None and actions.channels.lookups.may_read(tx, bot, channel)


def acting(tx: Tx, bot: User, grant_id: int | None) -> User:
    """The bot, or the user with the grant of the agent."""
    grant = None if grant_id is None else storage.people.agents.find_grant(tx, grant_id)
    return domain.people.agents.acting_for(bot, grant)


# --- what users do ---


def call(
    tx: Tx,
    user: User,
    command_id: int,
    to: ChannelDestination | PeopleDestination,
    values: dict[str, Any],
    key: str | None,
) -> OwnInteraction:
    """Call a command. A repeated call with the same key calls nothing."""
    user = actions.groups.permissions.current_rights(tx, user)
    if key is not None:
        earlier = Interaction.find(tx, user_id=user.id, user_key=key)
        if earlier is not None:
            return for_user(tx, earlier)
    place = _checked_place(tx, user, to)
    command = commands.usable(tx, user, command_id)
    channel = (
        None
        if place["channel_id"] is None
        else storage.channels.table.find(tx, place["channel_id"])
    )
    if not command.is_offered_in(channel):
        raise BadRequest(
            "/{name} does not work here.", problem="command-elsewhere", name=command.name
        )
    given = fields.checked_values(tx, user, command.parameters, values)
    return create(
        tx,
        user,
        kind="command",
        bot_id=command.bot_id,
        grant_id=command.grant_id,
        command_name=command.name,
        given=given,
        user_key=key,
        **place,
    )


def submit(tx: Tx, user: User, interaction_id: int, values: dict[str, Any]) -> OwnInteraction:
    """Send a form. A repeated call sends nothing."""
    asked = _own(tx, user, interaction_id)
    earlier = Interaction.find(tx, parent_id=asked.id)
    if earlier is not None:
        return for_user(tx, earlier)
    form = asked.asked_form
    if form is None:
        raise InteractionEnded()
    bot = storage.people.users.find(tx, asked.bot_id)
    if bot is None or not bot.is_active:
        raise BadRequest("The bot is gone.", problem="bot-gone")
    given = fields.checked_values(tx, user, form.fields, values)
    created = create(
        tx,
        user,
        kind="form",
        bot_id=asked.bot_id,
        grant_id=asked.grant_id,
        command_name=asked.command_name,
        message_id=asked.message_id,
        choice=asked.choice,
        parent_id=asked.id,
        given=given,
        channel_id=asked.channel_id,
        topic=asked.topic,
        user_ids=asked.user_ids,
    )
    announce_change(tx, asked)
    return created


def dismiss(tx: Tx, user: User, interaction_id: int) -> None:
    """Take back what no bot has fetched, or close a form without sending it."""
    found = _own(tx, user, interaction_id)
    if found.state == "taken_back":
        return
    if found.state == "answered" and found.form:
        Interaction.update(tx, found.id, form="")
    elif found.state == "waiting":
        Interaction.update(tx, found.id, state="taken_back", given={})
        tx.delete("outbox", interaction_id=found.id)
        release(tx, found)
    elif found.state == "fetched":
        raise AlreadyFetched()
    else:
        raise InteractionEnded()
    announce_change(tx, found)


def create(tx: Tx, user: User, **columns: Any) -> OwnInteraction:
    """Store an interaction and deliver it to its bot."""
    if Interaction.count(tx, user_id=user.id, state=list(OPEN)) >= MAX_OPEN:
        raise TooMany("calls without an answer", MAX_OPEN)
    number = Interaction.insert(tx, user_id=user.id, state="waiting", created_at=tx.now, **columns)
    bot = storage.people.users.find(tx, columns["bot_id"])
    if bot is not None and bot.bot_type is BotType.OUTGOING_WEBHOOK:
        storage.outbox.insert(tx, "interaction", bot.id, interaction_id=number)
    else:
        events.log.announce(tx, InteractionCreated(number), to=Users([columns["bot_id"]]))
    created = Interaction.find(tx, id=number)
    assert created is not None
    return for_user(tx, created)


def list_own(tx: Tx, user: User) -> list[OwnInteraction]:
    """Those without an answer, and those whose form was not sent."""
    found = Interaction.all(
        tx,
        "user_id = :user AND (state IN :open OR form <> '') ORDER BY id DESC LIMIT :limit",
        user=user.id,
        open=list(OPEN),
        limit=MAX_LISTED,
    )
    shown = [for_user(tx, each) for each in reversed(found)]
    return [each for each in shown if each.state in OPEN or each.form is not None]


def _own(tx: Tx, user: User, interaction_id: int) -> Interaction:
    user = actions.groups.permissions.current_rights(tx, user)
    found = Interaction.find(tx, id=interaction_id, user_id=user.id)
    if found is None or user.grant is not None:
        raise InteractionNotFound()
    return found


def _checked_place(
    tx: Tx, user: User, to: ChannelDestination | PeopleDestination
) -> dict[str, Any]:
    """Where the user may write."""
    checks = actions.messages.send_checks
    if isinstance(to, ChannelDestination):
        channel = checks.check_to_channel(tx, user, to.where, to.topic, _EMPTY).channel
        return {"channel_id": channel.id, "topic": to.topic, "user_ids": []}
    members = checks.check_to_people(tx, user, to.recipients, _EMPTY, to.email_domain).members
    return {"channel_id": None, "topic": "", "user_ids": sorted(members)}


# --- buttons: what is shown of a press to all readers ---


def release(tx: Tx, found: Interaction) -> None:
    """Show that a press was taken back, or will not be answered."""
    if found.kind == "button" and found.message_id is not None:
        add_part(tx, found.message_id, found.user_id, domain.messages.widgets.Release(found.id))


def add_part(tx: Tx, message_id: int, user_id: int, part: msgspec.Struct) -> None:
    message = storage.messages.table.find(tx, message_id)
    if message is None:
        return
    content = msgspec.json.encode(part).decode()
    widget = domain.messages.widgets
    number = storage.messages.submessages.insert(tx, message_id, user_id, widget.WIDGET, content)
    events.log.announce(
        tx, events.types.messages.submessages.SubmessageAdded(number), to=_holders(tx, message)
    )


def _holders(tx: Tx, message: Message) -> Any:
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    return actions.messages.access.holders(tx, message, channel)


# --- what bots do ---


class BotAnswer(msgspec.Struct, frozen=True):
    """What a bot answers: a message or a line for the user alone, a form, what was wrong in a form,
    or a streamed answer. All of it empty only ends the waiting."""

    draft: Draft | None = None
    only_you: bool = False
    form: Form | None = None
    errors: dict[str, str] = {}


def fetch(tx: Tx, ids: Sequence[int]) -> list[int]:
    """Record that the bot has them. Returns those that it is to handle."""
    open_ones = Interaction.where(tx, "id", id=list(ids), state=list(OPEN))
    for each in open_ones:
        if each.state == "waiting":
            Interaction.update(tx, each.id, state="fetched", fetched_at=tx.now)
            announce_change(tx, each)
    return [each.id for each in open_ones]


def take_waiting(tx: Tx, bot: User) -> list[InteractionObject]:
    """What the bot has to handle, oldest first. From now on the users cannot take it back."""
    bot = actions.groups.permissions.current_rights(tx, bot)
    grant_id = None if bot.grant is None else bot.grant.id
    waiting = Interaction.where(tx, "id", bot_id=bot.id, state=list(OPEN))
    found = [each for each in waiting if each.grant_id == grant_id][:MAX_LISTED]
    kept = set(fetch(tx, [each.id for each in found]))
    return [for_bot(tx, each) for each in found if each.id in kept]


def answer(
    tx: Tx, bot: User, interaction_id: int, given: BotAnswer, email_domain: str
) -> int | None:
    """Answer once; a repeated call changes nothing. Returns the id of the message, if one was sent.

    The bot needs its own permission to write where the user called it. Where it may not even read,
    only the user sees what it writes.
    """
    bot = actions.groups.permissions.current_rights(tx, bot)
    found = find_for(tx, bot, interaction_id)
    if found.state == "answered":
        return found.answer_message_id
    if found.state not in OPEN:
        raise InteractionEnded()
    columns: dict[str, Any] = {"state": "answered", "answered_at": tx.now}
    if found.state == "waiting":
        columns["fetched_at"] = tx.now
    form = given.form
    if given.errors:
        form = _form_again(tx, found, given.errors)
        columns["errors"] = given.errors
    if form is not None:
        columns["form"] = msgspec.json.encode(fields.checked_form(form)).decode()
    message_id = None
    if given.draft is not None:
        if given.only_you or not may_read_place(tx, bot, found):
            columns |= {"reply": given.draft.content, "rendered": given.draft.rendered}
        else:
            message_id = _post(tx, bot, found, given.draft, email_domain)
            columns["answer_message_id"] = message_id
    Interaction.update(tx, found.id, **columns)
    tx.delete("outbox", interaction_id=found.id)
    announce_change(tx, found)
    return message_id


def find_for(tx: Tx, bot: User, interaction_id: int) -> Interaction:
    grant_id = None if bot.grant is None else bot.grant.id
    found = Interaction.find(tx, id=interaction_id, bot_id=bot.id)
    if found is None or found.grant_id != grant_id:
        raise InteractionNotFound()
    return found


def _form_again(tx: Tx, found: Interaction, errors: dict[str, str]) -> Form:
    """The form whose values the bot refuses, to be corrected."""
    asked = None if found.parent_id is None else Interaction.find(tx, id=found.parent_id)
    form = None if asked is None else asked.asked_form
    if form is None or errors.keys() - {each.name for each in form.fields}:
        raise BadRequest("`errors` must name fields of a submitted form.", problem="field-invalid")
    return form


def _post(tx: Tx, bot: User, found: Interaction, draft: Draft, email_domain: str) -> int:
    send = actions.messages.send
    if found.channel_id is not None:
        return send.to_channel(tx, bot, found.channel_id, found.topic, draft).message_id
    return send.to_people(tx, bot, found.user_ids, draft, email_domain).message_id


def announce_change(tx: Tx, found: Interaction) -> None:
    events.log.announce(tx, InteractionChanged(found.id), to=Users([found.user_id]))


# --- the end ---


_EMPTIED = "given = '{}', reply = '', rendered = '', form = '', errors = '{}'"
_HAS_CONTENT = "given <> '{}' OR reply <> '' OR rendered <> '' OR form <> '' OR errors <> '{}'"


def end_old(tx: Tx) -> bool:
    """End what no bot has answered within a day, and delete its contents. Returns whether there is
    more."""
    before = tx.now - MAX_SECONDS
    late = Interaction.all(
        tx,
        "state IN :open AND created_at < :before ORDER BY id LIMIT :limit",
        open=list(OPEN),
        before=before,
        limit=CLEARED_PER_BATCH,
    )
    for each in late:
        tx.delete("outbox", interaction_id=each.id)
        end_unanswered(tx, each.id)
    cleared = tx.execute(
        f"UPDATE interaction SET {_EMPTIED} WHERE realm_id = :realm AND id IN (SELECT id"
        f" FROM interaction WHERE realm_id = :realm AND created_at < :before AND ({_HAS_CONTENT})"
        " LIMIT :limit)",
        before=before,
        limit=CLEARED_PER_BATCH,
    )
    gone = tx.execute(
        "DELETE FROM interaction WHERE realm_id = :realm AND id IN (SELECT id FROM interaction"
        " WHERE realm_id = :realm AND kind <> 'button' AND created_at < :before LIMIT :limit)",
        before=tx.now - KEPT_SECONDS,
        limit=CLEARED_PER_BATCH,
    )
    return CLEARED_PER_BATCH in (len(late), cleared, gone)


def end_unanswered(tx: Tx, interaction_id: int) -> None:
    """End an interaction that its webhook could not be given."""
    found = Interaction.find(tx, id=interaction_id)
    if found is not None and found.state in OPEN:
        Interaction.update(tx, found.id, state="ended")
        release(tx, found)
        announce_change(tx, found)


def realms_with_old(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT DISTINCT realm_id FROM interaction WHERE created_at < :before"
        f" AND (state IN ('waiting', 'fetched') OR {_HAS_CONTENT}"
        " OR (kind <> 'button' AND created_at < :kept))",
        before=tx.now - MAX_SECONDS,
        kept=tx.now - KEPT_SECONDS,
    )


def end_with_grant(tx: Tx, grant: Grant) -> None:
    """What an agent has not answered ends with its grant."""
    for each in Interaction.where(tx, "id", grant_id=grant.id, state=list(OPEN)):
        Interaction.update(tx, each.id, state="ended")
        announce_change(tx, each)
    tx.execute(
        "UPDATE interaction SET grant_id = NULL WHERE grant_id = :grant AND realm_id = :realm",
        grant=grant.id,
    )
    commands.remove_of_grant(tx, grant)


def counts(tx: Tx, names: Collection[str]) -> dict[str, tuple[int, int]]:
    """How often commands were called in the last 30 days, and how often without an answer."""
    found = tx.tuples(
        "SELECT command_name, count(*), sum(CASE WHEN state = 'ended' OR (state <> 'answered'"
        " AND state <> 'taken_back' AND created_at < :late) THEN 1 ELSE 0 END)"
        " FROM interaction WHERE realm_id = :realm AND kind = 'command' AND created_at > :since"
        " GROUP BY command_name",
        since=tx.now - KEPT_SECONDS,
        late=tx.now - PATIENCE_SECONDS,
    )
    return {name: (used, int(unanswered)) for name, used, unanswered in found if name in names}
