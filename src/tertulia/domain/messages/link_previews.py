"""Which links of a message get a preview, and where the previews are in its HTML: at its end."""

import re
from html import unescape

MAX_PREVIEWS = 3  # of one message
MAX_URL_LENGTH = 2000

# Users' quotation marks are escaped, so only a tag of our own matches.
_LINK = re.compile(r'<a href="(https?://[^"]+)"')
START = '<div class="message_embed">'


def links_in(rendered: str) -> list[str]:
    """The addresses in a message that get a preview, each once."""
    found = dict.fromkeys(unescape(each) for each in _LINK.findall(without_previews(rendered)))
    return [each for each in found if len(each) <= MAX_URL_LENGTH][:MAX_PREVIEWS]


def without_previews(rendered: str) -> str:
    return rendered.partition(START)[0]


def previews_of(rendered: str) -> str:
    """The previews at the end of a message, as HTML."""
    return rendered[len(without_previews(rendered)) :]
