"""Splits WhatsApp's text into messages: a header with date, time and name, then lines of text.

The phone's language and number format decide what a header looks like, and each file has one shape.
Times have no zone, and the order of day and month is found from all dates of the file.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

import msgspec

from tertulia.transfer.importing.archive_reader import InvalidExport

_INVISIBLE = re.compile("^[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SPACES = re.compile("[\u00a0\u202f]")
_DATE = r"(?P<date>\d{1,4}[./-] ?\d{1,2}[./-] ?(?:R?\d{1,4})\.?(?: BE)?)"
_TIME = (
    r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?: ?(?P<half>[AaPp]\.? ?[Mm]\.?|[\u0645\u0635]))?"
)
_BETWEEN = r"(?:[,\u060c]? (?:klo |um |at )?)"
_IOS = re.compile(rf"\[(?:{_DATE}{_BETWEEN}{_TIME})\] ")
_IOS_TIME_FIRST = re.compile(rf"\[(?:{_TIME}{_BETWEEN}{_DATE})\] ")
_ANDROID = re.compile(rf"(?:{_DATE}{_BETWEEN}{_TIME}) - ")
_SHAPES = (_IOS, _IOS_TIME_FIRST, _ANDROID)
_NO_YEAR = re.compile(r"\[\d{1,2}/\d{1,2}, \d{1,2}:\d{2}")
BUDDHIST_YEARS, ERA_BEGIN = 543, 2018
LEFT_TO_RIGHT = "\u200e"  # begins what the app has written


class ChatLine(msgspec.Struct):
    """A message. `is_written` is false for what the app itself has put in place of a text."""

    at: float
    sender: str  # empty for a notice
    text: str
    is_written: bool


class _Header(msgspec.Struct):
    numbers: tuple[int, int, int]
    clock: tuple[int, int, int]
    era: str
    rest: str
    whole: str  # the line


def is_chat(text: str) -> bool:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return any(shape.match(_cleaned(first)) for shape in _SHAPES)


def parse(text: str, zone: tzinfo) -> list[ChatLine]:
    """The messages of a file. Raises InvalidExport for a text without years."""
    lines = text.replace("\r\n", "\n").split("\n")
    first = next((line for line in lines if line.strip()), "")
    if _NO_YEAR.match(_cleaned(first)):
        raise InvalidExport("This text was copied from WhatsApp, without years. Export the chat.")
    shape = next((each for each in _SHAPES if each.match(_cleaned(first))), _ANDROID)
    blocks = list(_blocks(lines, shape))
    order = _order([header.numbers for header, _ in blocks])
    names: set[str] = set()
    found: list[ChatLine] = []
    for header, more in blocks:
        if _is_date(_date(header.numbers, order)):
            found.append(_line(header, more, order, zone, names))
        elif found:  # a line of a text that only looks like a header
            found[-1].text = "\n".join([found[-1].text, header.whole, *more])
    return found


def without_marks(text: str) -> str:
    return _MARKS.sub("", text)


def _cleaned(line: str) -> str:
    """A line as headers are matched: ASCII digits, plain spaces, no marks of direction in front."""
    line = _SPACES.sub(" ", _INVISIBLE.sub("", line))
    end = line.find("]") if line.startswith("[") else line.find(" - ")
    head = "".join(str(int(c)) if c.isdecimal() else c for c in _MARKS.sub("", line[: end + 1]))
    return head + line[end + 1 :] if end >= 0 else line


def _blocks(lines: list[str], shape: re.Pattern[str]) -> Iterator[tuple[_Header, list[str]]]:
    header: _Header | None = None
    more: list[str] = []
    for line in lines:
        found = _header(line, shape)
        if found is None:
            more.append(line)
            continue
        if header is not None:
            yield header, more
        header, more = found, []
    if header is not None:
        yield header, more


def _header(line: str, shape: re.Pattern[str]) -> _Header | None:
    cleaned = _cleaned(line)
    match = shape.match(cleaned)
    if match is None:
        return None
    date = match["date"]
    era = "BE" if date.endswith("BE") else "R" if "R" in date else ""
    first, second, third = (int(each) for each in re.findall(r"\d+", date))
    hour, minute, *seconds = (int(each) for each in re.findall(r"\d+", match["time"]))
    half = (match["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half[0] in ("p", "\u0645") else 0)
    if hour > 23 or minute > 59:
        return None
    clock = (hour, minute, min(59, seconds[0] if seconds else 0))
    return _Header((first, second, third), clock, era, cleaned[match.end() :], line)


def _order(dates: list[tuple[int, int, int]]) -> str:
    """The order of year, month and day: by a number over 12, else by dates that never go back."""
    if any(first > 31 for first, _, _ in dates):
        return "ymd"
    if any(first > 12 for first, _, _ in dates):
        return "dmy"
    if any(second > 12 for _, second, _ in dates):
        return "mdy"
    back = {
        order: sum(_date(each, order) > _date(later, order) for each, later in pairwise(dates))
        for order in ("dmy", "mdy")
    }
    return "mdy" if back["mdy"] < back["dmy"] else "dmy"


def _date(numbers: tuple[int, int, int], order: str) -> tuple[int, int, int]:
    found = dict(zip(order, numbers, strict=True))
    return found["y"], found["m"], found["d"]


def _is_date(date: tuple[int, int, int]) -> bool:
    _, month, day = date
    return 1 <= month <= 12 and 1 <= day <= 31


def _line(header: _Header, more: list[str], order: str, zone: tzinfo, names: set[str]) -> ChatLine:
    year, month, day = _date(header.numbers, order)
    if header.era == "BE":
        year -= BUDDHIST_YEARS
    elif header.era == "R":
        year += ERA_BEGIN
    elif year < 100:
        year += 2000
    start = datetime(year, month, 1, *header.clock, tzinfo=zone) + timedelta(days=day - 1)
    known = [name for name in names if header.rest.startswith(f"{name}: ")]
    sender = max(known, key=len) if known else header.rest.partition(": ")[0]
    text = header.rest[len(sender) + 2 :]
    if not text and not header.rest.endswith(": "):
        return ChatLine(start.timestamp(), "", "\n".join([header.rest, *more]).strip(), False)
    is_written = not text.startswith(LEFT_TO_RIGHT)
    if is_written:
        names.add(sender)
    whole = "\n".join([text, *more]).strip()
    return ChatLine(start.timestamp(), without_marks(sender).strip(), whole, is_written)
