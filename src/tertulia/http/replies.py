"""Results become bytes: the one place that writes `result`, `msg` and `code`.

A reply type names only its own keys; an endpoint that has nothing to tell returns None. The
envelope around them and the list of unsupported parameters are added here, to encoded bytes, so an
endpoint cannot forget or misplace them.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from tertulia.errors import ClientError
from tertulia.http.exchange import Pieces

MANY_PIECES = 1000
MANY_BYTES = 1 << 20


class Reply(msgspec.Struct):
    """What an endpoint returns; subclasses add the keys that stand beside `result` and `msg`.

    A key whose value is `msgspec.UNSET` is left out.
    """


class Elsewhere(Reply):
    """What was asked for is at another address, to which those who fetch it are led on."""

    url: str


R_co = TypeVar("R_co", bound=Reply, covariant=True)


class Encoded(Generic[R_co]):
    """A reply whose keys are already a JSON object in bytes: `-> Encoded[EventsReply]`.

    It may come in pieces, which are put together with the envelope, once. The type says what the
    bytes hold, for the API description; nothing checks it here.
    """

    __slots__ = ("pieces",)

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces


_encode = msgspec.json.Encoder().encode
_SUCCESS = b'{"result":"success","msg":""'


_NOTHING: Encoded[Reply] = Encoded(b"{}")


# Compat: Zulip's phone app throws on any other name of this type. Quotes inside a JSON string are
# escaped, so these bytes are never part of a text that a person wrote.
_SPECIAL_EMOJI = b'"reaction_type":"service_extra_emoji"'
_ZULIP_SPECIAL_EMOJI = b'"reaction_type":"zulip_extra_emoji"'


def encode(
    reply: Reply | Encoded[Any] | None,
    ignored: Sequence[str] = (),
    *,
    for_zulip_client: bool = False,
) -> bytes | Pieces:
    """The body of a successful response; Zulip's clients get Zulip's name of the special emoji."""
    reply = _NOTHING if reply is None else reply
    pieces = reply.pieces if type(reply) is Encoded else (_encode(reply),)
    if for_zulip_client:
        pieces = tuple(each.replace(_SPECIAL_EMOJI, _ZULIP_SPECIAL_EMOJI) for each in pieces)
    parts: list[bytes | memoryview] = [_SUCCESS]
    if pieces != (b"{}",):
        parts += (b",", *pieces)
        parts[2] = memoryview(parts[2])[1:]
        parts[-1] = memoryview(parts[-1])[:-1]
    if ignored:
        parts += (b',"ignored_parameters_unsupported":', _encode(ignored))
    parts.append(b"}\n")
    is_large = len(parts) > MANY_PIECES or sum(map(len, parts)) > MANY_BYTES
    return Pieces(parts) if is_large else b"".join(parts)


def encode_error(error: ClientError) -> bytes:
    keys = {"result": "error", "msg": error.msg, "code": error.code, **error.extra()}
    return _encode(keys) + b"\n"
