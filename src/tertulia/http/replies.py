"""Results become bytes: the one place that writes `result`, `msg` and `code`.

A reply type names only its own keys. The envelope around them and the list of unsupported
parameters are added here, to encoded bytes, so an endpoint cannot forget or misplace them.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from tertulia.errors import ClientError


class Reply(msgspec.Struct):
    """What an endpoint returns; subclasses add the keys that stand beside `result` and `msg`.

    A key whose value is `msgspec.UNSET` is left out.
    """


R_co = TypeVar("R_co", bound=Reply, covariant=True)


class Encoded(Generic[R_co]):
    """A reply whose keys are already a JSON object in bytes: `-> Encoded[EventsReply]`.

    The type says what the bytes hold, for the API description; nothing checks it here.
    """

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body = body


_OK = Reply()


def ok() -> Reply:
    """Done, and there is nothing more to say."""
    return _OK


_encode = msgspec.json.Encoder().encode
_SUCCESS = b'{"result":"success","msg":""'


def encode(reply: Reply | Encoded[Any], ignored: Sequence[str] = ()) -> bytes:
    keys = reply.body if type(reply) is Encoded else _encode(reply)
    parts: list[bytes | memoryview] = [_SUCCESS]
    if len(keys) > 2:
        parts += (b",", memoryview(keys)[1:-1])
    if ignored:
        parts += (b',"ignored_parameters_unsupported":', _encode(ignored))
    parts.append(b"}\n")
    return b"".join(parts)


def encode_error(error: ClientError) -> bytes:
    keys = {"result": "error", "msg": error.msg, "code": error.code, **error.extra()}
    return _encode(keys) + b"\n"
