"""Mails that come in: the addresses they are for, and what they bring.

Who writes is known by the address alone, which nobody can guess; what a mail says of its sender
proves nothing. So an address is kept as a hash, like a key.
"""

import hashlib
import re
import secrets

import msgspec

from tertulia import domain

MAX_BYTES = 25 << 20  # of a mail, with all it brings
MAX_FILES = 10
MAX_HOPS = 50  # a mail that went through more machines goes in circles
MAX_PER_HOUR = 200  # mails to one address
REPLY_SECONDS = 30 * 86400.0  # so long a reply address is good
REMEMBERED_SECONDS = 14 * 86400.0  # so long a mail that comes again is recognized
OURS = "X-Tertulia"  # a header of the mails that we send
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
    """A mail that we do not take, in words for whoever sent it, and for their mail server."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code} {words}")
        self.code = code  # 5.x.x is for good, 4.x.x for now
        self.words = words


class MailAddress(msgspec.Struct, frozen=True):
    """What the first half of an address says."""

    token: str
    is_reply: bool
    options: frozenset[str] = frozenset()

    @property
    def hash(self) -> str:
        return hashed(self.token)


class ReplyAddress(msgspec.Struct, frozen=True):
    """Where somebody answers by mail: they write where a message is now."""

    realm_id: int
    user_id: int
    message_id: int
    expires_at: float
    channel_id: int | None = None  # the thread that it is good for; none for direct messages
    topic: str | None = None


class ChannelAddress(msgspec.Struct, frozen=True):
    """Where anybody writes to a channel, in the name of `sender_id` or of nobody."""

    realm_id: int
    channel_id: int
    sender_id: int | None
    made_by: int


class MailFile(msgspec.Struct, frozen=True):
    name: str
    content_type: str
    data: bytes
    content_id: str = ""  # by which the HTML shows it in place


class ReceivedMail(msgspec.Struct, frozen=True):
    """A mail, read. What it says is there as text and as HTML, either of which may be empty."""

    number: str  # its Message-ID, or what stands in for one
    sender: str
    subject: str
    text: str
    html: str
    files: tuple[MailFile, ...]
    is_answer_of_machine: bool  # such as that somebody is on holiday
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
    """With the channel's name, if that is all letters that every mail server knows."""
    name = re.sub(r"[^a-z0-9]+", "-", channel_name.lower()).strip("-")
    start = f"{name}." if channel_name.isascii() and name else ""
    return pattern.replace("%s", f"{start}{token}.show-sender")


def read_address(address: str, pattern: str) -> MailAddress | None:
    """What an address of ours says; None if it is not one."""
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


def topic_of(subject: str, most: int) -> tuple[str, bool]:
    """The topic that a subject is about, and whether it had to be cut."""
    words = " ".join(domain.names.cleaned(subject).split())
    whole = _PREFIXES.sub("", words).strip() or NO_SUBJECT
    topic = domain.names.cleaned(whole, most, TOPIC_END)
    return topic, topic != whole


def with_links(words: str, links: list[str], most: int) -> str:
    """The words, with links to files below; the words are cut so that the links stay."""
    below = "\n".join(links)
    room = most - len(below) - 2 if below else most
    if len(words) > room:
        words = words[: room - len(CUT_OFF)].rstrip() + CUT_OFF
    return "\n\n".join(part for part in (words, below) if part)
