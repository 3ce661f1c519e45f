"""The endpoints of commands, buttons and forms."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from tertulia import actions, api, domain
from tertulia.api.call import Call, Services
from tertulia.api.messages.send import PlaceKind, PlaceTo, PlaceTopic
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.messages.widgets import MAX_BUTTONS, FormChoice
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import AnswerNotFound
from tertulia.features.apps import buttons, commands, interactions
from tertulia.features.apps.commands import (
    ChannelIds,
    CommandChanges,
    CommandId,
    CommandObject,
    CommandUse,
    Description,
    InDirect,
    MayUse,
    NewCommand,
    Parameters,
)
from tertulia.features.apps.fields import Form
from tertulia.features.apps.interactions import (
    BotAnswer,
    ChoiceId,
    InteractionId,
    InteractionNotFound,
    InteractionObject,
    OwnInteraction,
)
from tertulia.features.apps.webhooks import (
    InteractionAnswer,
    InteractionCall,
    InteractionSender,
)
from tertulia.features.feature import Feature
from tertulia.http.openapi import SentRequest
from tertulia.http.parameter_rules import Example, MaxItems, MaxLength, NoNul
from tertulia.http.replies import Reply, Url
from tertulia.jobs.housekeeping import with_pause
from tertulia.jobs.runner import Job, leader_job
from tertulia.wire import Doc
from tertulia.wire_fields import BotId, MessageId

MAX_KEY_LENGTH = 100

Values = Annotated[
    dict[str, Any], Doc("The values, by the name of the parameter or field.", example={})
]


class CommandList(Reply):
    commands: Annotated[list[CommandObject], Doc("The commands that the caller may use, by name.")]


class ManagedCommands(Reply):
    commands: Annotated[list[CommandUse], Doc("The commands that the caller manages, by name.")]


class RegisteredCommand(Reply):
    command_id: CommandId


class InteractionReply(Reply):
    interaction: Annotated[OwnInteraction, Doc("What was sent to the bot.")]


class InteractionList(Reply):
    interactions: Annotated[
        list[OwnInteraction], Doc("What is not answered, and what has a form to fill in.")
    ]


class FetchedInteractions(Reply):
    interactions: Annotated[list[InteractionObject], Doc("What is to be handled, oldest first.")]


class AnswerReply(Reply):
    message_id: Annotated[MessageId | None, Doc("The message that was sent; null if none was.")]


class FileLink(Reply):
    url: Url


# --- commands ---


async def list_commands(call: Call) -> CommandList:
    """List the commands that the caller may use."""
    return CommandList(commands=await call.db.read(commands.list_usable, call.user))


async def list_managed(call: Call) -> ManagedCommands:
    """List the commands of the caller's bots, for administrators those of all, with their use."""
    return ManagedCommands(commands=await call.db.read(_managed, call.user))


def _managed(tx: Tx, user: User) -> list[CommandUse]:
    names = [each.name for each in commands.Command.where(tx, "name")]
    return commands.list_all(tx, user, interactions.counts(tx, names))


async def register(
    call: Call,
    *,
    name: commands.Name,
    description: Description,
    parameters: Annotated[Parameters | None, Example([{"name": "version", "type": "text"}])] = None,
    bot_id: Annotated[
        BotId | None, Doc("The bot that offers it; a bot leaves it out."), Example(25)
    ] = None,
    channel_ids: ChannelIds | None = None,
    in_direct: InDirect = True,
    may_use: MayUse | None = None,
) -> RegisteredCommand:
    """Offer a command. Its bot describes it anew by the same call, for example at each start; where
    it works and who may use it then stays as it is."""
    _check_texts(description, parameters or [])
    new = NewCommand(name, description, parameters or [], channel_ids, in_direct, may_use)
    return RegisteredCommand(
        command_id=await call.db.write(commands.register, call.user, bot_id, new)
    )


async def edit(
    call: Call,
    command_id: CommandId,
    *,
    channel_ids: ChannelIds | None = None,
    in_direct: Annotated[InDirect | None, Example(False)] = None,
    may_use: MayUse | None = None,
) -> None:
    """Change where a command works and who may use it; an empty list means all channels."""
    changes = CommandChanges(channel_ids, in_direct, may_use)
    await call.db.write(commands.edit, call.user, command_id, changes)


async def remove(call: Call, command_id: CommandId) -> None:
    """Remove a command."""
    await call.db.write(commands.remove, call.user, command_id)


async def call_command(
    call: Call,
    command_id: CommandId,
    *,
    kind: PlaceKind,
    to: PlaceTo,
    topic: PlaceTopic | None = None,
    values: Annotated[Values | None, Example({"version": "2026.11"})] = None,
    key: Annotated[
        str, MaxLength(MAX_KEY_LENGTH), NoNul, Doc("A key: a repeated call with it calls nothing.")
    ]
    | None = None,
) -> InteractionReply:
    """Call a command."""
    domain.names.check(key or "", "key")
    where = api.messages.send.destination_of(call, kind, to, topic)
    made = await call.db.write(
        interactions.call, call.user, command_id, where, values or {}, key or None
    )
    return InteractionReply(interaction=made)


def _check_texts(description: str, parameters: Parameters) -> None:
    """Names that are shown to people must not be misleading."""
    domain.names.check(description, "description")
    for each in parameters:
        domain.names.check(each.name, "parameters")
        domain.names.check(each.label, "parameters")


# --- buttons and forms ---


async def press(
    call: Call,
    message_id: MessageId,
    *,
    button: Annotated[ChoiceId, MaxLength(MAX_KEY_LENGTH), NoNul],
) -> InteractionReply:
    """Press a button of a message. A repeated press changes nothing."""
    made = await call.db.write(buttons.press, call.user, message_id, button)
    return InteractionReply(interaction=made)


async def replace_buttons(
    call: Call,
    message_id: MessageId,
    *,
    choices: Annotated[
        list[FormChoice],
        MaxItems(MAX_BUTTONS),
        Doc(
            "The buttons, as in `widget_content`; one that is `disabled` cannot be pressed.",
            example=[{"id": "a", "short_name": "A", "long_name": "Again", "reply": "again"}],
        ),
    ],
    heading: Annotated[
        str, MaxLength(domain.limits.MAX_MESSAGE_LENGTH), NoNul, Doc("The line above the buttons.")
    ]
    | None = None,
) -> None:
    """Change the buttons of one's own message, or turn some off."""
    domain.names.check(heading or "", "heading")
    await call.db.write(buttons.replace, call.user, message_id, choices, heading)


async def submit(call: Call, interaction_id: InteractionId, *, values: Values) -> InteractionReply:
    """Send a form that a bot asked for. A repeated call sends nothing."""
    made = await call.db.write(interactions.submit, call.user, interaction_id, values)
    return InteractionReply(interaction=made)


async def dismiss(call: Call, interaction_id: InteractionId) -> None:
    """Take back what no bot has fetched yet, or close a form without sending it."""
    await call.db.write(interactions.dismiss, call.user, interaction_id)


# --- for bots ---


async def list_own(call: Call) -> InteractionList:
    """List the caller's interactions that are not answered, or whose form was not sent."""
    return InteractionList(interactions=await call.db.read(interactions.list_own, call.user))


async def fetch(call: Call) -> FetchedInteractions:
    """Fetch what the bot has not answered, also from before its queue was opened. From now on it
    cannot be taken back."""
    found = await call.db.write(interactions.take_waiting, call.user)
    return FetchedInteractions(interactions=found)


async def answer(
    call: Call,
    interaction_id: InteractionId,
    *,
    content: Annotated[
        str,
        MaxLength(domain.limits.MAX_MESSAGE_LENGTH),
        NoNul,
        Doc("A message to the place of the call, in Markdown."),
        Example("It is live."),
    ] = "",
    only_you: Annotated[bool, Doc("Whether only the person sees the content.")] = False,
    form: Annotated[Form | None, Doc("A form that the person is asked to fill in.")] = None,
    errors: Annotated[
        dict[str, Annotated[str, MaxLength(MAX_KEY_LENGTH * 3), NoNul]],
        Doc("What is wrong with a submitted form, by the name of the field."),
    ]
    | None = None,
    widget_content: Annotated[
        dict[str, Any] | None, Doc("A widget of the message, for example buttons.")
    ] = None,
    answer_token: Annotated[
        str,
        MaxLength(domain.messages.answers.MAX_TOKEN_LENGTH),
        Doc("The streamed answer that the bot has started."),
    ]
    | None = None,
) -> AnswerReply:
    """BotAnswer: with a message, with a line that only the person sees, with a form, or with a
    streamed answer. Without any of it, the waiting ends. A repeated call changes nothing."""
    if answer_token is not None:
        streamed = domain.messages.answers.from_token(call.vault, answer_token)
        if streamed is None or streamed.bot_id != call.user.id:
            raise AnswerNotFound()
    if widget_content is not None and (only_you or not content):
        raise BadRequest("A widget needs a message that all can see.", problem="widget-invalid")
    draft = None
    if content.strip():
        draft = await actions.messages.draft.compose(
            call.author, content, call.client, True, widget_content
        )
    given = BotAnswer(draft, only_you, form, errors or {})
    message_id = await call.db.write(
        interactions.answer, call.user, interaction_id, given, call.org.email_domain
    )
    return AnswerReply(message_id=message_id)


async def file_link(
    call: Call,
    interaction_id: InteractionId,
    field: Annotated[str, MaxLength(MAX_KEY_LENGTH), Doc("The name of the field.", example="plan")],
) -> FileLink:
    """Get a link to a file of a submitted form that works for one minute without a login."""
    path_id = await call.db.read(_file_of, call.user, interaction_id, field)
    return FileLink(url=api.files.uploads.temporary_url(call.vault, path_id, call.now))


def _file_of(tx: Tx, bot: User, interaction_id: int, field: str) -> str:
    found = interactions.find_for(tx, bot, interaction_id)
    asked = (
        None if found.parent_id is None else interactions.Interaction.find(tx, id=found.parent_id)
    )
    form = None if asked is None else asked.asked_form
    is_file = form is not None and any(
        each.name == field and each.type == "file" for each in form.fields
    )
    value = found.given.get(field)
    if not is_file or not isinstance(value, str):
        raise InteractionNotFound()
    return value.removeprefix("/user_uploads/")


# --- what the feature adds ---


async def end_old(database: Database) -> None:
    for realm_id in await database.of(0).read(interactions.realms_with_old):
        while await with_pause(database.of(realm_id).write(interactions.end_old)):
            pass


def _jobs(services: Services) -> Iterator[Job]:
    yield leader_job("old interactions", 600, partial(end_old, services.database))


FEATURE = Feature(
    audit={"bots": ["% /commands%"]},
    jobs=_jobs,
    add_senders=lambda services, outbox: outbox.add(InteractionSender(services, outbox)),
    before_end_of_grant=interactions.end_with_grant,
    sent_requests=[
        SentRequest(
            "interaction",
            "What an outgoing webhook is sent when its command, button or form was used, and what"
            " it answers",
            InteractionCall,
            InteractionAnswer,
        )
    ],
)
