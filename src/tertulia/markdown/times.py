"""Global times: `<time:2031-04-05T09:30+02:00>`, shown by each client in its reader's zone."""

import re
from datetime import UTC, datetime

from tertulia.markdown import escape
from tertulia.markdown.stash import Stash

_TIME = re.compile(r"<time:([^<>]*)>")


def apply(text: str, stash: Stash) -> str:
    def replace(match: re.Match[str]) -> str:
        shown = escape.text(match[1])
        moment = _moment(match[1])
        if moment is None:
            return stash.keep(f"&lt;time:{shown}&gt;", match[0])
        return stash.keep(f'<time datetime="{moment}">{shown}</time>', match[1])

    return _TIME.sub(replace, text)


def _moment(typed: str) -> str | None:
    try:
        moment = datetime.fromisoformat(typed)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None
