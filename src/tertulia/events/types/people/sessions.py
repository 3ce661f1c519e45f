"""Events about sessions, for servers only. Sent to no client."""

from typing import ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event


class SessionsEnded(Event, frozen=True):
    """Some sessions of a user ended."""

    kind: ClassVar[str] = "sessions_ended"
    revokes_access: ClassVar[bool] = True

    user_id: int

    def move(self, org: Organization) -> None:
        org.sessions.forget(self.user_id)
