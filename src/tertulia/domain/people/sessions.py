"""Sessions: a browser in which somebody has logged in."""

import secrets

import msgspec

LIFE_SECONDS = 14 * 86400  # since it was last used
SEEN_EVERY_SECONDS = 3600  # how exactly it is known when that was
AGENT_LENGTH = 300


class Browser(msgspec.Struct, frozen=True):
    """What a browser says of itself when it comes, and where it comes from."""

    agent: str
    address: str


class ProviderSession(msgspec.Struct, frozen=True):
    """What a session is at the provider that has vouched for it, so that both can end together."""

    person: bytes  # a fingerprint of who it is there
    mark: bytes  # of which session
    sealed: bytes  # what the provider has to be told
    ends_at: float | None = None  # when the provider wants it to end


class Session(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    agent: str
    address: str
    made_at: float
    seen_at: float
    ends_at: float | None = None  # at the latest, however often it is used

    def is_over(self, now: float) -> bool:
        is_ended = self.ends_at is not None and now >= self.ends_at
        return is_ended or now - self.seen_at > LIFE_SECONDS

    def is_worth_noting(self, now: float) -> bool:
        """Whether it was last noted so long ago that it should be written down again."""
        return now - self.seen_at > SEEN_EVERY_SECONDS


# What browsers and systems call themselves; the first that is named counts, since the later ones
# are what the earlier ones pretend to be.
_BROWSERS = {
    "ZulipElectron": "desktop app",
    "ZulipMobile": "mobile app",
    "ZulipFlutter": "mobile app",
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "iOS": "iOS",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "macOS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def described(agent: str) -> str:
    """What a browser is and runs on, as people would call it: `Firefox, Linux`."""
    words = [
        next((name for mark, name in known.items() if mark in agent), "")
        for known in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, words)) or "?"


def new_token() -> str:
    """What only the browser knows: 256 bits that nobody can guess."""
    return secrets.token_urlsafe(32)
