"""Inline markup: inside a paragraph, a table cell or a list item.

The rules have a fixed order of precedence. Each reads the text once, puts finished parts into the
`Stash` and leaves one character in their place; the next rule reads the rest. The text inside the
markers of a rule goes through the rules after it. No rule reads a finished part again, and none
backtracks by more than its own match, so the time is linear in the text.
"""

import re
from collections.abc import Callable
from functools import partial

from tertulia.markdown import (
    autolinks,
    channel_links,
    emphasis,
    escape,
    linkifiers,
    links,
    mentions,
    times,
)
from tertulia.markdown.emoji import MAY_HOLD_CHARACTERS, EmojiRenderer
from tertulia.markdown.math import Formulas
from tertulia.markdown.mentions import Mentioned
from tertulia.markdown.model import Resolved, Settings
from tertulia.markdown.stash import MARK, Stash

_FORMULA = re.compile(r"(?<![\w$])\$\$([^$\n]+)\$\$(?![\w$])")
_SPACE_AFTER_BREAK = re.compile(rf"<br>\n\s+(?=[{MARK}]|<br>|\Z)")
_MARKUP = re.compile(r"[^\w\s,;?!'\"()%/=+.-]|\.\w")  # without a match, only linkifiers apply


class Inline:
    def __init__(
        self,
        stash: Stash,
        formulas: Formulas,
        found: Resolved,
        settings: Settings,
        mentioned: Mentioned,
        whole_text: str,
    ) -> None:
        self._stash = stash
        self._formulas = formulas
        self._found = found
        self._settings = settings
        self._mentioned = mentioned
        self._emoji = EmojiRenderer(stash, settings.custom_emoji)
        self._linkifiers_here = linkifiers.occurring(whole_text, settings.linkifiers)
        self._in_quote = False

    def html(self, text: str, *, in_quote: bool) -> str:
        """The HTML of a text, with placeholders for finished parts."""
        if not self._settings.translate_emoticons and not _MARKUP.search(text):
            return _finish(self._linkifiers(text))
        self._in_quote = in_quote
        return self._from(0, text)

    def _from(self, step: int, text: str) -> str:
        for trigger, rule in _RULES[step:]:
            if trigger in text:
                text = rule(self, text)
        if not text.isascii() and MAY_HOLD_CHARACTERS.search(text):
            text = self._emoji.characters(text)
        return _finish(text)

    def _code(self, text: str) -> str:
        return emphasis.apply_code(text, self._stash)

    def _strong_emphasis(self, text: str) -> str:
        inner = self._after(Inline._strong_emphasis)
        return emphasis.apply_strong_emphasis(text, self._stash, inner)

    def _users(self, text: str) -> str:
        return mentions.apply_users(
            text, self._stash, self._found, self._mentioned, in_quote=self._in_quote
        )

    def _groups(self, text: str) -> str:
        return mentions.apply_groups(
            text, self._stash, self._found, self._mentioned, in_quote=self._in_quote
        )

    def _math(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            return self._stash.keep(self._formulas.inline(match[1]), match[0])

        return _FORMULA.sub(replace, text)

    def _references(self, text: str) -> str:
        return channel_links.apply(text, self._stash, self._found, self._settings.empty_topic_name)

    def _times(self, text: str) -> str:
        return times.apply(text, self._stash)

    def _links(self, text: str) -> str:
        return links.apply(text, self._stash, self._found, self._settings.base_url)

    def _autolinks(self, text: str) -> str:
        return autolinks.apply(text, self._stash, self._settings.base_url)

    def _linkifiers(self, text: str) -> str:
        return linkifiers.apply(text, self._stash, self._linkifiers_here)

    def _strong(self, text: str) -> str:
        return emphasis.apply_strong(text, self._stash, self._after(Inline._strong))

    def _emphasis(self, text: str) -> str:
        return emphasis.apply_emphasis(text, self._stash, self._after(Inline._emphasis))

    def _deleted(self, text: str) -> str:
        return emphasis.apply_deleted(text, self._stash, self._after(Inline._deleted))

    def _emoji_names(self, text: str) -> str:
        return self._emoji.names(text)

    def _emoticons(self, text: str) -> str:
        if not self._settings.translate_emoticons:
            return text
        return self._emoji.emoticons(text)

    def _after(self, rule: "Rule") -> Callable[[str], str]:
        """Applies the rules that follow `rule`, for the text between its markers."""
        return partial(self._from, _STEPS[rule])


Rule = Callable[[Inline, str], str]

# In order of precedence; a rule runs only if its trigger occurs.
_RULES: tuple[tuple[str, Rule], ...] = (
    ("`", Inline._code),
    ("***", Inline._strong_emphasis),
    ("@", Inline._users),
    ("$$", Inline._math),
    ("#**", Inline._references),
    ("<time:", Inline._times),
    ("@", Inline._groups),
    ("](", Inline._links),
    (".", Inline._autolinks),
    ("://", Inline._autolinks),
    ("", Inline._linkifiers),
    ("**", Inline._strong),
    ("*", Inline._emphasis),
    ("~~", Inline._deleted),
    (":", Inline._emoji_names),
    ("", Inline._emoticons),
)
_STEPS = {rule: step for step, (_, rule) in enumerate(_RULES, 1)}


def _finish(text: str) -> str:
    html = escape.text(text)
    if "\n" not in html:
        return html
    return _SPACE_AFTER_BREAK.sub("<br>\n", html.replace("\n", "<br>\n"))
