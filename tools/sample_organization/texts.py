"""Generates message texts.

Every piece of text is really rendered, once. Pieces on one line do not affect each other, so the
HTML of a message is its pieces' HTML joined, and a million messages cost little more than their
pieces.
"""

from dataclasses import dataclass
from itertools import accumulate
from random import Random

from tools.sample_organization import vocabulary

from tertulia import markdown
from tertulia.markdown import Resolved, Settings

INVENTED = 8000
MAX_SENTENCES = 60_000
BLOCKS = 400
BLOCK_SHARE = 0.02
FOREIGN_SHARE = 0.02
CASE_SHARE = 0.03  # share of messages with a unique word


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its HTML, and the references in it."""

    content: str
    html: str
    has_link: bool = False
    has_image: bool = False
    is_block: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line, and its HTML without the paragraph element."""

    source: str
    html: str
    has_link: bool


class TextWriter:
    """Generates texts; more messages have more different sentences."""

    def __init__(self, dice: Random, messages: int, settings: Settings) -> None:
        self._dice = dice
        self._settings = settings
        self._nouns = vocabulary.NOUNS + vocabulary.invented(INVENTED)
        self._rank = list(accumulate(1 / (index + 2.7) for index in range(len(self._nouns))))
        self._sentences: list[Piece | None] = [None] * max(200, min(MAX_SENTENCES, messages // 5))
        self._blocks: list[Text | None] = [None] * BLOCKS

    def topic(self) -> str:
        return self._filled(self._dice.choice(vocabulary.TOPICS)).removesuffix(".")

    def description(self) -> str:
        return self._filled("All about the {n} and the {a} {n}.")

    def message(self) -> Text:
        random = self._dice.random
        if random() < BLOCK_SHARE:
            return self._block()
        pieces = [self._sentence() for _ in range(1 + int(3 * random() ** 2.5))]
        if random() < CASE_SHARE:
            pieces.append(self._case())
        return joined(pieces)

    def with_mention(self, mention: Piece, text: Text) -> Text:
        """A line that begins with a mention."""
        return joined([mention, _as_piece(text)])

    def continued(self, text: Text) -> Text:
        """The same line with one more sentence."""
        return joined([_as_piece(text), self._sentence()])

    def piece(self, source: str, found: Resolved | None = None) -> Piece:
        """Render a part of a line."""
        rendered = markdown.render(source, found or Resolved(), self._settings)
        piece = _as_piece(Text(source, rendered.html, rendered.has_link))
        assert rendered.html == f"<p>{piece.html}</p>", f"more than a line: {source}"
        return piece

    def _sentence(self) -> Piece:
        index = int(len(self._sentences) * self._dice.random() ** 1.5)
        known = self._sentences[index]
        if known is None:
            is_foreign = self._dice.random() < FOREIGN_SHARE
            pattern = self._dice.choice(vocabulary.FOREIGN if is_foreign else vocabulary.SENTENCES)
            known = self._sentences[index] = self.piece(self._filled(pattern))
        return known

    def _block(self) -> Text:
        index = self._dice.randrange(len(self._blocks))
        known = self._blocks[index]
        if known is None:
            source = self._filled(self._dice.choice(vocabulary.BLOCKS))
            rendered = markdown.render(source, Resolved(), self._settings)
            known = Text(source, rendered.html, rendered.has_link, rendered.has_image, True)
            self._blocks[index] = known
        return known

    def _case(self) -> Piece:
        syllables = "".join(self._dice.choices(vocabulary.SYLLABLES, k=4))
        return self.piece(f"This is case {syllables}{self._dice.randrange(10_000)}.")

    def _filled(self, pattern: str) -> str:
        """A pattern with words in its gaps; the first letter is a capital."""
        parts = pattern.split("{")
        text = parts[0] + "".join(self._word(part[0]) + part[2:] for part in parts[1:])
        return text[0].upper() + text[1:] if pattern.startswith("{") else text

    def _word(self, kind: str) -> str:
        if kind == "n":
            return self._dice.choices(self._nouns, cum_weights=self._rank)[0]
        if kind == "k":
            return str(self._dice.randrange(2, 2000))
        lists = {"v": vocabulary.VERBS, "a": vocabulary.ADJECTIVES, "d": vocabulary.DAYS}
        words = lists[kind]
        return words[int(len(words) * self._dice.random() ** 2)]


def _as_piece(text: Text) -> Piece:
    inner = text.html.removeprefix("<p>").removesuffix("</p>")
    return Piece(text.content, inner, text.has_link)


def joined(pieces: list[Piece]) -> Text:
    """Pieces on one line."""
    return Text(
        " ".join(piece.source for piece in pieces),
        f"<p>{' '.join(piece.html for piece in pieces)}</p>",
        any(piece.has_link for piece in pieces),
    )
