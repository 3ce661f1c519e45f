"""Emoji names of Slack, Mattermost and Rocket.Chat.

Servers agree on the code points of an emoji, not on its name: `:cat:` is a cat's face in Slack and
the whole animal here. A name is looked up in this order: names that only one server has, the table
beside this module (made by `scripts/imported_emoji_names.py`), names that follow a rule, and our
own names.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from tertulia.markdown import emoji_names
from tertulia.transfer.model import MARK

# Where Slack and Mattermost differ from Rocket.Chat.
SLACK_NAMES = {
    "beach_umbrella": "1f3d6",
    "email": "2709",
    "satellite": "1f6f0",
    "snowman": "2603",
    "umbrella": "2602",
}
ROCKETCHAT_NAMES = {
    "beach_umbrella": "26f1",
    "email": "1f4e7",
    "motorcycle": "1f3cd",
    "satellite": "1f4e1",
    "snowman": "26c4",
    "umbrella": "2614",
}

TONES = ("1f3fb", "1f3fc", "1f3fd", "1f3fe", "1f3ff")
TONE_NAMES = ("light", "medium_light", "medium", "medium_dark", "dark")
JOINER = "200d"
PEOPLE = {"man": "1f468", "woman": "1f469", "boy": "1f466", "girl": "1f467"}
ADULTS = ("man", "woman")
HEART, KISS = ("2764",), ("2764", JOINER, "1f48b")
# Professions whose name differs from Unicode's.
PROFESSIONS = {"doctor": "health_worker", "police_officer": "police_officer"}
FIRST_REGIONAL = 0x1F1E6

NAME = re.compile(r":([\w+'-]+?)(?:::skin-tone-([2-6]))?:(?::skin-tone-([2-6]):)?")
_UNTOUCHED = re.compile(
    rf"(```.*?(?:```|\Z)|`[^`\n]+`|https?://[^\s)>\]]+|{MARK}[^{MARK}]*{MARK})", re.DOTALL
)
_FLAG = re.compile(r"flag[-_]([a-z])([a-z])")
_TONE_NUMBER = re.compile(r"(.+?)(?:::skin-tone-([2-6])|_tone([1-5]))")
_TONE_WORD = re.compile(
    r"(.+?)_(light|medium[-_]light|medium[-_]dark|medium|dark)_skin_tone", re.DOTALL
)


class EmojiMatch(NamedTuple):
    code: str  # as in `markdown.emoji_names`, without a skin tone
    tone: str = ""

    def __str__(self) -> str:
        first, *rest = self.code.split("-")
        if self.tone:
            return "".join(chr(int(each, 16)) for each in (first, self.tone, *rest))
        sign = "\ufe0f" if emoji_names.is_sign(self.code) else ""
        return "".join(chr(int(each, 16)) for each in (first, *rest)) + sign


class EmojiNames:
    """The emoji of one export: its server's, and the custom emoji of its organization."""

    def __init__(self, own_names: Mapping[str, str], custom: Collection[str] = ()) -> None:
        self._own_names = own_names
        self._custom = custom

    def find(self, name: str) -> EmojiMatch | None:
        plain, tone = _without_tone(name)
        code = self._own_names.get(plain) or imported_names().get(plain) or derived_code(plain)
        code = code or emoji_names.code_for(plain)
        return None if code is None else EmojiMatch(code, tone)

    def replace(self, text: str) -> tuple[str, int]:
        """Replace names by characters, except in code; also returns the number of unknown names."""
        unknown = 0

        def replaced(match: re.Match[str]) -> str:
            nonlocal unknown
            name, tone = match[1], match[2] or match[3]
            if name in self._custom:
                return f":{name}:"
            found = self.find(f"{name}::skin-tone-{tone}" if tone else name)
            if found is not None:
                return str(found)
            unknown += any(letter.isalpha() for letter in name)  # 12:30:15 is a time
            return match[0]

        return outside_code(lambda part: NAME.sub(replaced, part), text), unknown


def outside_code(change: Callable[[str], str], text: str) -> str:
    """Apply a change to a text, except to code, URLs, and keys of users and channels."""
    parts = _UNTOUCHED.split(text)
    return "".join(part if index % 2 else change(part) for index, part in enumerate(parts))


def code_of_character(text: str) -> str:
    """The code of an emoji, without its skin tone; empty if it is not one."""
    code = "-".join(each for each in emoji_names.code_of(text).split("-") if each not in TONES)
    return code if emoji_names.names_for(code) else ""


def derived_code(name: str) -> str | None:
    """The code of an emoji whose name follows a rule; None for others."""
    if flag := _FLAG.fullmatch(name):
        code = "-".join(f"{FIRST_REGIONAL + ord(each) - ord('a'):04x}" for each in flag.groups())
        return code if emoji_names.names_for(code) else None
    first, separator, rest = name.replace("_", "-").partition("-")
    if not separator:
        return None
    if first in PEOPLE:
        if (family := _family(name.replace("_", "-").split("-"))) is not None:
            return family
    elif first not in ("male", "female"):
        return None
    who = {"male": "man", "female": "woman"}.get(first, first)
    profession = rest.replace("-", "_")
    plain = f"{who}_{PROFESSIONS.get(profession, profession)}"
    return None if plain == name else imported_names().get(plain) or emoji_names.code_for(plain)


@cache
def imported_names() -> dict[str, str]:
    """The code by name, from the table."""
    table = resources.files("tertulia.transfer.importing") / "imported_emoji_names.txt"
    lines = (line.split(" ") for line in table.read_text(encoding="utf-8").splitlines())
    return {name: code for code, *names in lines for name in names}


def _family(names: list[str]) -> str | None:
    """Handles `man-woman-boy`, `woman-heart-man`, `man-kiss-man`."""
    match names:
        case [first, ("heart" | "kiss") as between, second] if {first, second} <= set(ADULTS):
            middle = HEART if between == "heart" else KISS
            return "-".join((PEOPLE[first], JOINER, *middle, JOINER, PEOPLE[second]))
        case [_, _, *_] if set(names) <= set(PEOPLE) and names[-1] not in ADULTS:
            return f"-{JOINER}-".join(PEOPLE[each] for each in names)
    return None


def _without_tone(name: str) -> tuple[str, str]:
    if match := _TONE_NUMBER.fullmatch(name):
        number = int(match[2]) - 2 if match[2] else int(match[3]) - 1
        return match[1], TONES[number]
    if match := _TONE_WORD.fullmatch(name):
        return match[1], TONES[TONE_NAMES.index(match[2].replace("-", "_"))]
    return name, ""
