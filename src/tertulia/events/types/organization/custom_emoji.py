"""Custom emoji in API format, and their events."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class EmojiObject(msgspec.Struct):
    id: str
    name: str
    source_url: str
    deactivated: bool
    author_id: int
    still_url: str | None


def emoji_object(emoji: CustomEmoji) -> EmojiObject:
    return EmojiObject(
        id=str(emoji.id),
        name=emoji.name,
        source_url=emoji.source_url,
        deactivated=emoji.deactivated,
        author_id=emoji.author_id,
        still_url=emoji.still_url,
    )


def emoji_map(org: Organization) -> dict[str, EmojiObject]:
    return {str(emoji.id): emoji_object(emoji) for emoji in org.emoji.values()}


class EmojiAdded(Event, frozen=True):
    kind: ClassVar[str] = "emoji_added"
    types: ClassVar[tuple[str, ...]] = ("realm_emoji",)
    touches: ClassVar[Invalidated] = Invalidated(emoji=True)

    emoji_id: int

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if to.options.capabilities.individual_emoji_changes:
            shown = emoji_object(org.emoji[self.emoji_id])
            yield {"type": "realm_emoji", "op": "add", "emoji": shown}
        else:
            yield {"type": "realm_emoji", "op": "update", "realm_emoji": emoji_map(org)}


class EmojiDeactivated(Event, frozen=True):
    kind: ClassVar[str] = "emoji_deactivated"
    types: ClassVar[tuple[str, ...]] = ("realm_emoji",)
    touches: ClassVar[Invalidated] = Invalidated(emoji=True)

    emoji_id: int

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if to.options.capabilities.individual_emoji_changes:
            yield {
                "type": "realm_emoji",
                "op": "update_one",
                "emoji_id": str(self.emoji_id),
                "data": {"deactivated": True},
            }
        else:
            yield {"type": "realm_emoji", "op": "update", "realm_emoji": emoji_map(org)}
