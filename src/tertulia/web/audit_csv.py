"""The audit log as a CSV file, with the filters of `GET /realm/audit_log`."""

import csv
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tertulia import api, storage
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call
from tertulia.api.organization.audit import MAX_SEARCH_LENGTH
from tertulia.domain.organization.audit import AREAS, SOURCES, AuditEntry, AuditFilter
from tertulia.errors import BadRequest
from tertulia.http import downloads
from tertulia.http.parameter_rules import LARGEST_ID
from tertulia.http.request import ApiRequest

ENTRIES_PER_READ = 1000
COLUMNS = (
    "id",
    "time",
    "actor_id",
    "actor",
    "address",
    "area",
    "act",
    "object",
    "details",
    "result",
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class AuditCsv:
    def __init__(self, auth: Authenticator) -> None:
        self._auth = auth

    def routes(self) -> list[Route]:
        return [Route("/audit_log.csv", self._download)]

    async def _download(self, request: Request) -> Response:
        call = await self._administrator(request)
        if await call.services.delivery.follower.refresh_from_peers():
            call = await self._administrator(request)  # who may have been demoted elsewhere
        wanted = api.organization.audit.allowed(call, _filter(dict(request.query_params)))
        headers = {
            "Content-Disposition": downloads.disposition("audit-log.csv", is_shown=False),
            "Cache-Control": "no-store",
        }
        return StreamingResponse(_lines(call, wanted), 200, headers, "text/csv; charset=utf-8")

    async def _administrator(self, request: Request) -> Call:
        call = await self._auth.authenticate_media(ApiRequest(request.scope, request.receive))
        api.guards.administrator(call)
        return call


def _filter(given: dict[str, str]) -> AuditFilter:
    if "failed" in given:
        given["is_failed"] = given.pop("failed")
    try:
        wanted = msgspec.convert(given, AuditFilter, strict=False)
    except msgspec.ValidationError as mistake:
        raise BadRequest(str(mistake)) from None
    if wanted.source not in (None, *SOURCES) or wanted.area not in (None, *AREAS):
        raise BadRequest("There is no such source or area.")
    if not 0 <= (wanted.actor_id or 0) <= LARGEST_ID:
        raise BadRequest("There is no such user.")
    for text in (wanted.object or "", wanted.search or ""):
        if "\0" in text or len(text) > MAX_SEARCH_LENGTH:
            raise BadRequest("The object or the text to search for is not valid.")
    return wanted


async def _lines(call: Call, wanted: AuditFilter) -> AsyncIterator[bytes]:
    yield _encoded([COLUMNS])
    before: int | None = None
    while entries := await call.db.read(
        storage.organization.audit.newest, before, ENTRIES_PER_READ, wanted
    ):
        yield _encoded([_row(call, each) for each in entries])
        before = entries[-1].id


def _row(call: Call, entry: AuditEntry) -> tuple[str, ...]:
    actor = None if entry.actor_id is None else call.org.users.get(entry.actor_id)
    return (
        str(entry.id),
        f"{datetime.fromtimestamp(entry.at, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "" if entry.actor_id is None else str(entry.actor_id),
        "" if actor is None else actor.full_name,
        entry.address,
        entry.area,
        entry.act,
        entry.object or "",
        msgspec.json.encode(entry.details).decode(),
        entry.result,
    )


def _encoded(rows: list[tuple[str, ...]]) -> bytes:
    """CSV in which no cell is a formula: a spreadsheet would run one."""
    out = io.StringIO()
    csv.writer(out).writerows(
        [f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in row] for row in rows
    )
    return out.getvalue().encode()
