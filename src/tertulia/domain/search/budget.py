"""The budget of new words: how many words a person may add to the vocabulary of the search index.

A new word takes far more space than one more message with a known word. Every message may add a
few, in proportion to its length, so that its index takes no more than four times as much space as
that of English text. What a message adds beyond that is taken from the daily budget of its sender;
bots count with their owner. A team that writes in a language without spaces needs the budget in its
first weeks, until most pairs of letters are known.
"""

import msgspec

MIN_NEW_WORDS_PER_MESSAGE = 7
CHARACTERS_PER_NEW_WORD = 20
GRAMS_PER_NEW_WORD = 2  # new grams that take as much space as a new word
MAX_NEW_WORDS_PER_DAY = 300  # of one person, beyond what each message may add
SECONDS_PER_DAY = 86_400


class Spending(msgspec.Struct, frozen=True):
    """What a person has taken from the budget, as of the time of a message."""

    words: float = 0.0
    at: float = 0.0

    def plus(self, words: int, at: float) -> "Spending":
        return Spending(self._left_at(at) + words, max(self.at, at))

    def has_room_for(self, words: int, at: float) -> bool:
        return self._left_at(at) + words <= MAX_NEW_WORDS_PER_DAY

    def _left_at(self, at: float) -> float:
        """What is still counted: the budget refills within a day."""
        elapsed = max(0.0, at - self.at)
        return max(0.0, self.words - elapsed * MAX_NEW_WORDS_PER_DAY / SECONDS_PER_DAY)


def excess(new_words: int, new_grams: int, length: int) -> int:
    """How many words a message of this length takes from the budget of its sender."""
    allowed = MIN_NEW_WORDS_PER_MESSAGE + length // CHARACTERS_PER_NEW_WORD
    return max(0, new_words + new_grams // GRAMS_PER_NEW_WORD - allowed)
