"""Avatars: uploading and resetting the caller's."""

from tertulia import actions, domain, events
from tertulia.api.call import Call
from tertulia.api.files import pictures
from tertulia.api.people import visible_users
from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.files import SeveralFilesGiven
from tertulia.errors.http import NotFound
from tertulia.http.forms import Files
from tertulia.http.parameter_rules import parse_id
from tertulia.http.replies import Reply
from tertulia.wire_fields import PictureUrl

MAX_BODY = domain.limits.MAX_AVATAR_BYTES + (1 << 20)  # room for the form around the file


class AvatarUrl(Reply):
    avatar_url: PictureUrl | None


async def upload(call: Call, *, files: Files) -> AvatarUrl:
    """Upload the caller's avatar."""
    avatar = await uploaded(call, files) if len(files) == 1 else None
    if avatar is None:
        raise BadRequest("You must upload exactly one avatar.", problem="too-many-files")
    await call.db.write(actions.people.avatars.upload_own, call.user, avatar)
    return _own_url(call)


async def delete(call: Call) -> AvatarUrl:
    """Reset the caller's avatar."""
    await call.db.write(actions.people.avatars.delete_own, call.user)
    return _own_url(call)


def find_user(call: Call, who: str) -> User:
    """Find a user by id, by public email address, or by the real one if the caller may see it."""
    user_id = parse_id(who)
    user = (
        visible_users.with_address(call, who)
        if user_id is None
        else visible_users.with_id(call, user_id)
    )
    if user is None:
        raise NotFound()
    return user


async def uploaded(call: Call, files: Files) -> Avatar | None:
    """The uploaded image, if there is one, checked and scaled."""
    if not files:
        return None
    if len(files) > 1:
        raise SeveralFilesGiven()
    uploaded = pictures.picture_in(files[0], domain.limits.MAX_AVATAR_BYTES)
    return await pictures.process(call.person, domain.files.images.avatar, uploaded)


def _own_url(call: Call) -> AvatarUrl:
    me = call.org.users[call.user.id]
    return AvatarUrl(
        avatar_url=events.types.people.user.avatar_url(call.org, me, client_gravatar=False)
    )
