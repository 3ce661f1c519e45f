"""Encodes results: the one place that writes `result`, `msg` and `code`.

A reply type has only its own keys; an endpoint without a result returns None. The envelope and the
list of unsupported parameters are added here to the encoded bytes, so an endpoint cannot omit them.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from tertulia.errors import ClientError
from tertulia.http.exchange import Pieces
from tertulia.wire import Doc

MAX_JOINED_PIECES = 1000
MAX_JOINED_BYTES = 1 << 20


Url = Annotated[str, Doc("The URL.")]


class Reply(msgspec.Struct):
    """The result of an endpoint; subclasses add keys besides `result` and `msg`.

    A key with the value `msgspec.UNSET` is left out.
    """


class RedirectReply(Reply):
    """A redirect: the result is at another address."""

    url: Url


R_co = TypeVar("R_co", bound=Reply, covariant=True)


class Encoded(Generic[R_co]):
    """A reply that is already a JSON object in bytes: `-> Encoded[EventsReply]`.

    It may consist of several pieces. The type parameter documents the contents for the API
    description; it is not checked.
    """

    __slots__ = ("pieces",)

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces


_encode = msgspec.json.Encoder().encode
_SUCCESS = b'{"result":"success","msg":""'


_NOTHING: Encoded[Reply] = Encoded(b"{}")


# Compat: Zulip's phone app fails on any other name of this type. Quotes inside a JSON string are
# escaped, so these bytes cannot occur in a text that a user wrote.
_SPECIAL_EMOJI = b'"reaction_type":"service_extra_emoji"'
_ZULIP_SPECIAL_EMOJI = b'"reaction_type":"zulip_extra_emoji"'


def encode(
    reply: Reply | Encoded[Any] | None,
    ignored: Sequence[str] = (),
    *,
    for_zulip_client: bool = False,
) -> bytes | Pieces:
    """The body of a successful response. Zulip's clients get Zulip's name of the special emoji."""
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
    is_large = len(parts) > MAX_JOINED_PIECES or sum(map(len, parts)) > MAX_JOINED_BYTES
    return Pieces(parts) if is_large else b"".join(parts)


def encode_error(error: ClientError) -> bytes:
    keys = {"result": "error", "msg": error.msg, "code": error.code, **error.extra()}
    keys |= error.problem_keys()
    return _encode(keys) + b"\n"
