"""A small TURN client (RFC 8656): asks a server for a relayed address, as browsers in a call do.

It exists for `tertulia check` alone and blocks.
"""

import hashlib
import hmac
import re
import secrets
import socket
import ssl
import struct
from contextlib import closing

SECONDS = 5.0  # for each answer over TCP
REPEAT_SECONDS = 0.5  # over UDP, until a request without an answer is sent again
MAX_REPEATS = 10
COOKIE = 0x2112A442
ALLOCATE, REFRESH = 0x0003, 0x0004
SUCCESS, FAILURE = 0x0100, 0x0110  # added to the type of the request
USERNAME, INTEGRITY, ERROR_CODE, LIFETIME = 0x0006, 0x0008, 0x0009, 0x000D
REALM, NONCE, RELAYED, TRANSPORT = 0x0014, 0x0015, 0x0016, 0x0019
UDP = struct.pack("!BBH", 17, 0, 0)
INTEGRITY_BYTES = 24  # with its head
HEAD_BYTES = 20
MAX_ANSWER_BYTES = 2048
UNAUTHORIZED = 401

_ADDRESS = re.compile(
    r"(?P<scheme>turns?):(?P<host>\[[^\]]+\]|[^:?\s]+)(:(?P<port>\d+))?(\?transport=(?P<way>\w+))?"
)

Attributes = dict[int, bytes]


class TurnFailed(Exception):
    """The server relays nothing for us; the text says why."""


def allocate(address: str, username: str, password: str) -> None:
    """Have the server relay, and end that at once. Raises TurnFailed."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise TurnFailed("not an address like turn:turn.example.com:3478")
    try:
        with closing(_connect(found)) as connection:
            _allocate(connection, username, password)
    except (OSError, struct.error) as error:
        raise TurnFailed(f"no answer ({error})") from error


def _connect(found: re.Match[str]) -> socket.socket:
    is_encrypted = found["scheme"] == "turns"
    host = found["host"].strip("[]")
    port = int(found["port"] or (5349 if is_encrypted else 3478))
    if not is_encrypted and found["way"] != "tcp":
        family, kind, protocol, _, to = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        connection = socket.socket(family, kind, protocol)
        connection.connect(to)
        return connection
    stream = socket.create_connection((host, port), SECONDS)
    if is_encrypted:
        return ssl.create_default_context().wrap_socket(stream, server_hostname=host)
    return stream


def _allocate(connection: socket.socket, username: str, password: str) -> None:
    kind, refused = _ask(connection, ALLOCATE, [(TRANSPORT, UDP)])
    if kind == ALLOCATE + SUCCESS:
        raise TurnFailed("it relays without credentials, for everybody")
    if _error(refused)[0] != UNAUTHORIZED or REALM not in refused or NONCE not in refused:
        raise TurnFailed("it answers {} {}".format(*_error(refused)))
    realm, nonce = refused[REALM], refused[NONCE]
    key = hashlib.md5(
        b":".join([username.encode(), realm, password.encode()]), usedforsecurity=False
    ).digest()
    signed = [(USERNAME, username.encode()), (REALM, realm), (NONCE, nonce)]
    kind, answer = _ask(connection, ALLOCATE, [(TRANSPORT, UDP), *signed], key)
    if kind != ALLOCATE + SUCCESS or RELAYED not in answer:
        raise TurnFailed("it refuses with {} {}".format(*_error(answer)))
    _ask(connection, REFRESH, [(LIFETIME, struct.pack("!I", 0)), *signed], key)


def _ask(
    connection: socket.socket, kind: int, attributes: list[tuple[int, bytes]], key: bytes = b""
) -> tuple[int, Attributes]:
    body = b"".join(
        struct.pack("!HH", number, len(value)) + value + bytes(-len(value) % 4)
        for number, value in attributes
    )
    length = len(body) + (INTEGRITY_BYTES if key else 0)
    message = struct.pack("!HHI", kind, length, COOKIE) + secrets.token_bytes(12) + body
    if key:
        digest = hmac.digest(key, message, hashlib.sha1)
        message += struct.pack("!HH", INTEGRITY, len(digest)) + digest
    answer = _answer(connection, message)
    if not _belongs(answer, message):
        raise TurnFailed("its answer belongs to another request")
    return struct.unpack("!H", answer[:2])[0], _attributes(answer[HEAD_BYTES:])


def _answer(connection: socket.socket, message: bytes) -> bytes:
    """Over UDP requests and answers may be lost and come twice."""
    connection.sendall(message)
    if connection.type == socket.SOCK_STREAM:
        return _receive(connection)
    connection.settimeout(REPEAT_SECONDS)
    for _ in range(MAX_REPEATS):
        try:
            while not _belongs(answer := _receive(connection), message):
                pass  # to an earlier request
            return answer
        except TimeoutError:
            connection.sendall(message)
    raise TurnFailed("no answer (timed out)")


def _belongs(answer: bytes, message: bytes) -> bool:
    return answer[8:HEAD_BYTES] == message[8:HEAD_BYTES]


def _receive(connection: socket.socket) -> bytes:
    """One message: a packet, or from a stream as much as its head says."""
    received = connection.recv(MAX_ANSWER_BYTES)
    while len(received) < HEAD_BYTES + (
        struct.unpack("!H", received[2:4])[0] if len(received) >= HEAD_BYTES else 0
    ):
        part = connection.recv(MAX_ANSWER_BYTES)
        if not part:
            raise TurnFailed("it closed the connection")
        received += part
    return received


def _attributes(body: bytes) -> Attributes:
    found = {}
    while len(body) >= 4:
        number, length = struct.unpack("!HH", body[:4])
        found[number] = body[4 : 4 + length]
        body = body[4 + length + -length % 4 :]
    return found


def _error(answer: Attributes) -> tuple[int, str]:
    value = answer.get(ERROR_CODE, bytes(4))
    return 100 * value[2] + value[3], value[4:].decode(errors="replace")[:100]
