"""Notification payloads: fast-path sends that a server passes to the others through the database.

They are an optimization. A notification may be lost, late or too long; then the other servers read
the message from the log.
"""

from collections.abc import Iterable, Iterator

import msgspec

from tertulia.database.log_position import LogPosition
from tertulia.events import audience, log
from tertulia.events.logged_event import LoggedEvent

MAX_NOTICE_BYTES = 7500  # PostgreSQL allows 8000


class AppendedMessage(msgspec.Struct, frozen=True, array_like=True):
    realm_id: int
    seq: int
    epoch: str
    kind: str
    audience: msgspec.Raw
    event: msgspec.Raw
    stamp: int = 0  # older servers leave it out


Appended = tuple[LogPosition, LoggedEvent]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[AppendedMessage]).decode


def encode(appended: Iterable[Appended]) -> tuple[list[str], dict[int, int]]:
    """Encode notifications for these messages.

    Also returns, by organization, the seq up to which the notifications are complete; a message
    that is too long is left out.
    """
    notices: list[str] = []
    some: list[bytes] = []
    size = 2
    ends: dict[int, int] = {}
    left_out: set[int] = set()
    for known, logged in appended:
        realm_id, seq = logged.realm_id, logged.seq
        event = logged.event
        one = _encode(
            (realm_id, seq, known.epoch, event.kind, logged.audience, event, logged.stamp)
        )
        if len(one) > MAX_NOTICE_BYTES:
            left_out.add(realm_id)
            continue
        if size + len(one) > MAX_NOTICE_BYTES:
            notices.append(_joined(some))
            some, size = [], 2
        some.append(one)
        size += len(one) + 1
        ends[realm_id] = seq
    if some:
        notices.append(_joined(some))
    return notices, {each: seq for each, seq in ends.items() if each not in left_out}


def read(notice: str) -> Iterator[Appended]:
    """Raises KeyError or msgspec.DecodeError for a notification of a newer server."""
    for sent in _decode(notice):
        to = audience.decode(sent.audience)
        event = log.decoder(sent.kind).decode(sent.event)
        logged = LoggedEvent(sent.realm_id, sent.seq, event, to, sent.stamp)
        yield LogPosition(sent.seq, sent.epoch), logged


def _joined(some: list[bytes]) -> str:
    return (b"[%s]" % b",".join(some)).decode()
