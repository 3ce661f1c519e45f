"""Mentions in rendered messages, for readers who may not know everybody."""

import re
from collections.abc import Callable

from tertulia.domain.people.known_people import UNKNOWN_NAME

_MENTION = re.compile(r'(<span class="user-mention(?: silent)?" data-user-id="([0-9]+)">@?)[^<]*')


def in_html(html: str, is_known: Callable[[int], bool]) -> str:
    """Rendered content that names only known people in mentions."""

    def replaced(found: re.Match[str]) -> str:
        return found[0] if is_known(int(found[2])) else f"{found[1]}{UNKNOWN_NAME}"

    return _MENTION.sub(replaced, html) if "user-mention" in html else html
