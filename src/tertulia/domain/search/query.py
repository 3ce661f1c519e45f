"""Searching: what a query asks for, and whether a text answers it.

A query is words and phrases, all of which must be found, in the message or its topic.

* A word finds its other forms (English ones: `meeting` finds `meetings` and `meets`) and every
  word that it is a part of (`market` finds `supermarket`), if it has three letters or more.
* A phrase in quotation marks is found as it stands, letter by letter. So is what is written in a
  language without spaces.
* Stop words are left out, unless the query has nothing else: then each must be there as a word.

The index (`storage/search/index.py`) answers by clues: what certainly is among the words of a
message that matches. Words are clues enough; a phrase has to be looked up in the text as well.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import msgspec

from tertulia import domain

MAX_QUERY_TERMS = 24  # what a long query asks beyond that is checked in the text

_QUOTED = re.compile(r'"([^"]*)"')
_WIDE = re.compile(r"\s\s|[^\S ]")


class QueryTerm(msgspec.Struct, frozen=True):
    """One of the words of a message is this one, is a form of it, or contains it."""

    word: str | None = None
    stem: str | None = None
    part: str | None = None

    def fits(self, word: str) -> bool:
        return (self.part is not None and self.part in word) or self.is_form(word)

    def may_be_in(self, folded: str) -> bool:
        """Whether it is worth while to cut a text into words; nearly always it is not."""
        if self.stem is not None:
            return domain.search.words.beginning(self.stem) in folded
        return (self.word or self.part or "") in folded

    def is_form(self, word: str) -> bool:
        if word == self.word:
            return True
        if self.stem is None or word[0] != self.stem[0]:
            return False  # looking at the first letter spares us most of the stemming
        return domain.search.words.stem(word) == self.stem


class Phrase(msgspec.Struct, frozen=True):
    """Something that stands in the text exactly so, but for the width of spaces."""

    text: str

    @property
    def clues(self) -> list[QueryTerm]:
        found = [
            clue
            for token in domain.search.words.tokens(self.text)
            for clue in self._clues_from(token)
        ]
        return found or self.whole_words

    @property
    def whole_words(self) -> list[QueryTerm]:
        """Of a phrase as short as "c++" the words must be whole: the index knows no others."""
        if any(self._clues_from(token) for token in domain.search.words.tokens(self.text)):
            return []
        return [QueryTerm(word=token.group()) for token in domain.search.words.tokens(self.text)]

    def _clues_from(self, token: re.Match[str]) -> list[QueryTerm]:
        word = token.group()
        if domain.search.words.is_unspaced(word):
            if len(word) == 1:
                return [QueryTerm(part=word)]
            return [
                QueryTerm(word=pair) for pair in domain.search.words.pairs(word)[:MAX_QUERY_TERMS]
            ]
        if len(word) > domain.search.words.MAX_PART_LENGTH:
            return [QueryTerm(part=word[: domain.search.words.MAX_PART_LENGTH])]
        if self._is_whole(token):
            return [QueryTerm(word=word)]
        return [QueryTerm(part=word)] if len(word) >= domain.search.words.MIN_PART_LENGTH else []

    @property
    def meetings(self) -> set["AdjacentWords"]:
        """How its words follow each other, as far as anything is known of that."""
        return {
            AdjacentWords(
                left.group(), right.group(), self._has_sure_end(left), self._has_sure_end(right)
            )
            for left, right in pairwise(domain.search.words.tokens(self.text))
            if self._can_be_completed(left) and self._can_be_completed(right)
        }

    def _can_be_completed(self, token: re.Match[str]) -> bool:
        """Whether the index knows all words that it may be a part of: not of runs of letters."""
        return self._has_sure_end(token) or not domain.search.words.is_unspaced(token.group())

    def _has_sure_end(self, token: re.Match[str]) -> bool:
        long_enough = len(token.group()) >= domain.search.words.MIN_PART_LENGTH
        return long_enough or self._is_whole(token)

    def _is_whole(self, token: re.Match[str]) -> bool:
        """Whether it can only be a whole word. What stands at an end may go on in the text."""
        before, after = self.text[: token.start()], self.text[token.end() :]
        return domain.search.words.is_symbol(token) or bool(before.strip("'") and after.strip("'"))


class AdjacentWords(msgspec.Struct, frozen=True):
    """Two words that follow each other in a phrase. What is short, and at an end of the phrase, may
    be but a part of a word: then its letters where the two meet are not known for sure."""

    left: str
    right: str
    is_left_sure: bool = True
    is_right_sure: bool = True

    def joints(self, lefts: Iterable[str], rights: Iterable[str]) -> set[str]:
        """All that it may be, if there are these words that end and begin as it says."""
        ends = {domain.search.words.end(each) for each in lefts}
        beginnings = {domain.search.words.start(each) for each in rights}
        return {f"{end} {start}" for end in ends for start in beginnings}


class SearchedText:
    """A message as a search sees it."""

    def __init__(self, rendered: str, topic: str) -> None:
        self.folded = domain.search.words.fold(domain.messages.plain_text.text_of(rendered))
        self.folded_topic = domain.search.words.fold(topic)

    @cached_property
    def words(self) -> set[str]:
        return domain.search.words.words_in(self.folded) | domain.search.words.words_in(
            self.folded_topic
        )

    @property
    def joints(self) -> set[str]:
        return domain.search.words.joints(self.folded) | domain.search.words.joints(
            self.folded_topic
        )

    def has(self, clue: QueryTerm) -> bool:
        texts = (self.folded, self.folded_topic)
        if clue.part is not None and any(clue.part in text for text in texts):
            return True  # a part of a word is nowhere but in words
        if not any(clue.may_be_in(text) for text in texts):
            return False
        return any(clue.fits(word) for word in self.words)

    def contains(self, phrase: Phrase) -> bool:
        return (
            phrase.text in self.folded
            or phrase.text in self.folded_topic
            or (_WIDE.search(self.folded) is not None and phrase.text in self._narrowed)
        )

    @cached_property
    def _narrowed(self) -> str:
        """The text with every space as wide as one letter."""
        return " ".join(self.folded.split())


class Query(msgspec.Struct, frozen=True):
    """What is looked for. Without words and phrases, nothing can be found."""

    words: tuple[QueryTerm, ...] = ()
    phrases: tuple[Phrase, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.phrases

    @property
    def length(self) -> int:
        """How many things are asked for."""
        return len(self.words) + len(self.phrases)

    @property
    def clues(self) -> list[QueryTerm]:
        """What the index is asked for."""
        found = [*self.words, *(clue for phrase in self.phrases for clue in phrase.clues)]
        return list(dict.fromkeys(found))[:MAX_QUERY_TERMS]

    @property
    def meetings(self) -> set[AdjacentWords]:
        """How the words of a text follow each other that holds all phrases."""
        return {meeting for phrase in self.phrases for meeting in phrase.meetings}

    @property
    def needs_text(self) -> bool:
        """Whether the clues alone do not tell if a message matches."""
        return bool(self.phrases) or len(self.words) > MAX_QUERY_TERMS

    def matches(self, page: SearchedText) -> bool:
        return (
            not self.is_empty
            and all(page.contains(phrase) for phrase in self.phrases)
            and all(page.has(clue) for clue in self._demands)
        )

    @property
    def _demands(self) -> list[QueryTerm]:
        """What has to be among the words, whatever the text says."""
        return [*self.words, *(word for phrase in self.phrases for word in phrase.whole_words)]

    def is_confirmed_by(self, page: SearchedText) -> bool:
        """Whether a page matches on which the clues have been found already."""
        if len(self.words) > MAX_QUERY_TERMS:
            return self.matches(page)
        return all(page.contains(phrase) for phrase in self.phrases)


def parse(text: str) -> Query:
    """What somebody means by the words they typed."""
    folded = domain.search.words.fold(text)
    phrases = [Phrase(" ".join(quoted.split())) for quoted in _QUOTED.findall(folded)]
    phrases = [phrase for phrase in phrases if domain.search.words.tokens(phrase.text)]
    found: list[str] = []
    for token in domain.search.words.tokens(_QUOTED.sub(" ", folded)):
        word = token.group()
        if (
            domain.search.words.is_unspaced(word)
            or domain.search.words.is_symbol(token)
            or len(word) > domain.search.words.MAX_PART_LENGTH
        ):
            phrases.append(Phrase(word))
        else:
            found.append(word)
    telling = [word for word in found if word not in domain.search.words.STOP_WORDS]
    if telling or phrases:
        clues = [_clue(word) for word in telling]
    else:
        clues = [QueryTerm(word=word) for word in found]
    return Query(tuple(dict.fromkeys(clues)), tuple(dict.fromkeys(phrases)))


def _clue(word: str) -> QueryTerm:
    part = word if len(word) >= domain.search.words.MIN_PART_LENGTH else None
    return QueryTerm(word=word, stem=domain.search.words.stem(word), part=part)
