"""Reads the hand-judged topics of `catch_up_topics.txt`."""

import html
import re
from pathlib import Path

import msgspec

from tertulia.features.catch_up.summary import CatchUpMessage, Reader

READER = Reader("Nour Haddad")
_HEAD = re.compile(r"== (?P<kind>\S+) (?P<language>\S+?)(?P<held_out> held-out)?: (?P<title>.+)")
_LINE = re.compile(r"(?P<sender>\w+): (?P<text>.+?)(?: \{(?P<reactions>\d+)\})?")
_MENTION = re.compile(r"@\*\*(.+?)\*\*")


class JudgedTopic(msgspec.Struct):
    title: str
    language: str
    is_held_out: bool
    messages: list[CatchUpMessage]
    answer_id: int = 0  # the message with the decision or open question
    answer: str = ""


def read() -> list[JudgedTopic]:
    topics: list[JudgedTopic] = []
    senders: dict[str, int] = {}
    for line in (Path(__file__).parent / "catch_up_topics.txt").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        if head := _HEAD.fullmatch(line):
            held_out = head["held_out"] is not None
            topics.append(JudgedTopic(head["title"], head["language"], held_out, []))
            continue
        texts = _LINE.fullmatch(line)
        assert texts is not None, line
        topic = topics[-1]
        number = len(topic.messages) + 1
        text = texts["text"]
        if "[[" in text:
            topic.answer_id = number
            topic.answer = _shown(text[text.index("[[") + 2 : text.index("]]")])
            text = text.replace("[[", "").replace("]]", "")
        is_poll = text.startswith("/poll ")
        topic.messages.append(
            CatchUpMessage(
                number,
                senders.setdefault(texts["sender"], len(senders) + 10),
                f"<p>{html.escape(_shown(text))}</p>",
                is_mention=f"@**{READER.full_name}**" in text,
                reactions=int(texts["reactions"] or 0),
                poll=text.removeprefix("/poll ") if is_poll else None,
            )
        )
    return topics


def _shown(text: str) -> str:
    return _MENTION.sub(r"@\1", text)
