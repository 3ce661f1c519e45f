"""Bots: creating, listing, changing and deactivating them, and their keys."""

from typing import Annotated, Any

from tertulia import actions, domain, events, storage
from tertulia.actions.people.bots import BotChanges, Defaults, NewBot
from tertulia.api.call import Call
from tertulia.api.people import avatars
from tertulia.database.tx import Tx
from tertulia.domain.people.bots import USUAL_INTERFACE, Bot
from tertulia.domain.people.user import BotType, Role, User
from tertulia.errors import BadRequest
from tertulia.events.types.people.bots import (
    BotObject,
    DefaultAllPublicStreams,
    DefaultEventsRegisterStream,
    DefaultSendingStream,
)
from tertulia.http.forms import Files
from tertulia.http.parameter_rules import (
    BareOrJson,
    Example,
    Id,
    MaxLength,
    NoNul,
    OneOf,
    WebAddress,
)
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import AccountKey, BotId, FullName, PictureUrl

Text = Annotated[str, MaxLength(1000), NoNul]
FullNameValue = Annotated[Text, Doc("The full name.", example="Ana Ruiz")]
SendingStream = Annotated[DefaultSendingStream, MaxLength(1000), NoNul]
RegisterStream = Annotated[DefaultEventsRegisterStream, MaxLength(1000), NoNul]
Address = Annotated[
    str,
    MaxLength(domain.limits.MAX_WEB_ADDRESS_LENGTH),
    WebAddress,
    BareOrJson,
    Doc("The URL of an outgoing webhook."),
]
Config = Annotated[
    dict[str, Annotated[str, MaxLength(domain.limits.MAX_BOT_CONFIG_LENGTH), NoNul]],
    Doc("The configuration of the bot, texts by name."),
]


InterfaceType = Annotated[int, Doc("The format of an outgoing webhook: 1 Zulip, 2 Slack.")]


class BotDefaults(Reply, kw_only=True):
    default_sending_stream: DefaultSendingStream | None
    default_events_register_stream: DefaultEventsRegisterStream | None
    default_all_public_streams: DefaultAllPublicStreams


class CreatedBot(BotDefaults, kw_only=True):
    user_id: BotId
    api_key: AccountKey
    avatar_url: PictureUrl | None


class OwnBot(BotDefaults, kw_only=True):
    username: Annotated[str, Doc("The email address of the bot.")]
    full_name: FullName
    api_key: AccountKey
    avatar_url: PictureUrl | None


class OwnBots(Reply):
    bots: Annotated[list[OwnBot], Doc("The bots that the caller owns.")]


class ChangedBot(BotDefaults, kw_only=True):
    full_name: FullName
    avatar_url: PictureUrl | None
    service_interface: Annotated[int, Doc("The format of the webhook: 1 Zulip, 2 Slack.")]
    service_payload_url: Annotated[str | None, Doc("The URL of the webhook.")]
    config_data: Annotated[
        dict[str, str] | None, Doc("The configuration of the bot, texts by name.")
    ]
    bot_owner: Annotated[str | None, Doc("The email address of the bot's owner.")]


class Key(Reply):
    api_key: AccountKey


async def list_own(call: Call) -> OwnBots:
    """List the caller's active bots, with their API keys."""
    found = await call.db.read(_read_own, call.user)
    shown = []
    for account, bot, sealed in found:
        body = events.types.people.bots.bot_object(call.org, bot, call.user.id)
        shown.append(
            OwnBot(
                username=account.email,
                full_name=account.full_name,
                api_key=call.vault.unseal(sealed),
                avatar_url=events.types.people.user.avatar_url(
                    call.org, account, client_gravatar=False
                ),
                **_defaults(body),
            )
        )
    return OwnBots(bots=shown)


async def create(
    call: Call,
    *,
    full_name: Annotated[FullNameValue, Example("Helper")],
    short_name: Annotated[Text, Doc("The local part of the bot's address.", example="helper")],
    bot_type: Annotated[
        int,
        Doc("The type of the bot: 1 generic, 2 incoming webhook, 3 outgoing webhook."),
        Example(1),
    ] = int(BotType.GENERIC),
    payload_url: Address = "",
    interface_type: InterfaceType = USUAL_INTERFACE,
    config_data: Config | None = None,
    default_sending_stream: SendingStream | None = None,
    default_events_register_stream: RegisterStream | None = None,
    default_all_public_streams: DefaultAllPublicStreams | None = None,
    files: Files,
) -> CreatedBot:
    """Create a bot."""
    new = NewBot(
        full_name=full_name,
        short_name=short_name,
        bot_type=domain.people.bots.checked_bot_type(bot_type),
        service_url=payload_url,
        interface=domain.people.bots.checked_interface(interface_type),
        defaults=Defaults(
            default_sending_stream, default_events_register_stream, default_all_public_streams
        ),
        config=_checked_config(config_data or {}),
        avatar=await avatars.uploaded(call, files),
    )
    account, key = await call.db.write(
        actions.people.bots.create, call.vault, call.user, new, call.org.email_domain
    )
    bot = await call.db.read(storage.people.bots.find, account.id)
    return CreatedBot(
        user_id=account.id,
        api_key=key,
        avatar_url=events.types.people.user.avatar_url(
            call.org, call.org.users[account.id], client_gravatar=False
        ),
        **_defaults(events.types.people.bots.bot_object(call.org, bot, call.user.id)),
    )


async def edit(
    call: Call,
    bot_id: BotId,
    *,
    full_name: Annotated[FullNameValue | None, Example("Helper")] = None,
    role: Annotated[
        int,
        OneOf([int(each) for each in Role]),
        Doc("The role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest."),
    ]
    | None = None,
    bot_owner_id: Annotated[Id | None, Doc("The id of the new owner of the bot.")] = None,
    service_payload_url: Address | None = None,
    service_interface: InterfaceType | None = None,
    config_data: Config | None = None,
    default_sending_stream: SendingStream | None = None,
    default_events_register_stream: RegisterStream | None = None,
    default_all_public_streams: DefaultAllPublicStreams | None = None,
    files: Files,
) -> ChangedBot:
    """Change a bot; with a new owner it gets a new API key."""
    changes = BotChanges(
        full_name=full_name,
        role=None if role is None else Role(role),
        owner_id=bot_owner_id,
        service_url=service_payload_url,
        interface=None
        if service_interface is None
        else domain.people.bots.checked_interface(service_interface),
        defaults=Defaults(
            default_sending_stream, default_events_register_stream, default_all_public_streams
        ),
        config=None if config_data is None else _checked_config(config_data),
        avatar=await avatars.uploaded(call, files),
    )
    await call.db.write(actions.people.bots.edit, call.vault, call.user, bot_id, changes)
    bot = await call.db.read(storage.people.bots.find, bot_id)
    account = call.org.users[bot_id]
    owner = None if account.bot_owner_id is None else call.org.users[account.bot_owner_id]
    return ChangedBot(
        full_name=account.full_name,
        avatar_url=events.types.people.user.avatar_url(call.org, account, client_gravatar=False),
        service_interface=USUAL_INTERFACE if bot.service is None else bot.service.interface,
        service_payload_url=None if bot.service is None else bot.service.url,
        config_data=bot.config or None,
        bot_owner=None if owner is None else owner.api_email(call.org.email_domain),
        **_defaults(events.types.people.bots.bot_object(call.org, bot, call.user.id)),
    )


async def deactivate(call: Call, bot_id: BotId) -> None:
    """Deactivate a bot."""
    await call.db.write(actions.people.bots.deactivate, call.user, bot_id)


async def key(call: Call, bot_id: BotId) -> Key:
    """Get the API key of a bot."""
    # A write, because reading a key leaves an entry in the audit log.
    sealed = await call.db.write(actions.people.bots.sealed_key, call.user, bot_id)
    return Key(api_key=call.vault.unseal(sealed))


async def regenerate_key(call: Call, bot_id: BotId) -> Key:
    """Replace the API key of a bot; the old key and its event queues end at once."""
    api_key = await call.db.write(actions.people.bots.reset_key, call.vault, call.user, bot_id)
    return Key(api_key=api_key)


def _read_own(tx: Tx, user: User) -> list[tuple[User, Bot, bytes]]:
    own = storage.people.users.active_bots_of(tx, user.id)
    ids = [account.id for account in own]
    keys = storage.people.bots.sealed_keys(tx, ids)
    return [
        (account, bot, keys[account.id])
        for account, bot in zip(own, storage.people.bots.find_many(tx, ids), strict=True)
    ]


def _defaults(bot: BotObject) -> dict[str, Any]:
    return {name: getattr(bot, name) for name in BotDefaults.__struct_fields__}


def _checked_config(config: dict[str, str]) -> dict[str, str]:
    limit = domain.limits.MAX_BOT_CONFIG_ENTRIES
    if len(config) > limit:
        raise BadRequest(f"config_data is too long (limit: {limit} items)")
    if any(len(name) > domain.limits.MAX_BOT_CONFIG_LENGTH or "\0" in name for name in config):
        raise BadRequest("Invalid configuration data!")
    return config
