"""What emoji are called: the table of codes and names, which other parts of the server use too.

Two packages know it together. `zulip-emoji-mapping` has the names that people gave to the first
emoji by hand, and that stay. `emojis.py` has Unicode's own names and keywords of all emoji there
are (CLDR, English, by way of emojibase): from it come the names of newer ones, a name for each
emoji and every keyword that belongs to no other newer emoji.

A code is the hexadecimal code points of an emoji without U+FE0F, joined by `-`; the first of its
names is the canonical one. The table is built when it is first needed.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec

NAMED_BY_HAND_BEFORE = 4  # the version of Unicode's emoji
COMPONENTS = 2  # the group of skin tones and hair, which are no emoji by themselves

# The name that a typed emoji is given, where it is another than the package's.
CANONICAL = {"1f604": "smile", "1f642": "slight_smile", "1f64f": "folded_hands"}

_NO_LETTERS = re.compile(r"[^\w+]+")


class _Table(NamedTuple):
    code_by_name: dict[str, str]
    names_by_code: dict[str, tuple[str, ...]]


class _Entry(msgspec.Struct):
    """An emoji in the data of `emojis.py`."""

    emoji: str
    label: str
    version: float
    group: int | None = None
    tags: list[str] = []

    @property
    def is_newer(self) -> bool:
        return self.version >= NAMED_BY_HAND_BEFORE and self.group not in (None, COMPONENTS)

    @property
    def keywords(self) -> Iterator[str]:
        for tag in self.tags:
            name = as_name(tag)
            yield name
            yield _without_accents(name)


def code_for(name: str) -> str | None:
    return _table().code_by_name.get(name)


def names_for(code: str) -> tuple[str, ...]:
    """All names of an emoji, the canonical one first; none for what is no emoji."""
    return _table().names_by_code.get(code, ())


def all_emoji() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every code with its names."""
    return iter(_table().names_by_code.items())


def code_of(characters: str) -> str:
    return "-".join(f"{ord(character):04x}" for character in characters if character != "\ufe0f")


def as_name(words: str) -> str:
    """`family: adult, child` is written `:family_adult_child:`."""
    return _NO_LETTERS.sub("_", words.lower().replace("’", "").replace("'", "")).strip("_")


@cache
def _table() -> _Table:
    newer = {code_of(entry.emoji): entry for entry in _entries() if entry.is_newer}
    names = _names_by_hand(newer)
    for code, entry in newer.items():
        names.setdefault(code, [as_name(entry.label)])
    code_by_name = {name: code for code, some in names.items() for name in some}
    for code, name in CANONICAL.items():
        names[code].insert(0, name)
        code_by_name[name] = code
    for name, code in _own_keywords(newer).items():
        if name not in code_by_name:
            names[code].append(name)
            code_by_name[name] = code
    return _Table(
        code_by_name,
        {
            code: tuple(dict.fromkeys(name for name in some if code_by_name[name] == code))
            for code, some in names.items()
        },
    )


def _names_by_hand(newer: Collection[str]) -> dict[str, list[str]]:
    """What people called emoji; of newer ones only what they call one that is typed."""
    package = import_module("zulip_emoji_mapping.emoji_names")
    return {
        code: [entry["canonical_name"], *([] if code in newer else entry["aliases"])]
        for code, entry in package.EMOJI_NAME_MAPS.items()
    }


def _own_keywords(newer: Mapping[str, _Entry]) -> dict[str, str]:
    """Keywords that one newer emoji has and no other, with its code."""
    found: dict[str, set[str]] = {}
    for code, entry in newer.items():
        for keyword in entry.keywords:
            found.setdefault(keyword, set()).add(code)
    return {keyword: codes.pop() for keyword, codes in found.items() if len(codes) == 1}


def _without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _entries() -> list[_Entry]:
    """Read without importing the package, which would read its pictures of mixed emoji, too."""
    package = find_spec("emojis")
    assert package is not None, "emojis.py is not installed"
    assert package.origin is not None
    data = Path(package.origin).parent / "database" / "data.json"
    return msgspec.json.decode(data.read_bytes(), type=list[_Entry])
