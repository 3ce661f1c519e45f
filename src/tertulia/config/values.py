"""How values of settings are written, and the kinds there are.

Everything is read from text, wherever it comes from, so that a flag, a variable and a line in the
file mean the same.
"""

import ipaddress
import os.path
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
FlagOf = Literal["every command", "serve", "none"]

PREFIX = "TERTULIA_"


class ConfigError(ValueError):
    """A setting we cannot use, told in one sentence to the person who wrote it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests in so many seconds."""

    requests: int
    seconds: int = 60

    def __str__(self) -> str:
        return str(self.requests) if self.seconds == 60 else f"{self.requests}/{self.seconds}"


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    form: str
    must_be: str
    parse: Callable[[str], T]  # raises ValueError


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


def parse_origin(value: str) -> str:
    origin = r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?/?"
    if value and not re.fullmatch(origin, value):
        raise ValueError
    _ = urlsplit(value).port  # raises ValueError for a port or an IPv6 address that cannot be
    return value.rstrip("/")


DOMAIN = r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*"

FOLDER = Kind("DIR", "a folder", lambda value: Path(os.path.expanduser(value or ".")))
HOST = text("H", "an address or a host name", r"[\w.:%-]+")
DATABASE = text(
    "URL",
    "sqlite:///PATH or postgresql://…",
    r"(sqlite:///[^\0]+|postgres(ql)?://[^\0]+)?",
)
ORIGIN = Kind("URL", "an http:// or https:// address without a path", parse_origin)
MAIL_DOMAIN = text("DOMAIN", "a domain name such as chat.example.com", f"(?i:{DOMAIN})?")
MAIL_HOST = text("H", "an address or a host name", r"[\w.:-]*")
MAIL_ADDRESS = text("ADDRESS", "an email address", r"([^@\s<>]+@[^@\s<>]+)?")
LINE = text("TEXT", "a line of text", r"[^\0\r\n]*")
SECRET = text("TEXT", "at least 32 characters", "(.{32,})?")
TITLE = text("NAME", "a name of 1 to 40 characters", r"[^\0\n]{1,40}")
SWITCH = Kind("true|false", "true or false", parse_switch)
RATE = Kind("N|N/SECONDS|off", "a number a minute, NUMBER/SECONDS, or off", parse_rate)
NETWORKS = Kind("LIST", "a list of addresses or networks such as 10.0.0.0/8", parse_networks)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the list, in all the forms it is known by."""

    kind: Kind[Any]
    default: Any
    help: str
    when_empty: str  # what the default means when it is the empty text
    flag_of: FlagOf
    is_private: bool  # its value never appears in an error or a repr
    alias: str  # a second variable that means the same
    name: str = ""

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


def as_text(value: object) -> str:
    """What a person would have typed on the command line to say the same."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(as_text(each) for each in value)
    return "off" if value is None else str(value).strip()
