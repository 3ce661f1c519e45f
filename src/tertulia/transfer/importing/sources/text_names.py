"""Resolves names in texts of Mattermost and Rocket.Chat: `@name`, mentions of everyone,
and emoji."""

import re
from collections.abc import Mapping

from tertulia.domain.emoji import CUSTOM
from tertulia.transfer.importing.emoji import EmojiNames, outside_code
from tertulia.transfer.model import ImportedReaction, person

EVERYONE = frozenset(("all", "channel", "here"))

_MENTION = re.compile(r"(?<![\w@/.])@([\w][\w.-]*[\w-]|\w)")


class TextNames:
    """The names of one export: keys of users by user name, and custom emoji by name and alias."""

    def __init__(
        self, emoji_names: Mapping[str, str], people: Mapping[str, str], custom: Mapping[str, str]
    ) -> None:
        self._people = people
        self._custom = custom
        self._emoji = EmojiNames(emoji_names, custom)

    def text(self, text: str) -> tuple[str, int]:
        """The converted text, and the number of unknown emoji in it."""
        named = outside_code(lambda part: _MENTION.sub(self._mention, part), text)
        return self._emoji.replace(named)

    def reaction(self, key: str, name: str) -> ImportedReaction:
        if (custom := self._custom.get(name)) is not None:
            return ImportedReaction(key, custom, custom, CUSTOM)
        found = self._emoji.find(name)
        return ImportedReaction(key, name, "" if found is None else found.code)

    def _mention(self, match: re.Match[str]) -> str:
        name = match[1]
        if name in EVERYONE and name not in self._people:
            return "@**all**"
        # A full stop or dash after a name usually ends the sentence.
        for known in (name, name.rstrip(".-")):
            if known in self._people:
                return person(self._people[known]) + name[len(known) :]
        return match[0]
