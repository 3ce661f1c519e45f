"""Custom emoji: listing, adding and deactivating them."""

from tertulia import actions, api, domain, events
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.events.types.organization.custom_emoji import EmojiObject
from tertulia.http.forms import Files
from tertulia.http.replies import Reply

MAX_BODY = domain.limits.MAX_EMOJI_BYTES + (1 << 20)  # room for the form around the file


class EmojiList(Reply):
    emoji: dict[str, EmojiObject]


async def list_emoji(call: Call) -> EmojiList:
    """List all custom emoji, including deactivated ones."""
    found = await call.db.read(actions.organization.custom_emoji.list_all)
    return EmojiList(
        {str(each.id): events.types.organization.custom_emoji.emoji_object(each) for each in found}
    )


async def add(call: Call, emoji_name: str, *, files: Files) -> None:
    """Add a custom emoji."""
    name = domain.organization.custom_emoji.checked_emoji_name(emoji_name)
    if len(files) != 1:
        raise BadRequest("You must upload exactly one file.")
    uploaded = api.files.pictures.picture_in(files[0], domain.limits.MAX_EMOJI_BYTES)
    picture = await api.files.pictures.process(
        call.person, domain.files.images.emoji_picture, uploaded
    )
    await call.db.write(actions.organization.custom_emoji.add, call.user, name, picture)


async def deactivate(call: Call, emoji_name: str) -> None:
    """Deactivate a custom emoji."""
    await call.db.write(actions.organization.custom_emoji.deactivate, call.user, emoji_name)
