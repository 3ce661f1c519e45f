"""Building blocks for the messages of integrations.

Titles, names and comments are untrusted text. It may contain formatting, but it must not mention
users and must not break out of its place in the message.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote as percent_encoded

LINE_LENGTH = 300
QUOTE_LENGTH = 2000
TOPIC_LENGTH = 60
MAX_NAMES = 3  # of a list; the others are counted
ZEROS = re.compile("0+")

_SPACES = re.compile(r"\s+")
_CALL = re.compile(r"@(?=\*)")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_ADDRESS = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."


def line(text: str, length: int = LINE_LENGTH) -> str:
    """Untrusted text on one line."""
    return _CALL.sub("@_", shortened(_SPACES.sub(" ", text).strip(), length))


def link(text: str, address: str) -> str:
    """A link, or the text alone if the address is not http(s)."""
    text = line(text)
    if not _ADDRESS.fullmatch(address):
        return text
    if not _is_balanced(text):
        text = text.replace("[", "(").replace("]", ")")
    return f"[{text}]({address.replace('(', '%28').replace(')', '%29')})"


def strong(text: str) -> str:
    return f"**{line(text).replace('**', '')}**"


def code(text: str) -> str:
    return f"`{line(text).replace('`', '')}`"


def quoted(text: str, length: int = QUOTE_LENGTH) -> str:
    """Untrusted text as a quote block."""
    return fenced("quote", text, length)


def fenced(language: str, text: str, length: int = QUOTE_LENGTH) -> str:
    """A code block that no text in it can close."""
    text = shortened(text.replace("\r\n", "\n").strip(), length)
    longest = max((len(each) for each in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence} {language}".rstrip() + f"\n{text}\n{fence}"


def with_quote(headline: str, words: str = "") -> str:
    """A headline, followed by the quoted text if there is one."""
    return f"{headline}:\n{quoted(words)}" if words.strip() else f"{headline}."


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"* {item}" for item in items)


def fact_list(pairs: Iterable[tuple[str, str]]) -> str:
    """`* **Priority**: high`, for pairs with a value."""
    return bullets(f"**{name}**: {value}" for name, value in pairs if value)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def name_list(names: Iterable[str]) -> str:
    """`ana, ben and 4 others`"""
    known = list(dict.fromkeys(filter(None, names)))
    if len(known) <= 1:
        return "".join(known)
    if len(known) <= MAX_NAMES:
        return ", ".join(known[:-1]) + f" and {known[-1]}"
    return ", ".join(known[:MAX_NAMES]) + f" and {count(len(known) - MAX_NAMES, 'other')}"


def humanize(word: str) -> str:
    """`snake_case` and `dotted.words` as words with spaces."""
    return line(re.sub(r"[_.\-:]+", " ", word)).strip().lower()


def quote_url(text: str) -> str:
    """Escapes a text as a part of a URL."""
    return percent_encoded(text, safe="")


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if depth < 0:
            return False
    return depth == 0
