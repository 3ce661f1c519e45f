"""Parses the script of the demo, `talk.txt`.

=== kitchen > Menu          a channel and a topic, or `=== @nour, lucia` for a conversation
27 15:33 sam                days ago, time of day, user
What is the other thing?    the message, up to the next line of these kinds
:: heart nour, lucia        a reaction and its users; `:: vote 2 nour` is a vote in a poll

`{picture courtyard}` in a message is a picture from `pictures.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

_CONVERSATION = re.compile(r"=== (?:@(?P<people>.+)|(?P<channel>.+?) > (?P<topic>.+))")
_ANSWER = re.compile(r":: (?P<how>[a-z_]+(?: \d+)?) (?P<who>[a-z, -]+)")
_HEADER = re.compile(r"(?P<days_ago>\d+) (?P<hour>\d\d):(?P<minute>\d\d) (?P<who>[a-z-]+)")


@dataclass(frozen=True, slots=True)
class Line:
    days_ago: int
    hour: int
    minute: int
    who: str
    words: str
    channel: str = ""
    topic: str = ""
    people: tuple[str, ...] = ()  # of a conversation, including the sender
    answers: tuple[tuple[str, str], ...] = ()  # an emoji or a vote, and the user


def read() -> list[Line]:
    """All messages in the order of the file."""
    text = (resources.files("tertulia.sample_data.demo") / "talk.txt").read_text(encoding="utf-8")
    return list(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    conversation: dict[str, str] = {}
    cue: dict[str, str] = {}
    words: list[str] = []
    answers: list[tuple[str, str]] = []
    for row in [*text.splitlines(), "=== end > end"]:
        new_conversation, new_cue = _CONVERSATION.fullmatch(row), _HEADER.fullmatch(row)
        if (answer := _ANSWER.fullmatch(row)) is not None:
            answers += [(answer["how"], who) for who in answer["who"].split(", ")]
            continue
        if new_conversation is None and new_cue is None:
            words.append(row)
            continue
        if cue:
            yield _line(conversation, cue, "\n".join(words), answers)
        cue, words, answers = {}, [], []
        if new_conversation is not None:
            conversation = new_conversation.groupdict(default="")
        if new_cue is not None:
            cue = new_cue.groupdict()


def _line(
    conversation: dict[str, str], cue: dict[str, str], words: str, answers: list[tuple[str, str]]
) -> Line:
    return Line(
        days_ago=int(cue["days_ago"]),
        hour=int(cue["hour"]),
        minute=int(cue["minute"]),
        who=cue["who"],
        words=words,
        channel=conversation["channel"],
        topic=conversation["topic"],
        people=tuple(conversation["people"].split(", ")) if conversation["people"] else (),
        answers=tuple(answers),
    )
