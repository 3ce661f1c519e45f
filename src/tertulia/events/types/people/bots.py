"""Bots in API format for their managers, and their events.

The log holds only the id of a bot: the token of its service is in no log.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.bots import Bot
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, UserEvent, Wire


class ServiceObject(msgspec.Struct):
    base_url: str
    interface: int
    token: str


class BotObject(msgspec.Struct):
    user_id: int
    default_sending_stream: str | None
    default_events_register_stream: str | None
    default_all_public_streams: bool
    services: list[ServiceObject]


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


class BotsAdded(Event, frozen=True):
    """A user manages bots from now on, because the bots are new or were transferred."""

    kind: ClassVar[str] = "bots_added"
    types: ClassVar[tuple[str, ...]] = ("realm_bot",)

    user_ids: list[int]
    bots: list[Bot] = []

    def completed(self, tx: Tx) -> "BotsAdded":
        return msgspec.structs.replace(self, bots=storage.people.bots.find_many(tx, self.user_ids))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for bot in self.bots:
            yield {"type": "realm_bot", "op": "add", "bot": bot_object(org, bot, to.user_id)}


class BotChanged(Event, frozen=True):
    """One property of a bot changed."""

    kind: ClassVar[str] = "bot_changed"
    types: ClassVar[tuple[str, ...]] = ("realm_bot",)

    user_id: int
    property: str  # a key of `BotObject`
    bot: Bot | None = None

    def completed(self, tx: Tx) -> "BotChanged":
        return msgspec.structs.replace(self, bot=storage.people.bots.find(tx, self.user_id))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        assert self.bot is not None
        value: Any = getattr(bot_object(org, self.bot, to.user_id), self.property)
        bot = {"user_id": self.user_id, self.property: value}
        yield {"type": "realm_bot", "op": "update", "bot": bot}


class BotOwnersChanged(Event, frozen=True):
    """A user no longer manages some bots."""

    kind: ClassVar[str] = "bots_given_away"
    types: ClassVar[tuple[str, ...]] = ("realm_bot",)

    user_ids: list[int]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        for user_id in self.user_ids:
            yield {"op": "delete", "bot": {"user_id": user_id}}


class BotOwnerChanged(UserEvent, frozen=True):
    kind: ClassVar[str] = "bot_owner"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    owner_id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield events.types.people.user.person_updated(self.user_id, bot_owner_id=self.owner_id)
