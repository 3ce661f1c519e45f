"""One API request: its sender, headers and parameters.

A small body is read before the sender is known, because it may contain `method` and `client`. A
larger one is read only after its sender is authenticated or admitted, so that anonymous callers can
neither fill the memory nor cause expensive decoding.
"""

import re
from collections.abc import AsyncIterator, Hashable, Iterable
from urllib.parse import quote

from tertulia.errors import BadRequest, ClientError
from tertulia.errors.http import AddressTooLong, BodyTooLarge, HeadersTooLarge
from tertulia.fair_queue import Person
from tertulia.http.exchange import EXCHANGE, HttpExchange, OnDisconnect, Receive, Scope
from tertulia.http.forms import (
    QUICK_BYTES,
    FileHead,
    RawBody,
    UploadedFile,
    decoded,
    media_type,
    read_urlencoded,
)
from tertulia.http.json_text import read_json
from tertulia.http.multipart import Multipart, read_multipart
from tertulia.http.ratelimit import address_bucket

EARLY_BODY_BYTES = 1 << 20  # of an authenticated caller
ANONYMOUS_BODY_BYTES = QUICK_BYTES  # also after the route is known
MAX_HEADERS = 128
MAX_URL_BYTES = 1 << 18
MAX_QUERY_BYTES = QUICK_BYTES  # longer parameters belong in a body
MAX_CLIENT_NAME = 30
ZULIP_AGENTS = ("Zulip", "zulip-")  # User-Agent prefixes of Zulip's own clients

_METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_JSON = "application/json"
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", _JSON})
_DIGITS = re.compile("[0-9]{1,18}")
_VERSION = re.compile("[0-9/(]")
_NEEDED_LAST = ("accept-encoding", "cookie", "host")  # needed until the response is sent


class Disconnected(Exception):
    """The client disconnected before the request was complete."""


class BodyType(str):
    """The media type of a request's body."""

    __slots__ = ()

    @property
    def is_known(self) -> bool:
        """Whether parameters are read from such a body."""
        return self in _FORMS

    @property
    def is_json(self) -> bool:
        return self == _JSON

    @property
    def is_multipart(self) -> bool:
        return self == "multipart/form-data"


class ApiRequest:
    __slots__ = (
        "_announced_bytes",
        "_body",
        "_body_type",
        "_has_arrived",
        "_is_kept",
        "_method_field",
        "_person",
        "_problem",
        "_query",
        "_receive",
        "_scope",
        "_size",
        "_unread",
        "body",
        "client_address",
        "counted_for",
        "exchange",
        "files",
        "headers",
        "is_anonymous",
        "is_zulip_client",
        "method",
        "params",
        "path",
        "peer_address",
        "reply_headers",
        "scheme",
        "sent_method",
    )

    def __init__(self, scope: Scope, receive: Receive, max_header_bytes: int = 1 << 16) -> None:
        """Raises a ClientError if the headers are too large."""
        self._receive = receive
        self._scope = scope
        self.exchange: HttpExchange | None = scope.get(EXCHANGE)
        # Set by uvicorn from the headers of trusted proxies: see `http_server.uvicorn_config`.
        self.client_address: str = (scope.get("client") or ("",))[0]  # may be empty
        self.peer_address: str = scope.get("peer", "")  # maybe a proxy
        self.scheme: str = scope.get("scheme", "http")
        self.method: str = scope["method"]
        self.sent_method = self.method  # a form may override it, see below
        self.path = _raw_path(scope)  # still percent-encoded
        self.headers = _headers(scope["headers"], max_header_bytes)
        # A flag, because a long poll drops its headers while it waits.
        self.is_zulip_client = self.headers.get("user-agent", "").startswith(ZULIP_AGENTS)
        self.params: dict[str, str] = {}
        self.files: list[UploadedFile] = []
        self.counted_for: Hashable = None  # whose rate limit it counts against, once known
        self._person: Person | None = None
        self.is_anonymous = False  # whether the caller is anonymous, once known
        self.reply_headers: dict[str, str] = {}  # sent with every response, also with errors

        # Malformed parameters are reported only after the sender is known.
        self._problem: ClientError | None = None
        self.body = RawBody()  # unparsed, for endpoints that request it
        self._body = bytearray()
        self._has_arrived = False  # whether the whole body was read
        self._is_kept = False
        self._size = 0
        self._method_field = ""
        length = self.headers.get("content-length", "")
        self._announced_bytes = int(length) if _DIGITS.fullmatch(length) else 0
        self._body_type = BodyType(media_type(self.headers.get("content-type", "")))
        self._unread = self.method in _METHODS_WITH_BODY and self._body_type.is_known
        self._query: bytes = scope["query_string"]
        if len(self.path) > MAX_URL_BYTES:
            raise AddressTooLong(limit=MAX_URL_BYTES)
        if len(self._query) > MAX_QUERY_BYTES:
            raise AddressTooLong(limit=MAX_QUERY_BYTES)

    # --- Sender -----------------------------------------------------------------------------------

    @property
    def person(self) -> Person:
        """Whose slots it uses in fair queues: the network's until the caller is known."""
        if self._person is None:
            self._person = address_bucket(self.client_address)
        return self._person

    @person.setter
    def person(self, person: Person) -> None:
        self._person = person

    def header(self, name: str) -> str | None:
        return self.headers.get(name.lower())

    def only_header(self, name: str) -> str | None:
        """A trusted header: None if it was sent more than once, because then one may be forged."""
        wanted = name.lower().encode()
        found = [value for each, value in self._scope["headers"] if each == wanted]
        return found[0].decode("latin-1") if len(found) == 1 else None

    @property
    def raw_query(self) -> bytes:
        """The query as it was sent."""
        return self._query

    @property
    def host(self) -> str:
        """The Host header as it was sent, with the port; may be empty."""
        return self.headers.get("host", "")

    def client_name(self) -> str:
        """The client's name: `ZulipMobile/27.1 (iOS 17)` is ZulipMobile."""
        name = self.params.get("client", "").strip()
        if not name:
            agent = self.headers.get("user-agent", "")
            name = _VERSION.split(agent, maxsplit=1)[0].strip()
        name = name[:MAX_CLIENT_NAME]
        if not name.isprintable():
            name = "".join(filter(str.isprintable, name))
        return name or "Unspecified"

    # --- The body ---------------------------------------------------------------------------------

    def announced_bytes(self) -> int:
        """The Content-Length; 0 if there is none."""
        return self._announced_bytes

    @property
    def is_small(self) -> bool:
        """Whether the Content-Length is small enough to decode at once."""
        return self._announced_bytes <= QUICK_BYTES and not self.is_open_ended

    @property
    def is_open_ended(self) -> bool:
        """Whether there is a body without a Content-Length."""
        return self._unread and "content-length" not in self.headers

    @property
    def size(self) -> int:
        """The size of the query and the body in bytes."""
        return len(self._query) + self._size

    def keep_body(self) -> None:
        """Read a body of any type, and keep it unparsed."""
        self._is_kept = True
        self._unread = self.method in _METHODS_WITH_BODY

    async def read_early(self, limit: int) -> None:
        """Read the query, and a body up to the limit; a larger one is left for `read_rest`."""
        if self._query:
            try:
                self.params = read_urlencoded(self._query)
            except ClientError as problem:
                self._problem = problem
        if self._unread and self._announced_bytes <= limit:
            await self._read(limit)
            self.method = self._method_field or self.method

    def check_size(self, limit: int) -> None:
        if max(self._size, self._announced_bytes) > limit:
            raise BodyTooLarge(limit=limit)

    async def read_rest(self, limit: int) -> None:
        """Complete `params` and `files`. Raises the error if they are malformed."""
        if self._unread:
            await self._read(limit)
            self.check_size(limit)
        if self._problem is not None:
            raise self._problem

    async def incoming(self) -> AsyncIterator[FileHead | bytes]:
        """The files of the form while they arrive; its fields are in `params` at the end."""
        if self._unread and self._body_type.is_multipart:
            if self._problem is not None:
                raise self._problem
            async for item in self._stream():
                yield item
            return
        await self.read_rest(EARLY_BODY_BYTES)
        for file in self.files:
            yield FileHead(file.name, file.filename, file.content_type)
            yield file.data

    def free_headers(self) -> None:
        """Free the headers that are not needed while a long poll waits."""
        self.headers = {name: self.headers[name] for name in _NEEDED_LAST if name in self.headers}
        self._scope["headers"].clear()
        self._scope.clear()

    def on_disconnect(self, leave: OnDisconnect | None) -> None:
        """Set the callback for a lost connection; None removes it."""
        if self.exchange is not None:
            self.exchange.on_disconnect(leave)

    def check_connected(self) -> None:
        """Raises Disconnected if the client has disconnected."""
        gone: list[bool] = []
        self.on_disconnect(lambda: gone.append(True))
        self.on_disconnect(None)
        if gone:
            raise Disconnected

    async def _read(self, limit: int) -> None:
        """Read the whole body and decode it, unless it is larger than the limit."""
        while self._size <= limit and not self._has_arrived:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            chunk: bytes = message.get("body", b"")
            self._body += chunk
            self._size += len(chunk)
            self._has_arrived = not message.get("more_body", False)
        if self._size <= limit:
            self._unread = False
            await self._parse_form()

    async def _stream(self) -> AsyncIterator[FileHead | bytes]:
        form = Multipart(self.headers["content-type"])
        self._unread = False
        early, self._body = bytes(self._body), bytearray()
        for item in form.feed(early):
            yield item
        is_over = self._has_arrived
        while not is_over:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            for item in form.feed(message.get("body", b"")):
                yield item
            is_over = not message.get("more_body", False)
        form.check_end()
        self.params |= form.fields

    async def _parse_form(self) -> None:
        body, self._body = bytes(self._body), bytearray()
        if self._is_kept:
            self.body = RawBody(body)
            if not self._body_type.is_known or self._body_type.is_json or begins_as_json(body):
                return
        try:
            fields, self.files = await decoded(self.person, len(body), self._decode, body)
        except ClientError as problem:
            self._problem = self._problem or problem
            return
        if self.method == "POST" and "method" in fields and not self._is_kept:
            # Compat: a form field `method` in a POST body replaces the method.
            self._method_field = fields.pop("method").upper()
        self.params |= fields

    def _decode(self, body: bytes) -> tuple[dict[str, str], list[UploadedFile]]:
        if self._body_type.is_multipart:
            return read_multipart(body, self.headers["content-type"])
        # Compat: `curl -d '{…}'` sends JSON with the content type of a form.
        is_json = self._body_type.is_json or _looks_like_json(body)
        return (read_json if is_json else read_urlencoded)(body), []

    def check_content_type(self) -> None:
        """A body of an unknown type is an error: ignoring it would hide a mistake of the client."""
        if (
            self.method in _METHODS_WITH_BODY
            and self._announced_bytes
            and not self._body_type.is_known
        ):
            kind = self._body_type or "of no type at all"
            raise BadRequest(
                "Parameters are read from a form (application/x-www-form-urlencoded), from JSON"
                f" (application/json) or from the address, but the body is {kind[:100]}."
            )


def begins_as_json(body: bytes) -> bool:
    """Whether a body that is kept is JSON, whatever its content type says: curl sends that of a
    form by default."""
    return body.lstrip()[:1] in (b"{", b"[")


def _looks_like_json(body: bytes) -> bool:
    return body.startswith(b"{") and body.endswith((b"}", b"}\n"))


def _raw_path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else raw.decode("latin-1")


def _headers(raw: Iterable[tuple[bytes, bytes]], max_bytes: int) -> dict[str, str]:
    """By lower-case name; the first of repeated headers counts, so that a later one cannot replace
    it."""
    headers: dict[str, str] = {}
    left = max_bytes
    for count, (name, value) in enumerate(raw):
        left -= len(name) + len(value)
        if left < 0 or count >= MAX_HEADERS:
            raise HeadersTooLarge
        headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    return headers
