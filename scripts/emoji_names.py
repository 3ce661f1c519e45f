"""Generates src/tertulia/markdown/emoji_names.txt, the table of emoji names.

`python scripts/emoji_names.py > src/tertulia/markdown/emoji_names.txt`: by hand, when Unicode has
new emoji. It has pip fetch two packages from PyPI, which are data only and are not installed:

- `zulip-emoji-mapping` has the names that people gave to the first emoji by hand, and that stay;
- `emojis.py` has Unicode's names and keywords of all emoji (CLDR, English, through emojibase):
  newer ones get their names from it, one name for each emoji and every keyword that belongs to no
  other newer emoji.
"""

import ast
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from zipfile import ZipFile

import msgspec

NAMED_BY_HAND = "zulip-emoji-mapping==1.0.1"
NAMED_BY_UNICODE = "emojis.py==1.3.0"

NAMED_BY_HAND_BEFORE = 4  # the version of Unicode's emoji
COMPONENTS = 2  # the group of skin tones and hair, which are no emoji by themselves
SIGN = 0  # the type of characters that are shown as text (Emoji_Presentation=No)

# The name of a typed emoji, where it differs from the package's.
CANONICAL = {"1f604": "smile", "1f642": "slight_smile", "1f64f": "folded_hands"}

# Keywords that several emoji have, and that clients take for this one.
CHOSEN = {
    "charge": "1f202",
    "first": "1f313",
    "human": "1f471",
    "contact": "1f50e",
    "right_pointing": "1f50e",
    "tilted": "1f50e",
    "six_pointed": "1f52f",
    "smooch": "1f617",
    "smooches": "1f617",
    "yellow": "1f7e1",
    "penalty": "1f7e5",
    "3": "1f970",
    "jewish": "2721",
}

_NO_LETTERS = re.compile(r"[^\w+]+")


class Entry(msgspec.Struct):
    """An emoji in the data of `emojis.py`."""

    emoji: str
    label: str
    type: int
    version: float
    group: int | None = None
    tags: list[str] = []

    @property
    def code(self) -> str:
        return "-".join(f"{ord(each):04x}" for each in self.emoji if each != "\ufe0f")

    @property
    def is_sign(self) -> bool:
        return self.type == SIGN and "-" not in self.code

    @property
    def is_newer(self) -> bool:
        return self.version >= NAMED_BY_HAND_BEFORE and self.group not in (None, COMPONENTS)

    @property
    def keywords(self) -> Iterator[str]:
        for tag in self.tags:
            name = as_name(tag)
            yield name
            yield without_accents(name)


def table(entries: list[Entry]) -> dict[str, list[str]]:
    """Every code with its names, the canonical one first."""
    newer = {entry.code: entry for entry in entries if entry.is_newer}
    names = names_by_hand(newer)
    for code, entry in newer.items():
        names.setdefault(code, [as_name(entry.label)])
    code_by_name = {name: code for code, some in names.items() for name in some}
    for code, name in CANONICAL.items():
        names[code].insert(0, name)
        code_by_name[name] = code
    for name, code in (own_keywords(newer) | CHOSEN).items():
        if code_by_name.setdefault(name, code) == code:
            names[code].append(name)
    return {
        code: list(dict.fromkeys(name for name in names[code] if code_by_name[name] == code))
        for code in sorted(names)
    }


def names_by_hand(newer: Collection[str]) -> dict[str, list[str]]:
    """Names given by people; for newer emoji only the name of a typed one."""
    source = fetch(NAMED_BY_HAND, "zulip_emoji_mapping/emoji_names.py").decode()
    known = ast.literal_eval(source[source.index("{") :])
    return {
        code: [entry["canonical_name"], *([] if code in newer else entry["aliases"])]
        for code, entry in known.items()
    }


def own_keywords(newer: Mapping[str, Entry]) -> dict[str, str]:
    """Keywords that only one newer emoji has, with its code."""
    found: dict[str, set[str]] = {}
    for code, entry in newer.items():
        for keyword in entry.keywords:
            found.setdefault(keyword, set()).add(code)
    return {keyword: codes.pop() for keyword, codes in found.items() if len(codes) == 1}


def entries_of_unicode() -> list[Entry]:
    data = fetch(NAMED_BY_UNICODE, "emojis/database/data.json")
    return msgspec.json.decode(data, type=list[Entry])


def as_name(words: str) -> str:
    """`family: adult, child` is written `:family_adult_child:`."""
    return _NO_LETTERS.sub("_", words.lower().replace("’", "").replace("'", "")).strip("_")


def without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def fetch(package: str, path: str) -> bytes:
    """One file out of a package on PyPI."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "-d", folder]
        subprocess.run([*command, "--only-binary=:all:", package], check=True)
        (wheel,) = Path(folder).iterdir()
        return ZipFile(wheel).read(path)


if __name__ == "__main__":
    known = entries_of_unicode()
    signs = {entry.code for entry in known if entry.is_sign}
    for code, names in table(known).items():
        print(f"{code}-fe0f" if code in signs else code, *names)
