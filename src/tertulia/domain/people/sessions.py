"""Sessions: browsers in which a user is logged in."""

import secrets

import msgspec

LIFE_SECONDS = 14 * 86400  # since its last use
SEEN_INTERVAL_SECONDS = 3600  # precision of the last use
AGENT_LENGTH = 300


class Browser(msgspec.Struct, frozen=True):
    """The user agent and address of a browser."""

    agent: str
    address: str


class ProviderSession(msgspec.Struct, frozen=True):
    """The session at the login provider, so that both can end together."""

    person: bytes  # fingerprint of the user there
    mark: bytes  # fingerprint of the session there
    sealed: bytes  # data for a logout at the provider, encrypted
    ends_at: float | None = None  # when the provider wants it to end


class Session(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    agent: str
    address: str
    created_at: float
    seen_at: float
    ends_at: float | None = None  # at the latest, regardless of use

    def has_ended(self, now: float) -> bool:
        is_ended = self.ends_at is not None and now >= self.ends_at
        return is_ended or now - self.seen_at > LIFE_SECONDS

    def is_worth_noting(self, now: float) -> bool:
        """Whether its last use was stored so long ago that it should be stored again."""
        return now - self.seen_at > SEEN_INTERVAL_SECONDS


# Names in user agents; the first match counts, because later ones are what browsers pretend to be.
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
    """A browser and its system, as users know them: `Firefox, Linux`."""
    words = [
        next((name for mark, name in known.items() if mark in agent), "")
        for known in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, words)) or "?"


def new_token() -> str:
    """A session token of 256 bits."""
    return secrets.token_urlsafe(32)
