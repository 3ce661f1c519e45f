"""What every server must hear of sessions; no client is told."""

from typing import ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event


class SessionsEnded(Event, frozen=True):
    """Some of somebody's sessions are over."""

    kind: ClassVar[str] = "sessions_ended"
    revokes_access: ClassVar[bool] = True

    user_id: int

    def move(self, org: Organization) -> None:
        org.sessions.forget(self.user_id)
