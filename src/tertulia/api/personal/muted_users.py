"""Muted users."""

from tertulia import actions
from tertulia.api.call import Call


async def mute(call: Call, muted_user_id: int) -> None:
    """Mute a user; their messages count as read."""
    await call.db.write(actions.personal.muted_users.mute, call.user, muted_user_id)


async def unmute(call: Call, muted_user_id: int) -> None:
    """Unmute a user."""
    await call.db.write(actions.personal.muted_users.unmute, call.user, muted_user_id)
