"""Catching up: the few sentences of unread messages that a reader should see, without a model.

The words, mentions, reactions and links of the messages decide. The same messages give the same
sentences. A sentence is quoted as it was written; nothing is rephrased.
"""

import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from math import log2

import msgspec
from msgspec.structs import replace

from tertulia import domain
from tertulia.features.catch_up.cues import Cue, cues_in

SENTENCES_PER_TOPIC = 3
MAX_SENTENCE_LENGTH = 300  # characters; a longer one is cut with an ellipsis
MAX_TEXT_LENGTH = 4000  # characters of a message that are looked at
MIN_SCORE = 2.0  # sentences below it are quoted only if the topic has nothing better to say
MIN_TOPIC_WORD_LENGTH = 4
MAX_SHARED_WORDS = 3

# The end of a sentence: a mark before a space; in scripts without spaces, the mark alone. No space
# follows a full stop inside a number or an address, and a lower-case letter one in an abbreviation.
_END = re.compile(r"(?<=[.!?…؟])[\"'”’»)\]]*\s+(?![a-z0-9])|(?<=[。！？])[」』]?")
_QUESTION = re.compile(r"[?？؟][\"'”’»)\]\s]*$")
_CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_LINK = re.compile(r"https?://")
_ADDRESS = re.compile(r"https?://\S+")
_WORD = re.compile(r"\w")
_DATE = re.compile(
    r"\b\d{1,2}(?::\d\d|[./]\d{1,2}(?:[./]\d{2,4})?\b|\.(?=\s)|h\b)|\d(?:st|nd|rd|th)\b"
)


class Reason(Enum):
    """Why a sentence is quoted, in the words of the API."""

    QUESTION_TO_YOU = "question_to_you"
    MENTION = "mention"
    DECISION = "decision"
    DATE_CHANGE = "date_change"
    POLL = "poll"
    TO_DO = "to_do"
    QUESTION = "question"
    REACTIONS = "reactions"
    LINK = "link"
    OTHER = "other"


class CatchUpMessage(msgspec.Struct, frozen=True):
    """An unread message, as far as catching up needs it."""

    id: int
    sender_id: int
    rendered: str
    is_mention: bool = False  # names the reader, or a group that they are in
    is_wildcard: bool = False
    has_alert_word: bool = False
    reactions: int = 0
    poll: str | None = None  # the question of a poll; empty if the reader has voted
    to_do: str | None = None  # the title of a to-do list; empty if all is done
    is_by_bot: bool = False

    @property
    def widget(self) -> tuple[str, Reason, float] | None:
        """What is quoted of a poll or a list instead of sentences, with its score."""
        if self.poll is not None:
            return self.poll, Reason.POLL, 4.0
        return None if self.to_do is None else (self.to_do, Reason.TO_DO, 3.0)


class Reader(msgspec.Struct, frozen=True):
    full_name: str

    @property
    def names(self) -> tuple[str, ...]:
        """The folded names that a text may call the reader by: the full one and the first."""
        folded = domain.search.words.fold(self.full_name).strip()
        first = folded.split(" ")[0]
        return tuple(dict.fromkeys(name for name in (folded, first) if len(name) > 1))


class Sentence(msgspec.Struct, frozen=True):
    message_id: int
    sender_id: int
    text: str
    reason: Reason
    score: float
    reactions: int = 0

    @property
    def is_personal(self) -> bool:
        """Whether it calls the reader."""
        return self.reason in (Reason.QUESTION_TO_YOU, Reason.MENTION)


class _Part(msgspec.Struct, frozen=True):
    """A sentence of a message, prepared for scoring."""

    text: str
    folded: str
    words: list[str]  # in order
    stems: set[str]  # of the longer words


class Summary(msgspec.Struct, frozen=True):
    """The quoted sentences of a topic or conversation, the most important first."""

    sentences: tuple[Sentence, ...]
    score: float  # how much it concerns the reader


class UnreadConversation(msgspec.Struct):
    """A topic or direct conversation with its unread messages, oldest first."""

    channel_id: int | None
    channel_name: str
    topic: str
    member_ids: tuple[int, ...]
    is_followed: bool
    messages: list[CatchUpMessage]

    @property
    def is_direct(self) -> bool:
        return self.channel_id is None

    def link(self, message_id: int) -> str:
        """The address of a message in the page."""
        if self.channel_id is None:
            conversation = domain.messages.links.conversation_link(self.member_ids)
        else:
            conversation = domain.messages.links.topic_link(
                self.channel_id, self.channel_name, self.topic
            )
        return f"{conversation}/near/{message_id}"


def summarize_all(
    conversations: Sequence[UnreadConversation], reader: Reader
) -> list[tuple[UnreadConversation, Summary]]:
    """The summaries, ordered by how much they concern the reader."""
    found = [
        (
            each,
            summarize(
                each.messages,
                reader,
                each.topic,
                is_direct=each.is_direct,
                is_followed=each.is_followed,
            ),
        )
        for each in conversations
    ]
    found.sort(key=lambda pair: (-pair[1].score, -pair[0].messages[-1].id))
    return found


def summarize(
    messages: Sequence[CatchUpMessage],
    reader: Reader,
    title: str = "",
    *,
    is_direct: bool = False,
    is_followed: bool = False,
) -> Summary:
    """Quote what matters of the unread messages of one conversation, which are in order."""
    names = reader.names
    parts = [_split(message.rendered) if message.widget is None else [] for message in messages]
    topic_words = _topic_words(title, parts)
    found: list[Sentence] = []
    for index, message in enumerate(messages):
        left = len(messages) - 1 - index
        found += _sentences(
            message, parts[index], names, topic_words, left, len(messages), is_direct=is_direct
        )
    found.sort(key=lambda each: (-each.score, -each.message_id))
    found = _without_repetitions(found)
    chosen = [each for each in found if each.score >= MIN_SCORE][:SENTENCES_PER_TOPIC]
    chosen = chosen or found[:1]
    score = sum(each.score for each in chosen) + 3.0 * is_direct + 2.0 * is_followed
    score += 10.0 * any(each.is_personal for each in chosen)
    return Summary(tuple(chosen), round(score, 3))


def _without_repetitions(sentences: list[Sentence]) -> list[Sentence]:
    """The first of each text: a reminder that was sent five times is quoted once."""
    first: dict[str, Sentence] = {}
    for each in sentences:
        first.setdefault(each.text, each)
    return list(first.values())


def _sentences(
    message: CatchUpMessage,
    parts: list[_Part],
    names: tuple[str, ...],
    topic_words: Counter[str],
    left: int,
    count: int,
    *,
    is_direct: bool,
) -> list[Sentence]:
    """The sentences of one message with their scores. `left` messages follow it."""
    if message.widget is not None:
        text, reason, score = message.widget
        quoted = Sentence(
            message.id, message.sender_id, _cut(text), reason, score, message.reactions
        )
        return [quoted] if text else []
    named = [_names(part.folded, names) for part in parts]
    is_question = [_QUESTION.search(part.text) is not None for part in parts]
    # A mention before or after the question makes it one to the reader.
    asks_reader = (message.is_mention or is_direct) and any(is_question)
    found = []
    for part, is_named, is_question_here in zip(parts, named, is_question, strict=True):
        reason, score = _judge(
            part, topic_words, is_question_here=is_question_here, left=left, count=count
        )
        if is_question_here and (is_named or asks_reader):
            reason, score = Reason.QUESTION_TO_YOU, score + 8.0
        elif is_named or (message.is_mention and not any(named)) or message.has_alert_word:
            reason, score = Reason.MENTION, score + 5.0
        elif message.is_wildcard:
            score += 2.0
        if message.is_by_bot:
            score -= 2.0
        found.append(Sentence(message.id, message.sender_id, _cut(part.text), reason, score))
    if message.reactions and found:
        best = max(found, key=lambda each: each.score)
        found[found.index(best)] = _reacted_to(best, message.reactions)
    return found


def _reacted_to(sentence: Sentence, reactions: int) -> Sentence:
    """People react to a message; its most important sentence counts."""
    is_plain = sentence.reason in (Reason.OTHER, Reason.LINK)
    return replace(
        sentence,
        reason=Reason.REACTIONS if is_plain else sentence.reason,
        score=sentence.score + 1.2 * log2(1 + reactions),
        reactions=reactions,
    )


def _judge(
    part: _Part,
    topic_words: Counter[str],
    *,
    is_question_here: bool,
    left: int,
    count: int,
) -> tuple[Reason, float]:
    """The reason and the score of a sentence for any reader."""
    folded = part.folded
    cues = cues_in(folded, part.words)
    has_date = bool(cues & Cue.DATE) or _DATE.search(folded) is not None
    length = len(part.words) if not domain.search.words.is_unspaced(folded) else len(folded) // 3
    score = 0.0
    reason = Reason.OTHER
    if _LINK.search(part.text):
        score += 1.0
        reason = Reason.LINK
    if is_question_here:
        score += 1.0 if length <= 3 else 2.0
        score += 2.0 if cues & Cue.ASK else 0.0
        score += 1.5 if left <= 1 else 0.0
        reason = Reason.QUESTION
    elif cues & Cue.DECISION:
        score += 4.0
        reason = Reason.DECISION
    if not is_question_here and has_date and cues & Cue.CHANGE:
        score += 3.0
        reason = Reason.DATE_CHANGE if reason is not Reason.DECISION else reason
    score += 1.0 if has_date else 0.0
    score += 1.0 if cues & Cue.REQUEST else 0.0
    score += 1.0 if cues & Cue.INTENTION else 0.0
    # What was said last holds.
    score += 1.5 * (count - left) / count
    score += _share_of_topic(part, topic_words)
    if length <= 2:
        score -= 2.0
    elif length >= 6:
        score += 0.5
    return reason, score


def _share_of_topic(part: _Part, topic_words: Counter[str]) -> float:
    """0.5 for each word that other messages or the title use as well, up to 1.5."""
    shared = sum(topic_words[stem] > 1 for stem in part.stems)
    return 0.5 * min(shared, MAX_SHARED_WORDS)


def _topic_words(title: str, parts: Sequence[list[_Part]]) -> Counter[str]:
    """How many messages use each word; a word of the title counts as used by two."""
    found: Counter[str] = Counter()
    for of_message in parts:
        found.update(set().union(*(part.stems for part in of_message)))
    for word in domain.search.words.words_in(domain.search.words.fold(title)):
        found[domain.search.languages.stem(word)] += 2
    return found


def quotes(rendered: str, text: str) -> bool:
    """Whether a message still contains a sentence that was quoted."""
    return any(_cut(each) == text for each in _sentence_texts(rendered))


def _split(rendered: str) -> list[_Part]:
    return [_part(text) for text in _sentence_texts(rendered)]


def _part(text: str) -> _Part:
    folded = domain.search.words.fold(text)
    spoken = domain.search.words.words_in_order(folded)
    long = {
        domain.search.languages.stem(word) for word in spoken if len(word) >= MIN_TOPIC_WORD_LENGTH
    }
    return _Part(text, folded, spoken, long)


def _sentence_texts(rendered: str) -> list[str]:
    """The sentences of a message, without code, quotations, spoilers and bare links."""
    markup = rendered
    if "<pre>" in markup:
        markup = _CODE.sub(" ", markup)
    lines = domain.messages.notification_text.plain_text(markup)[:MAX_TEXT_LENGTH].split("\n")
    return [
        sentence
        for line in lines
        if not line.startswith(">")
        for part in _END.split(line)
        if (sentence := part.strip()) and not _is_bare_link(sentence)
    ]


def _is_bare_link(sentence: str) -> bool:
    return _LINK.search(sentence) is not None and not _WORD.search(_ADDRESS.sub("", sentence))


def _names(folded: str, names: tuple[str, ...]) -> bool:
    return any(_contains_word(folded, name) for name in names)


def _contains_word(text: str, word: str) -> bool:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(word, end)
    return False


def _cut(text: str) -> str:
    """The sentence, cut at a word if it is very long."""
    if len(text) <= MAX_SENTENCE_LENGTH:
        return text
    return text[: MAX_SENTENCE_LENGTH - 1].rsplit(" ", 1)[0] + "…"
