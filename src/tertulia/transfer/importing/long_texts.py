"""Splits texts that are too long for one message."""

FENCE = "```"
CLOSED = f"\n{FENCE}"


def split(text: str, max_length: int) -> list[str]:
    """Split a text into parts of at most this length, between paragraphs, lines or words.

    A code block that has to be cut is closed at the end of a part and opened again in the next one.
    """
    parts: list[str] = []
    rest = text
    while len(rest) > max_length:
        part, rest = _cut(rest, max_length)
        parts.append(part)
    return [*parts, rest]


def _cut(text: str, max_length: int) -> tuple[str, str]:
    room = max_length - len(CLOSED)
    at = _split_at(text, room)
    part, rest = text[:at].rstrip(), text[at:]
    opening = _open_fence(part)
    if opening is None:
        return part, rest.lstrip("\n")
    if len(opening) > room // 2:  # not the name of a language
        opening = FENCE
    return part + CLOSED, f"{opening}\n{rest.removeprefix(chr(10))}"


def _split_at(text: str, room: int) -> int:
    """Where to cut: as late as possible, preferably between paragraphs."""
    for between in ("\n\n", "\n", " "):
        found = text.rfind(between, room // 2, room)
        if found > 0:
            return found
    return room


def _open_fence(text: str) -> str | None:
    """The opening line of a code block that does not end in this text."""
    opening = None
    for line in text.split("\n"):
        if line.startswith(FENCE):
            opening = None if opening is not None else line
    return opening
