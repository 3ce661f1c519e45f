"""The types of settings, and the parsers for their values.

Every value is parsed from text, so that a flag, a variable and a line in the file mean the same.
"""

import difflib
import ipaddress
import os.path
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, NoReturn, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
FlagOf = Literal["every command", "serve", "none"]

PREFIX = "TERTULIA_"


class ConfigError(ValueError):
    """An invalid setting; the message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests per number of seconds."""

    requests: int
    seconds: int = 60

    def __str__(self) -> str:
        return str(self.requests) if self.seconds == 60 else f"{self.requests}/{self.seconds}"


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    form: str
    must_be: str
    parse: Callable[[Any], T]  # raises ValueError
    is_structured: bool = False  # a list or a table, not a text


def text(form: str, must_be: str, pattern: str) -> Kind[str]:
    def parse(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError
        return value

    return Kind(form, must_be, parse)


def one_of(*words: str) -> Kind[str]:
    return text("|".join(words), f"{', '.join(words[:-1])} or {words[-1]}", "|".join(words))


def whole(low: int, high: int) -> Kind[int]:
    def parse(value: str) -> int:
        if not re.fullmatch("[0-9]{1,15}", value) or not low <= int(value) <= high:
            raise ValueError
        return int(value)

    return Kind("N", f"a whole number from {low} to {high}", parse)


def parse_switch(value: str) -> bool:
    if value.lower() in ("true", "yes", "on", "1"):
        return True
    if value.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError


def parse_rate(value: str) -> Rate | None:
    if value == "off":
        return None
    match = re.fullmatch("([1-9][0-9]{0,8})(?:/([1-9][0-9]{0,5}))?", value)
    if not match:
        raise ValueError
    return Rate(int(match[1]), int(match[2] or 60))


def parse_networks(value: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(word) for word in value.replace(",", " ").split())


def parse_addresses(value: str) -> tuple[str, ...]:
    found = tuple(value.replace(",", " ").split())
    if not all(re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", each) for each in found):
        raise ValueError
    return found


def parse_origin(value: str) -> str:
    origin = r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?/?"
    if value and not re.fullmatch(origin, value):
        raise ValueError
    _ = urlsplit(value).port  # raises ValueError for an invalid port or IPv6 address
    return value.rstrip("/")


DOMAIN = r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*"

FOLDER = Kind("DIR", "a folder", lambda value: Path(os.path.expanduser(value or ".")))
OTHER_FOLDER = Kind(
    "DIR", "a folder", lambda value: Path(os.path.expanduser(value)) if value else None
)
BUCKET = text("URL", "an http:// or https:// address", r"(https?://[\w.:\[\]-]+(/[\w.~-]+)*/?)?")
ACME_DIRECTORY = text(
    "URL",
    "an https:// address, or an http:// address of this machine",
    r"(https://[\w.:-]+(/[\w.~-]+)*/?|http://(localhost|127\.0\.0\.1)(:\d+)?(/[\w.~-]+)*/?)?",
)
FOLDER_IN_BUCKET = text("NAME", "a name of letters, digits, - and /", r"([\w.-]+(/[\w.-]+)*)?")
HOST = text("H", "an address, a host name or *", r"\*|[\w.:%-]+")
DATABASE = text(
    "URL",
    "sqlite:///PATH or postgresql://…",
    r"(sqlite:///[^\0]+|postgres(ql)?://[^\0]+)?",
)
ORIGIN = Kind("URL", "an http:// or https:// address without a path", parse_origin)
MAIL_DOMAIN = text("DOMAIN", "a domain name such as chat.example.com", f"(?i:{DOMAIN})?")
MAIL_HOST = text("H", "an address or a host name", r"[\w.:-]*")
MAIL_ADDRESS = text("ADDRESS", "an email address", r"([^@\s<>]+@[^@\s<>]+)?")
MAIL_PATTERN = text(
    "ADDRESS",
    "an address with %s before the @, such as chat+%s@example.com",
    r"([^@\s<>%]*%s[^@\s<>%]*@[^@\s<>%]+)?",
)
LISTEN = text(
    "HOST:PORT|PATH",
    "HOST:PORT, or a path that begins with /",
    r"(/[^\0\n]+|([\w.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5})?",
)
SECRET = text("TEXT", "at least 32 characters", "(.{32,})?")
TITLE = text("NAME", "a name of 1 to 40 characters", r"[^\0\n]{1,40}")
SWITCH = Kind("true|false", "true or false", parse_switch)
RATE = Kind("N|N/SECONDS|off", "a number a minute, NUMBER/SECONDS, or off", parse_rate)
ADDRESSES = Kind("LIST", "a list of email addresses", parse_addresses)
NETWORKS = Kind("LIST", "a list of addresses or networks such as 10.0.0.0/8", parse_networks)


# Types that only the file can hold: tables, and lists whose texts may contain commas.


def parse_words(value: object) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
        raise ValueError
    return tuple(words)


def parse_pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError
    return tuple(value.items())


def parse_alternatives(value: object) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(map(parse_pairs, value if isinstance(value, list) else [value]))


def parse_groups_by_role(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict) or not value.keys() <= set(ROLES):
        raise ValueError
    return tuple((role, parse_words(value[role])) for role in ROLES if role in value)


def parse_web_address(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError
    if parts.scheme == "http" and parts.hostname not in THIS_MACHINE:
        raise ValueError
    return value.rstrip("/")


def parse_directory_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("ldap", "ldaps") or not parts.hostname or parts.path not in ("", "/"):
        raise ValueError
    _ = parts.port  # raises ValueError for an invalid port
    return value.rstrip("/")


def filter_with(*placeholders: str) -> Kind[str]:
    """An LDAP filter that contains at least one of these placeholders; it may be empty."""

    def parse(value: str) -> str:
        is_whole = value.startswith("(") and value.count("(") == value.count(")")
        if value and not (is_whole and any(placeholder in value for placeholder in placeholders)):
            raise ValueError
        return value

    return Kind(
        "FILTER", f"an LDAP filter in brackets that holds {' or '.join(placeholders)}", parse
    )


ROLES = ("owner", "admin", "moderator", "member", "guest")
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")  # loopback

WORD = text("NAME", "a word of small letters, digits and hyphens", "([a-z0-9][a-z0-9-]{0,39})?")
LINE = text("TEXT", "a line of text", r"[^\0\n]{0,4000}")
SOMETHING = text("TEXT", "a line of text", r"[^\0\n]{1,4000}")
ATTRIBUTE = text("NAME", "the name of an attribute", "([A-Za-z][A-Za-z0-9;._-]{0,100})?")
LIST = Kind("LIST", "a list of texts", parse_words, is_structured=True)
PAIRS = Kind("TABLE", "a table of texts", parse_pairs, is_structured=True)
ALTERNATIVES = Kind(
    "LIST", "a table of texts, or a list of such", parse_alternatives, is_structured=True
)
KEY = text("TEXT", "a text", r"[^\0]{1,10000}")
GROUPS_BY_ROLE = Kind(
    "TABLE",
    f"a table that names groups for some of {', '.join(ROLES)}",
    parse_groups_by_role,
    is_structured=True,
)
WEB_ADDRESS = Kind("URL", "an https:// address; http:// only on this machine", parse_web_address)
DIRECTORY = Kind("URL", "ldaps://HOST or ldap://HOST, perhaps with a port", parse_directory_address)
FILE = text("FILE", "a file", r"[^\0\n]*")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its type, default, help and forms."""

    kind: Kind[Any]
    default: Any
    help: str
    when_empty: str  # what the default means when it is the empty text
    flag_of: FlagOf
    is_private: bool  # its value never appears in an error or a repr
    alias: str  # a second variable that means the same
    name: str = ""

    @property
    def is_needed(self) -> bool:
        return self.default is NEEDED

    @property
    def flags(self) -> list[str]:
        word = self.name.replace("_", "-")
        if self.flag_of == "none":
            return []
        return [f"--{word}", f"--no-{word}"] if self.kind is SWITCH else [f"--{word}"]

    @property
    def variables(self) -> list[str]:
        return [name for name in (PREFIX + self.name.upper(), self.alias) if name]

    @property
    def shown_default(self) -> str:
        if self.is_needed:
            return "must be given"
        return self.when_empty or f"`{as_text(self.default)}`"


def setting(
    default: T,
    kind: Kind[T],
    help: str,
    *,
    when_empty: str = "",
    flag_of: FlagOf = "serve",
    is_private: bool = False,
    alias: str = "",
) -> T:
    about = Setting(kind, default, help, when_empty, flag_of, is_private, alias)
    return field(default=default, repr=not is_private, metadata={"setting": about})


def unset(kind: Kind[str], help: str, means: str = "none") -> str:
    """An optional setting; `means` says in the docs what the empty default means."""
    return setting("", kind, help, when_empty=means)


def hidden(help: str) -> str:
    """A secret. It has no flag: other users of the machine can read a command line."""
    return setting("", LINE, help, when_empty="none", flag_of="none", is_private=True)


NEEDED: Any = object()  # the default of a required setting


def read(row: Setting, value: object, source: str) -> Any:
    """Parse a value; `source` names where it was written. Raises ConfigError."""
    if isinstance(value, dict) and not row.kind.is_structured:
        raise ConfigError(f"{source} must be a single value, not a table.")
    try:
        return row.kind.parse(value if row.kind.is_structured else as_text(value))
    except ValueError:
        but = "" if row.is_private or row.kind.is_structured else f', not "{as_text(value)}"'
        raise ConfigError(f"{source} must be {row.kind.must_be}{but}.") from None


def unknown(what: str, name: str, known: Iterable[str]) -> NoReturn:
    (nearest,) = difflib.get_close_matches(name, known, n=1, cutoff=0)
    raise ConfigError(f"{what} is not a setting; the nearest one is {nearest}.")


def as_text(value: object) -> str:
    """The value as it would be written on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(as_text(each) for each in value)
    return "off" if value is None else str(value).strip()
