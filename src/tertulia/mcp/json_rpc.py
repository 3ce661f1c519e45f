"""The wire of the Model Context Protocol: JSON-RPC messages over HTTP POST.

Revision 2026-07-28 has no handshake and no sessions: every request carries its version. Clients of
the revisions before it begin with `initialize`, which is answered without a session.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

LATEST_VERSION = "2026-07-28"
VERSION_WITH_BATCHES = "2025-03-26"
VERSIONS_WITH_HANDSHAKE = ("2025-11-25", "2025-06-18", VERSION_WITH_BATCHES)
MAX_BATCH = 20
NOT_A_REQUEST = "The body must be one JSON-RPC request"

VERSION_HEADER = "mcp-protocol-version"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

# Only the revision without sessions answers errors of a request with these statuses.
STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}

# The parameter that a client repeats in the header `Mcp-Name`.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BASE64 = re.compile(r"=\?base64\?(.*)\?=")


class ProtocolError(Exception):
    """An error of the protocol; errors of a tool are results."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Request(msgspec.Struct):
    """A request, or a notification if it has no id."""

    method: str
    jsonrpc: str
    id: int | str | UnsetType = UNSET
    params: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def is_notification(self) -> bool:
        return self.id is UNSET


def decode(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "Parse error") from None


def batch(found: Any, headers: Mapping[str, str]) -> list[Any] | None:
    """The requests of a batch; None if the body is no list. Only 2025-03-26 has batches, and its
    clients send no header with the version."""
    if not isinstance(found, list):
        return None
    if headers.get(VERSION_HEADER, VERSION_WITH_BATCHES) != VERSION_WITH_BATCHES:
        raise ProtocolError(INVALID_REQUEST, NOT_A_REQUEST)
    if not 0 < len(found) <= MAX_BATCH:
        raise ProtocolError(INVALID_REQUEST, f"A batch must have 1 to {MAX_BATCH} requests")
    if any(isinstance(each, dict) and each.get("method") == "initialize" for each in found):
        raise ProtocolError(INVALID_REQUEST, "A batch must not contain initialize")
    return found


def request(found: Any) -> Request:
    try:
        request = msgspec.convert(found, Request)
    except msgspec.ValidationError:
        raise ProtocolError(INVALID_REQUEST, NOT_A_REQUEST) from None
    if request.jsonrpc != "2.0":
        raise ProtocolError(INVALID_REQUEST, NOT_A_REQUEST)
    return request


def checked_version(request: Request, headers: Mapping[str, str]) -> str:
    """The revision of a request. Raises ProtocolError if headers and body disagree."""
    meta = request.params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    version = meta.get(VERSION_KEY)
    header = headers.get(VERSION_HEADER)
    if version is None:
        return _version_of_handshake(request, header)
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, f"{VERSION_KEY} must be a string")
    if CAPABILITIES_KEY not in meta:
        raise ProtocolError(INVALID_PARAMS, f"params._meta needs {CAPABILITIES_KEY}")
    if header != version:
        raise ProtocolError(HEADER_MISMATCH, "MCP-Protocol-Version differs from params._meta")
    if headers.get("mcp-method") != request.method:
        raise ProtocolError(HEADER_MISMATCH, "Mcp-Method differs from the method")
    named = request.params.get(_NAMED.get(request.method, ""))
    if named is not None and _plain(headers.get("mcp-name")) != named:
        raise ProtocolError(HEADER_MISMATCH, "Mcp-Name differs from the parameters")
    if version != LATEST_VERSION:
        raise _unsupported(version)
    return version


def _version_of_handshake(request: Request, header: str | None) -> str:
    if request.method == "initialize" or header is None:
        return VERSIONS_WITH_HANDSHAKE[0]
    if header == LATEST_VERSION and not request.is_notification:
        raise ProtocolError(INVALID_PARAMS, f"params._meta needs {VERSION_KEY}")
    if header != LATEST_VERSION and header not in VERSIONS_WITH_HANDSHAKE:
        raise _unsupported(header)
    return header


def _unsupported(version: str) -> ProtocolError:
    data = {"supported": [LATEST_VERSION, *VERSIONS_WITH_HANDSHAKE], "requested": version}
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _plain(value: str | None) -> str | None:
    """A header's value; texts that are no plain ASCII come in base64."""
    found = None if value is None else _BASE64.fullmatch(value)
    if found is None:
        return value
    try:
        return base64.b64decode(found[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def result(request_id: int | str, value: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "result": value})


def error(request_id: int | str | None, problem: ProtocolError) -> bytes:
    error_object: dict[str, Any] = {"code": problem.code, "message": problem.message}
    if problem.data is not None:
        error_object["data"] = problem.data
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "error": error_object})
