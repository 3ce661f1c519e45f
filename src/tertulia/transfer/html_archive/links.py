"""Links in archived messages: to files, images, emoji and messages within the archive.

A link that leads to nothing in the archive becomes plain text.
"""

import re
from collections.abc import Callable
from html import escape, unescape

# Markdown writes absolute addresses of this server without the host and the slash.
_FILE = re.compile(r"/?user_uploads/(thumbnail/)?([0-9]+/[^\"'?#\s]+)")
_ADDRESS = re.compile(
    r'(<a [^>]*?)href="((?:/|#|user_uploads/)[^"]*)"'
    r'|(<(?:img|video|audio|source)\s(?:[^>]*?\s)?)src="((?:/|user_uploads/)[^"]*)"'
)
# No id has more digits; longer numbers are none that a database accepts.
_ID = "([0-9]{1,18})"
_NARROW = re.compile(
    rf"/?#narrow/(?:channel|stream)/{_ID}[^/]*/topic/([^/]+)(?:/(?:near|with)/{_ID})?"
)

_EMOJI = re.compile(r"/user_avatars/[0-9]+/emoji/images/([^/]+)")

FileTarget = Callable[[str], str | None]
EmojiTarget = Callable[[str], str | None]
MessageTarget = Callable[[int, str, int | None], str | None]


def rewrite(html: str, file: FileTarget, emoji: EmojiTarget, message: MessageTarget) -> str:
    """`file` returns the path of a file by its path id; `emoji` that of a custom emoji by the name
    of its image; `message` that of a topic or message."""

    def replace(found: re.Match[str]) -> str:
        before, link, media, source = found.groups()
        if media is not None:
            source = unescape(source)
            named = _EMOJI.fullmatch(source)
            target = emoji(named[1]) if named else _file_target(source, file)
            return media if target is None else f'{media}src="{escape(target)}"'
        address = unescape(link)
        target = _file_target(address, file) or _message_target(address, message)
        return before if target is None else f'{before}href="{escape(target)}"'

    return _ADDRESS.sub(replace, html)


def _file_target(address: str, file: FileTarget) -> str | None:
    found = _FILE.match(address)
    if found is None:
        return None
    is_thumbnail, path_id = found.groups()
    return file(path_id.rpartition("/")[0] if is_thumbnail else path_id)


def _message_target(address: str, message: MessageTarget) -> str | None:
    found = _NARROW.match(address)
    if found is None:
        return None
    topic = re.sub(r"\.([0-9A-F]{2})", r"%\1", found[2])
    return message(int(found[1]), topic, None if found[3] is None else int(found[3]))
