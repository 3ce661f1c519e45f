"""The checker: finds lost, repeated and reordered messages in what clients received.

It knows nothing of servers. It compares the answers to senders, the events of listeners and the
final history.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

History = dict[str, dict[int, str]]  # by topic: content by message id


@dataclass(frozen=True, slots=True)
class ReceivedMessages:
    """What one listener received, in order."""

    name: str
    destinations: Sequence[str]
    message_ids: Sequence[int]


def problems(
    history: History,
    acknowledged: Iterable[tuple[str, int]],
    listeners: Iterable[ReceivedMessages],
) -> Iterable[str]:
    """`acknowledged` maps sent content to the message id in the answer."""
    stored = {number: text for location in history.values() for number, text in location.items()}
    for content, message_id in acknowledged:
        if stored.get(message_id) != content:
            yield f"acknowledged as {message_id} but lost: {content!r}"
    for content, count in Counter(stored.values()).items():
        if count > 1:
            yield f"stored {count} times: {content!r}"
    for received in listeners:
        yield from _differences(received, history)


def _differences(received: ReceivedMessages, history: History) -> Iterable[str]:
    expected = sorted(each for location in received.destinations for each in history[location])
    ids = list(received.message_ids)
    if ids == expected:
        return
    yield f"{received.name} received {len(ids)} messages of {len(expected)}"
    yield f"  missed: {sorted(set(expected) - set(ids))[:20]}"
    yield f"  not theirs: {sorted(set(ids) - set(expected))[:20]}"
    yield f"  twice: {[each for each, count in Counter(ids).items() if count > 1][:20]}"
    yield f"  out of order: {[b for a, b in pairwise(ids) if b < a][:20]}"
