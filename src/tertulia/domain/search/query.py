"""Search queries: parsing, and matching against a text.

A query consists of words and phrases, all of which must occur in the message or its topic.

- A word matches its other forms in the language of the organization (`meeting` matches `meetings`
  and `meets`) and every word
  that contains it (`market` matches `supermarket`), if it has three letters or more.
- A phrase in quotation marks matches exactly, letter by letter. So does text in a language without
  spaces.
- Stop words are ignored, unless the query has nothing else: then each must occur as a word.

The index (`storage/search/index.py`) is queried by terms that every matching message contains. For
words the terms are sufficient; a phrase must also be checked in the text.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import msgspec

from tertulia.domain.messages import plain_text
from tertulia.domain.search import words
from tertulia.domain.search.languages import DEFAULT, STOP_WORDS, common_start, stem

MAX_QUERY_TERMS = 24  # a longer query is checked in the text

_QUOTED = re.compile(r'"([^"]*)"')
_WIDE = re.compile(r"\s\s|[^\S ]")


class QueryTerm(msgspec.Struct, frozen=True):
    """Matches a word, its other forms, or words that contain it."""

    word: str | None = None
    part: str | None = None
    by_stem: bool = False  # whether other forms of the word match
    languages: tuple[str, ...] = (DEFAULT,)  # of the stems in the index

    def may_match(self, folded: str) -> bool:
        """A quick check before a text is split into words; it nearly always fails."""
        if self.by_stem:
            return any(start in folded for start in self.starts)
        return (self.word or self.part or "") in folded

    def is_form(self, word: str) -> bool:
        if word == self.word:
            return True
        return self.by_stem and any(
            word.startswith(start[:1]) and stem(word, language) == own
            for (language, own), start in zip(self.stems, self.starts, strict=True)
        )  # comparing the first letter avoids most of the stemming

    @property
    def stems(self) -> list[tuple[str, str]]:
        """Its stem in each language."""
        word = self.word or ""
        return [(each, stem(word, each)) for each in self.languages]

    @property
    def starts(self) -> list[str]:
        """How its forms begin, in each language."""
        return [common_start(own, each) for each, own in self.stems]


class Phrase(msgspec.Struct, frozen=True):
    """A text that must occur exactly, except for the width of spaces."""

    text: str
    languages: tuple[str, ...] = (DEFAULT,)

    @property
    def terms(self) -> list[QueryTerm]:
        found = [term for token in words.tokens(self.text) for term in self._terms_from(token)]
        return found or self.whole_words

    @property
    def whole_words(self) -> list[QueryTerm]:
        """For a phrase as short as "c++", the words must occur whole: the index has no others."""
        if any(self._terms_from(token) for token in words.tokens(self.text)):
            return []
        return [self._term(token.group()) for token in words.tokens(self.text)]

    def _terms_from(self, token: re.Match[str]) -> list[QueryTerm]:
        word = token.group()
        if words.is_unspaced(word):
            if len(word) == 1:
                return [QueryTerm(part=word)]
            return [self._term(pair) for pair in words.pairs(word)[:MAX_QUERY_TERMS]]
        if len(word) > words.MAX_PART_LENGTH:
            return [QueryTerm(part=word[: words.MAX_PART_LENGTH])]
        if self._is_whole(token):
            return [self._term(word)]
        return [QueryTerm(part=word)] if len(word) >= words.MIN_PART_LENGTH else []

    def _term(self, word: str) -> QueryTerm:
        return QueryTerm(word=word, languages=self.languages)

    @property
    def meetings(self) -> set["AdjacentWords"]:
        """Its pairs of adjacent words, as far as they are known."""
        return {
            AdjacentWords(
                left.group(), right.group(), self._has_sure_end(left), self._has_sure_end(right)
            )
            for left, right in pairwise(words.tokens(self.text))
            if self._can_be_completed(left) and self._can_be_completed(right)
        }

    def _can_be_completed(self, token: re.Match[str]) -> bool:
        """Whether the index has all words that may contain it; not for scripts without spaces."""
        return self._has_sure_end(token) or not words.is_unspaced(token.group())

    def _has_sure_end(self, token: re.Match[str]) -> bool:
        long_enough = len(token.group()) >= words.MIN_PART_LENGTH
        return long_enough or self._is_whole(token)

    def _is_whole(self, token: re.Match[str]) -> bool:
        """Whether it must be a whole word. A word at an end of the phrase may continue in the
        text."""
        before, after = self.text[: token.start()], self.text[token.end() :]
        return words.is_symbol(token) or bool(before.strip("'") and after.strip("'"))


class AdjacentWords(msgspec.Struct, frozen=True):
    """Two adjacent words of a phrase. A short word at an end of the phrase may be only a part of
    a word: then its letters at the joint are uncertain."""

    left: str
    right: str
    is_left_sure: bool = True
    is_right_sure: bool = True

    def joints(self, lefts: Iterable[str], rights: Iterable[str]) -> set[str]:
        """All possible joints, if these words end and begin as required."""
        ends = {words.boundary_letters(each) for each in lefts}
        beginnings = {words.start(each) for each in rights}
        return {f"{end} {start}" for end in ends for start in beginnings}


class SearchedText:
    """A message as search matches it."""

    def __init__(self, rendered: str, topic: str) -> None:
        self.folded = words.fold(plain_text.text_of(rendered))
        self.folded_topic = words.fold(topic)
        self._stems: dict[str, set[str]] = {}  # of its words, by language

    @cached_property
    def words(self) -> set[str]:
        return words.words_in(self.folded) | words.words_in(self.folded_topic)

    def has_stem(self, wanted: str, language: str) -> bool:
        stems = self._stems.get(language)
        if stems is None:
            stems = {stem(word, language) for word in self.words}
            self._stems[language] = stems
        return wanted in stems

    @property
    def joints(self) -> set[str]:
        return words.joints(self.folded) | words.joints(self.folded_topic)

    def has(self, term: QueryTerm) -> bool:
        texts = (self.folded, self.folded_topic)
        if term.part is not None and any(term.part in text for text in texts):
            return True  # a part of a word occurs only in words
        if not any(term.may_match(text) for text in texts):
            return False
        return term.word in self.words or (
            term.by_stem and any(self.has_stem(own, language) for language, own in term.stems)
        )

    def contains(self, phrase: Phrase) -> bool:
        return (
            phrase.text in self.folded
            or phrase.text in self.folded_topic
            or (_WIDE.search(self.folded) is not None and phrase.text in self._narrowed)
        )

    @cached_property
    def _narrowed(self) -> str:
        """The text with all whitespace as single spaces."""
        return " ".join(self.folded.split())


class Query(msgspec.Struct, frozen=True):
    """A parsed query. Without words and phrases it matches nothing."""

    words: tuple[QueryTerm, ...] = ()
    phrases: tuple[Phrase, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.phrases

    @property
    def length(self) -> int:
        """The number of words and phrases."""
        return len(self.words) + len(self.phrases)

    @property
    def terms(self) -> list[QueryTerm]:
        """The terms to look up in the index."""
        found = [*self.words, *(term for phrase in self.phrases for term in phrase.terms)]
        return list(dict.fromkeys(found))[:MAX_QUERY_TERMS]

    @property
    def meetings(self) -> set[AdjacentWords]:
        """Adjacent words in every text that contains all phrases."""
        return {meeting for phrase in self.phrases for meeting in phrase.meetings}

    @property
    def needs_text(self) -> bool:
        """Whether a match of the terms must be checked in the text."""
        return bool(self.phrases) or len(self.words) > MAX_QUERY_TERMS

    def matches(self, page: SearchedText) -> bool:
        return (
            not self.is_empty
            and all(page.contains(phrase) for phrase in self.phrases)
            and all(page.has(term) for term in self._demands)
        )

    @property
    def _demands(self) -> list[QueryTerm]:
        """Terms that must match a word, in addition to the phrases."""
        return [*self.words, *(word for phrase in self.phrases for word in phrase.whole_words)]

    def is_confirmed_by(self, page: SearchedText) -> bool:
        """Whether a text matches, given that it has all terms."""
        if len(self.words) > MAX_QUERY_TERMS:
            return self.matches(page)
        return all(page.contains(phrase) for phrase in self.phrases)


def parse(text: str, languages: tuple[str, ...] = (DEFAULT,)) -> Query:
    """Parse a query. The first language is that of the organization; the index may still have stems
    of the others."""
    folded = words.fold(text)
    phrases = [Phrase(" ".join(quoted.split()), languages) for quoted in _QUOTED.findall(folded)]
    phrases = [phrase for phrase in phrases if words.tokens(phrase.text)]
    found: list[str] = []
    for token in words.tokens(_QUOTED.sub(" ", folded)):
        word = token.group()
        if words.is_unspaced(word) or words.is_symbol(token) or len(word) > words.MAX_PART_LENGTH:
            phrases.append(Phrase(word, languages))
        else:
            found.append(word)
    stop_words = STOP_WORDS[languages[0]]
    significant = [word for word in found if word not in stop_words]
    if significant or phrases:
        terms = [_term(word, languages) for word in significant]
    else:
        terms = [QueryTerm(word=word, languages=languages) for word in found]
    return Query(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(phrases)))


def _term(word: str, languages: tuple[str, ...]) -> QueryTerm:
    part = word if len(word) >= words.MIN_PART_LENGTH else None
    return QueryTerm(word=word, part=part, by_stem=True, languages=languages)
