"""What each error code means and what to do about it: the table `codes.toml`."""

import tomllib
from importlib import resources

import msgspec


class ErrorCode(msgspec.Struct, frozen=True):
    """The cause and the cure of the errors with one code."""

    cause: str
    cure: str


def error_codes() -> dict[str, ErrorCode]:
    """The table, by code. Only docs and the page `/api` read it."""
    text = (resources.files("tertulia.errors") / "codes.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, ErrorCode])
