"""Events about sessions, for servers only. Sent to no client."""

from collections.abc import Collection
from typing import ClassVar

from tertulia.events.types.event import Event


class SessionsEnded(Event, frozen=True):
    """Some sessions of a user ended."""

    kind: ClassVar[str] = "sessions_ended"
    revokes_access: ClassVar[bool] = True

    user_id: int

    def logged_out(self) -> Collection[int]:
        return (self.user_id,)
