"""Converts Discord's texts to Markdown. The dialects are close: what differs is converted, code
stays as it is."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from tertulia.transfer.importing.sources.attachments import end_quotations
from tertulia.transfer.importing.sources.plain_text import neutral
from tertulia.transfer.model import MARK, person

_CODE = re.compile(r"(```.*?```|``[^`].*?``|`[^`\n]+`)", re.DOTALL)
_LANGUAGE = re.compile(r"```(?:([\w+#.-]*)\n)?(.*?)```", re.DOTALL)
_REFERENCE = re.compile(
    r"<(?:(?P<person>@!?)|(?P<role>@&)|(?P<channel>#))(?P<id>[0-9]+)>"
    r"|<a?:(?P<emoji>\w+):(?P<emoji_id>[0-9]+)>"
    r"|<t:(?P<time>-?[0-9]+)(?::[tTdDfFR])?>"
    r"|</(?P<command>[^:>\n]+):[0-9]+>"
    r"|<(?P<link>https?://[^\s<>]+)>"
    r"|¯\\_\(ツ\)_/¯"
)
_HELD = "\ue0fe"  # placeholder for a reference while the text is converted
_PLACE = re.compile(f"{_HELD}([0-9]+){_HELD}")
_EVERYONE = re.compile(r"(?<![\w@])@(?:everyone|here)\b")
_SPOILER = re.compile(r"\|\|(.+?)\|\|", re.DOTALL)
_UNDERLINE = re.compile(r"__(?=\S)(.+?)(?<=\S)__(?!_)", re.DOTALL)
_ITALIC = re.compile(r"(?<![\w\\_])_(?=[^\s_])([^_\n]+?)(?<=\S)_(?![\w_])")
_SMALL = re.compile(r"^-# ", re.MULTILINE)
_SHRUG, _SHRUG_HERE = "¯\\_(ツ)_/¯", "¯\\\\\\_(ツ)\\_/¯"
_MAX_TIME = 253402300799  # the last second of the year 9999

Named = Callable[[str], str]


def converted(text: str, *, emoji: Callable[[str, str], str], role: Named, room: Named) -> str:
    """`emoji` gets the id and the name; `role` and `room` return a reference to an id."""

    def reference(match: re.Match[str]) -> str:
        found = match.groupdict()
        if found["person"]:
            return person(found["id"], "unknown")
        if found["role"]:
            return role(found["id"])
        if found["channel"]:
            return room(found["id"])
        if found["emoji"]:
            return emoji(found["emoji_id"], found["emoji"])
        if found["time"]:
            return _time(int(found["time"])) or match[0]
        return f"/{found['command']}" if found["command"] else found["link"]

    def outside_code(part: str) -> str:
        held: list[str] = []

        def hold(match: re.Match[str]) -> str:
            held.append(_SHRUG_HERE if match[0] == _SHRUG else reference(match))
            return f"{_HELD}{len(held) - 1}{_HELD}"

        part = _REFERENCE.sub(hold, neutral(part.replace(_HELD, "")))
        part = _ITALIC.sub(r"*\1*", _UNDERLINE.sub(r"\1", part))
        part = _SMALL.sub("", _EVERYONE.sub("@**all**", part))
        return _PLACE.sub(lambda match: held[int(match[1])], part)

    parts = _CODE.split(text.replace(MARK, ""))
    whole = "".join(_code(part) if i % 2 else outside_code(part) for i, part in enumerate(parts))
    return end_quotations(_SPOILER.sub(_spoiler, whole)).strip()


def spoiler(text: str) -> str:
    return f"\n```spoiler\n{text.strip()}\n```\n"


def _spoiler(match: re.Match[str]) -> str:
    return match[0] if "```" in match[1] else spoiler(match[1])


def _code(text: str) -> str:
    """A fence needs lines of its own; a word is a language only if a line break follows."""
    fence = _LANGUAGE.fullmatch(text)
    if fence is None:
        return text
    return f"\n```{fence[1] or ''}\n{fence[2].strip(chr(10))}\n```\n"


def _time(seconds: int) -> str:
    if not 0 <= seconds <= _MAX_TIME:
        return ""
    return f"<time:{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}>"
