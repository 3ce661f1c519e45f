"""A grant: what a user allows an agent to do in their name."""

import re
from collections.abc import Mapping

import msgspec

_CLIENT = re.compile(r"agent \d+: ")


class Grant(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    agent: str  # the name of the program
    channels: Mapping[int, bool]  # whether the agent may write, by channel
    direct_messages: bool  # whether it may read them; it never writes any
    presence: bool  # whether it may know who is who and who is active
    created_at: float
    expires_at: float | None
    used_at: float | None = None

    @property
    def client(self) -> str:
        """The client of the agent's messages. It tells the agent from all other clients of its
        user, whatever name the program has chosen."""
        return f"agent {self.id}: {self.agent}"

    def may_read(self, channel_id: int) -> bool:
        return channel_id in self.channels

    def may_write(self, channel_id: int | None) -> bool:
        """`channel_id` is None for direct messages."""
        return channel_id is not None and self.channels.get(channel_id, False)

    def has_ended(self, now: float) -> bool:
        return self.expires_at is not None and self.expires_at <= now


def without_mark(client: str) -> str:
    """The name of a client that is not an agent: it cannot look like that of an agent."""
    while mark := _CLIENT.match(client):
        client = client[mark.end() :]
    return client or "Unspecified"
