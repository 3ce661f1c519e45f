"""Presence: when a user was last connected and last active."""

from typing import Any, Literal

import msgspec

MOVES_AFTER_SECONDS = 55  # a user's windows all ping; one update a minute is enough
ONLINE_AFTER_SECONDS = 130  # a ping after a longer silence produces an event
OFFLINE_AFTER_SECONDS = 200
MAX_CLOCK_AHEAD_SECONDS = 300  # how far another server's clock may be ahead; more is wrong
STILL_ACTIVE_SECONDS = 70  # Compat: how long the older form reports a user as active
HISTORY_DAYS = 14
EXPIRY_DAYS = 365

Doing = Literal["active", "idle"]


class Presence(msgspec.Struct, frozen=True):
    """`active_at` is None for a user who was connected but never active."""

    active_at: float | None
    idle_at: float

    def pinged(self, doing: Doing, now: float) -> "Presence":
        """The presence after a ping; the same object if the last update was too recent."""
        active_at, idle_at = self.active_at, self.idle_at
        if idle_at - now > MAX_CLOCK_AHEAD_SECONDS:  # the clock was set back
            active_at, idle_at = None if active_at is None else min(active_at, now), now
        if now - idle_at > MOVES_AFTER_SECONDS:
            idle_at = now
        if doing == "active" and (active_at is None or now - active_at > MOVES_AFTER_SECONDS):
            active_at, idle_at = now, max(idle_at, now)
        if (active_at, idle_at) == (self.active_at, self.idle_at):
            return self
        return Presence(active_at, idle_at)

    def becomes_active(self, doing: Doing, now: float) -> bool:
        was_here = self.active_at is not None and now - self.active_at <= ONLINE_AFTER_SECONDS
        return doing == "active" and not was_here

    def modern(self, joined_at: float) -> dict[str, int]:
        active_at = joined_at if self.active_at is None else self.active_at
        return {"active_timestamp": int(active_at), "idle_timestamp": int(self.idle_at)}

    def legacy(self) -> dict[str, Any]:
        """Compat: clients without `slim_presence` know one client and one status."""
        if self.active_at is not None and self.active_at + STILL_ACTIVE_SECONDS >= self.idle_at:
            status, at = "active", self.active_at
        else:
            status, at = "idle", self.idle_at
        return {"client": "website", "status": status, "timestamp": int(at)}


def first(doing: Doing, now: float) -> Presence:
    return Presence(now if doing == "active" else None, now)
