"""Inbound mail: the addresses of channels and replies, and the parsed mail.

The sender is identified by the secret address alone, because the headers of a mail prove nothing.
So an address is stored as a hash, like an API key.
"""

import hashlib
import re
import secrets

import msgspec

from tertulia.domain import names

MAX_BYTES = 25 << 20  # of a mail with its attachments
MAX_FILES = 10
MAX_HOPS = 50  # a mail with more is in a loop
MAX_PER_HOUR = 200  # mails to one address
REPLY_SECONDS = 30 * 86400.0  # how long a reply address is valid
KEPT_SECONDS = 14 * 86400.0  # how long a repeated mail is recognized
OURS = "X-Tertulia"  # a header of the mails that this server sends
CUT_OFF = "\n[message truncated]"
NO_SUBJECT = "Email with no subject"
NO_WORDS = "(No email body)"
TOPIC_END = "..."

REPLY = "mm"
TOKEN = re.compile(r"[0-9a-f]{32}")
OPTIONS = ("show-sender", "include-footer", "include-quotes", "prefer-text", "prefer-html")
_PREFIXES = re.compile(r"^(?:(?:re|fwd?|aw|wg|sv|rv)\s*:\s*)+", re.IGNORECASE)
_FORWARDED = re.compile(r"^\s*(?:fwd?|wg|rv)\s*:", re.IGNORECASE)


class MailRefused(Exception):
    """A rejected mail, with a text for its sender and a code for their mail server."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code  # 5.x.x is permanent, 4.x.x temporary
        self.text = text


class MailAddress(msgspec.Struct, frozen=True):
    """The content of the local part of an address."""

    token: str
    is_reply: bool
    options: frozenset[str] = frozenset()

    @property
    def hash(self) -> str:
        return hashed(self.token)


class ReplyAddress(msgspec.Struct, frozen=True):
    """An address for replies by mail. They go to the current topic of the message."""

    realm_id: int
    user_id: int
    message_id: int
    expires_at: float
    channel_id: int | None = None  # the channel it is valid for; None for direct messages
    topic: str | None = None


class ChannelAddress(msgspec.Struct, frozen=True):
    """An address that posts to a channel, as the user `sender_id` or without a user."""

    realm_id: int
    channel_id: int
    sender_id: int | None
    created_by: int


class MailFile(msgspec.Struct, frozen=True):
    name: str
    content_type: str
    data: bytes
    content_id: str = ""  # by which the HTML refers to it


class ReceivedMail(msgspec.Struct, frozen=True):
    """A parsed mail. Text and HTML are alternatives; either may be empty."""

    number: str  # the Message-ID, or a substitute
    sender: str
    subject: str
    text: str
    html: str
    files: tuple[MailFile, ...]
    is_answer_of_machine: bool  # for example a vacation reply
    is_written_by_machine: bool
    is_ours: bool
    hops: int

    @property
    def is_forwarded(self) -> bool:
        return _FORWARDED.match(self.subject) is not None


def new_token() -> str:
    return secrets.token_hex(16)


def hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


def reply_address(pattern: str, token: str) -> str:
    return pattern.replace("%s", f"{REPLY}{token}")


def channel_address(pattern: str, channel_name: str, token: str) -> str:
    """Includes the channel's name if it is ASCII, which every mail server supports."""
    name = re.sub(r"[^a-z0-9]+", "-", channel_name.lower()).strip("-")
    start = f"{name}." if channel_name.isascii() and name else ""
    return pattern.replace("%s", f"{start}{token}.show-sender")


def read_address(address: str, pattern: str) -> MailAddress | None:
    """The content of one of our addresses; None for any other."""
    before, _, after = pattern.lower().partition("%s")
    address = address.strip().lower()
    if not (address.startswith(before) and address.endswith(after)):
        return None
    local = address[len(before) : len(address) - len(after)]
    if local.startswith(REPLY) and TOKEN.fullmatch(local, len(REPLY)):
        return MailAddress(local.removeprefix(REPLY), is_reply=True)
    parts = re.split(r"[.+]", local)
    options = {part for part in parts if part in OPTIONS}
    tokens = [part for part in parts if TOKEN.fullmatch(part)]
    return MailAddress(tokens[-1], False, frozenset(options)) if tokens else None


def topic_of(subject: str, limit: int) -> tuple[str, bool]:
    """The topic for a subject, and whether it was cut."""
    words = " ".join(names.cleaned(subject).split())
    whole = _PREFIXES.sub("", words).strip() or NO_SUBJECT
    topic = names.cleaned(whole, limit, TOPIC_END)
    return topic, topic != whole


def with_links(words: str, links: list[str], limit: int) -> str:
    """The text with links to files below it. The text is cut so that the links fit."""
    below = "\n".join(links)
    room = limit - len(below) - 2 if below else limit
    if len(words) > room:
        words = words[: room - len(CUT_OFF)].rstrip() + CUT_OFF
    return "\n\n".join(part for part in (words, below) if part)
