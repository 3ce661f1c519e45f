"""Bots in API format for their managers, and their events.

The log holds only the id of a bot: the token of its service is in no log.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.bots import Bot
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, UserEvent
from tertulia.events.types.people import user
from tertulia.events.types.people.user import PersonUpdate
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import BotId

DefaultAllPublicStreams = Annotated[
    bool, Doc("Whether queues of the bot get events of all public channels by default.")
]
DefaultEventsRegisterStream = Annotated[
    str, Doc("The channel that queues of the bot use by default.")
]
DefaultSendingStream = Annotated[str, Doc("The channel that the bot posts to by default.")]


class ServiceObject(msgspec.Struct):
    base_url: Annotated[str, Doc("The URL that gets the messages.")]
    interface: Annotated[int, Doc("The format of the requests: 1 generic, 2 Slack's.")]
    token: Annotated[str, Doc("The token that proves to the service where a request is from.")]


class BotObject(msgspec.Struct):
    user_id: BotId
    default_sending_stream: DefaultSendingStream | None
    default_events_register_stream: DefaultEventsRegisterStream | None
    default_all_public_streams: DefaultAllPublicStreams
    services: Annotated[list[ServiceObject], Doc("The outgoing webhook of the bot.")]


def bot_object(org: Organization, bot: Bot, viewer_id: int) -> BotObject:
    """A bot for its owner or an administrator."""
    service = bot.service
    return BotObject(
        user_id=bot.user_id,
        default_sending_stream=channel_name(org, bot.sending_channel_id, viewer_id),
        default_events_register_stream=channel_name(org, bot.listening_channel_id, viewer_id),
        default_all_public_streams=bot.all_public_channels,
        services=[]
        if service is None
        else [ServiceObject(service.url, service.interface, service.token)],
    )


def channel_name(org: Organization, channel_id: int | None, viewer_id: int) -> str | None:
    """The name of a bot's channel; None if the viewer may not see the channel."""
    if channel_id is None or not org.may_see(viewer_id, channel_id):
        return None
    return org.channels[channel_id].name


class BotsAdded(Event, frozen=True, kind="bots_added"):
    """A user manages bots from now on, because the bots are new or were transferred."""

    user_ids: list[int]
    bots: list[Bot] = []

    class Wire(WireEvent, tag="realm_bot"):
        op: Literal["add"]
        bot: Annotated[BotObject, Doc("The new bot.")]

    def completed(self, tx: Tx) -> "BotsAdded":
        return msgspec.structs.replace(self, bots=storage.people.bots.find_many(tx, self.user_ids))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        for bot in self.bots:
            yield self.Wire("add", bot_object(org, bot, to.user_id))


class ChangedBotObject(msgspec.Struct):
    """A bot with its changed members."""

    user_id: BotId
    default_sending_stream: DefaultSendingStream | UnsetType | None = UNSET
    default_events_register_stream: DefaultEventsRegisterStream | UnsetType | None = UNSET
    default_all_public_streams: DefaultAllPublicStreams | UnsetType = UNSET
    services: Annotated[
        list[ServiceObject] | UnsetType, Doc("The service of an outgoing webhook bot.")
    ] = UNSET


class BotChanged(Event, frozen=True, kind="bot_changed"):
    """One property of a bot changed."""

    user_id: int
    property: str  # a key of `BotObject`
    bot: Bot | None = None

    class Wire(WireEvent, tag="realm_bot"):
        op: Literal["update"]
        bot: Annotated[ChangedBotObject, Doc("The id of the bot and the changed property.")]

    def completed(self, tx: Tx) -> "BotChanged":
        return msgspec.structs.replace(self, bot=storage.people.bots.find(tx, self.user_id))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        assert self.bot is not None
        value: Any = getattr(bot_object(org, self.bot, to.user_id), self.property)
        changed: dict[str, Any] = {self.property: value}
        yield self.Wire("update", ChangedBotObject(self.user_id, **changed))


class BotReference(msgspec.Struct):
    user_id: BotId


class BotOwnersChanged(Event, frozen=True, kind="bots_given_away"):
    """A user no longer manages some bots."""

    user_ids: list[int]

    class Wire(WireEvent, tag="realm_bot"):
        op: Literal["delete"]
        bot: Annotated[BotReference, Doc("The id of the bot.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        for user_id in self.user_ids:
            yield self.Wire("delete", BotReference(user_id))


class BotOwnerChanged(UserEvent, frozen=True, kind="bot_owner", wires=(PersonUpdate,)):
    owner_id: int

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield user.person_updated(self.user_id, bot_owner_id=self.owner_id)
