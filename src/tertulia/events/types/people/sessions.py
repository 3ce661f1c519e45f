"""Events about sessions, for servers only. Sent to no client."""

from collections.abc import Collection

from tertulia.events.types.event import Event


class SessionsEnded(Event, frozen=True, kind="sessions_ended", revokes_access=True):
    """Some sessions of a user ended."""

    user_id: int

    def logged_out(self) -> Collection[int]:
        return (self.user_id,)
