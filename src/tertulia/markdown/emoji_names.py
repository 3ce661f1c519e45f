"""The table of emoji codes and names; other parts of the server use it, too.

A code is the hexadecimal code points of an emoji without U+FE0F, joined by `-`; the first name is
the canonical one. The table is the file beside this module, one emoji per line, made by
`scripts/emoji_names.py`, because the packages with this data are a thousand times larger. In the
file, `-fe0f` after a single code point means that it is an emoji only if U+FE0F follows. The table
is loaded with its first use.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

SHOWN_AS_SIGN = "-fe0f"


class _Table(NamedTuple):
    code_by_name: dict[str, str]
    names_by_code: dict[str, tuple[str, ...]]
    signs: frozenset[str]


def code_for(name: str) -> str | None:
    return _table().code_by_name.get(name)


def names_for(code: str) -> tuple[str, ...]:
    """All names of an emoji, the canonical one first; empty if it is not an emoji."""
    return _table().names_by_code.get(code, ())


def is_sign(code: str) -> bool:
    """Whether it is an emoji only if U+FE0F follows."""
    return code in _table().signs


def all_emoji() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every code with its names."""
    return iter(_table().names_by_code.items())


def code_of(characters: str) -> str:
    return "-".join(f"{ord(character):04x}" for character in characters if character != "\ufe0f")


@cache
def _table() -> _Table:
    text = (resources.files("tertulia.markdown") / "emoji_names.txt").read_text(encoding="utf-8")
    lines = [line.split(" ") for line in text.splitlines()]
    names_by_code = {code.removesuffix(SHOWN_AS_SIGN): tuple(names) for code, *names in lines}
    return _Table(
        {name: code for code, names in names_by_code.items() for name in names},
        names_by_code,
        frozenset(
            code.removesuffix(SHOWN_AS_SIGN) for code, *_ in lines if code.endswith(SHOWN_AS_SIGN)
        ),
    )
