"""Sessions: a browser in which somebody has logged in."""

import secrets
from dataclasses import dataclass

LIFE_SECONDS = 14 * 86400  # since it was last used
SEEN_EVERY_SECONDS = 3600  # how exactly it is known when that was
AGENT_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Browser:
    """What a browser says of itself when it comes, and where it comes from."""

    agent: str
    address: str


@dataclass(frozen=True, slots=True)
class Session:
    id: int
    user_id: int
    agent: str
    address: str
    made_at: float
    seen_at: float

    def is_over(self, now: float) -> bool:
        return now - self.seen_at > LIFE_SECONDS

    def is_worth_noting(self, now: float) -> bool:
        """Whether it was last noted so long ago that it should be written down again."""
        return now - self.seen_at > SEEN_EVERY_SECONDS


def new_token() -> str:
    """What only the browser knows: 256 bits that nobody can guess."""
    return secrets.token_urlsafe(32)
