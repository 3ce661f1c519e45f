"""Answers that grow at this moment, as one server knows them.

Every server with the organization in memory knows those of the others from their updates, so that a
client that comes late gets the text so far from any of them.
"""

import msgspec

from tertulia.domain.messages.answers import MAX_OPEN_PER_PERSON, SILENT_SECONDS, StreamedAnswer

MAX_REMEMBERED = 10_000  # ended answers; a token expires after ten minutes anyway


class OpenAnswer(msgspec.Struct):
    id: str
    answer: StreamedAnswer
    touched_at: float
    text: str = ""
    status: str = ""
    is_stopped: bool = False
    published_length: int = 0
    published_status: str = ""
    is_scheduled: bool = False  # an update is going to be published

    def write(self, position: int, content: str) -> None:
        """Put a piece of the bot at its position, to be published."""
        has_more = self.published_length < len(self.text)
        self.published_length = min(self.published_length, position) if has_more else position
        self._put(position, content)

    def apply(self, position: int, content: str, status: str) -> None:
        """Take over what another server has published."""
        has_more = self.published_length < len(self.text)
        self._put(position, content)
        self.status = self.published_status = status
        if not has_more:
            self.published_length = len(self.text)

    def _put(self, position: int, content: str) -> None:
        """A gap is blank until the other server publishes its piece."""
        before, after = self.text[:position].ljust(position), self.text[position + len(content) :]
        self.text = before + content + after

    @property
    def is_published(self) -> bool:
        return self.published_length == len(self.text) and self.published_status == self.status

    def is_over(self, now: float) -> bool:
        return now > self.touched_at + SILENT_SECONDS or self.answer.is_expired(now)


class OpenAnswers:
    def __init__(self) -> None:
        self._answers: dict[str, OpenAnswer] = {}
        self._ended: dict[str, StreamedAnswer] = {}  # a piece that comes late changes nothing

    def find(self, answer_token: str) -> OpenAnswer | None:
        return self._answers.get(answer_token)

    def all(self, now: float) -> list[OpenAnswer]:
        """Those that still grow. Those of bots that have fallen silent are forgotten."""
        for each in [each for each in self._answers.values() if each.is_over(now)]:
            del self._answers[each.id]
        return list(self._answers.values())

    def has_room(self, person: int, now: float) -> bool:
        """Whether a bot of this person may begin another answer."""
        count = sum(1 for each in self.all(now) if each.answer.person == person)
        return count < MAX_OPEN_PER_PERSON

    def has_ended(self, answer_token: str) -> bool:
        """Whether the answer was finished or given up, as far as this server remembers."""
        return answer_token in self._ended

    def touch(self, answer_token: str, answer: StreamedAnswer, now: float) -> OpenAnswer:
        """The answer, which is added if this server does not know it yet. It must not have
        ended."""
        found = self._answers.get(answer_token)
        if found is None:
            found = self._answers[answer_token] = OpenAnswer(answer_token, answer, now)
        found.touched_at = now
        return found

    def end(self, answer_token: str, answer: StreamedAnswer, now: float) -> None:
        self._answers.pop(answer_token, None)
        self._ended[answer_token] = answer
        for token, each in list(self._ended.items()):  # oldest first
            if not each.is_expired(now) and len(self._ended) <= MAX_REMEMBERED:
                break
            del self._ended[token]
