"""Routes of the operator's page, its JSON, the check and the support bundle.

The operator comes with a token, or is an owner of the first organization whose address is in the
setting `operators`. Pages need no script.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tertulia import __version__, actions, api, domain, storage
from tertulia.actions.data_check import CheckResult
from tertulia.actions.server_status import ServerStatus
from tertulia.api.call import Call
from tertulia.domain.operator_token import COOKIE_SECONDS, PATH
from tertulia.domain.server_report import ServerReport
from tertulia.http import cookies
from tertulia.locale import Texts
from tertulia.log import log
from tertulia.web import account_pages, page_texts, rendering
from tertulia.web.account_pages import AccountPages, Endpoint
from tertulia.web.operator import plots, support_bundle, tiles

COOKIE = "operator"
BEARER = "Bearer "


class OperatorPages:
    def __init__(
        self,
        read_status: Callable[[], Awaitable[ServerStatus]],
        run_check: Callable[[], list[CheckResult]],
        metrics: Callable[[], bytes],
        meaning: Callable[[str], str],
    ) -> None:
        """`meaning` says what a log event means. `run_check` blocks."""
        self._read_status = read_status
        self._run_check = run_check
        self._metrics = metrics
        self._meaning = meaning
        self._checking = asyncio.Lock()

    def routes(self, entrance: AccountPages) -> list[Route]:
        return [
            entrance.route(PATH, self._open, None),
            entrance.route(f"{PATH}status.json", self._guarded(self._status), None),
            entrance.route(f"{PATH}check", None, self._guarded(self._check)),
            entrance.route(f"{PATH}support-bundle.zip", self._guarded(self._bundle), None),
        ]

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def answer(call: Call) -> Response:
            return await endpoint(call) if await _is_operator(call) else await _refusal(call)

        return answer

    async def _open(self, call: Call) -> Response:
        """The page; a token in the address becomes a cookie."""
        token = call.request.params.get("token")
        if token is None:
            return await self._guarded(self._page)(call)
        if not domain.operator_token.is_valid(call.vault, token, call.services.clock()):
            log.warning("auth.operator_refused", address=call.request.client_address)
            return await _refusal(call)
        expires_at = call.services.clock() + COOKIE_SECONDS
        session = domain.operator_token.create(call.vault, expires_at, "session")
        is_secure = _is_secure(call)
        cookie = cookies.set_cookie(session, COOKIE_SECONDS, is_secure=is_secure, cookie=COOKIE)
        return account_pages.redirect(PATH, cookie)

    async def _page(self, call: Call) -> Response:
        return await self._show(call, None)

    async def _check(self, call: Call) -> Response:
        if self._checking.locked():
            return await _message(call, 409, "operator.run-check", "operator.check-busy", back=PATH)
        return await self._show(call, await self._findings())

    async def _findings(self) -> list[CheckResult]:
        async with self._checking:
            return await asyncio.to_thread(self._run_check)

    async def _status(self, call: Call) -> Response:
        status = await self._read_status()
        parts = actions.server_status.parts(status, call.config)
        content = {
            "now": status.now,
            "parts": {part.name: {"state": part.state, **part.facts} for part in parts},
            "servers": [_server_json(status, each) for each in status.running],
            "queues": _queues(status),
            "log_events": {
                event: {"count": sum(each.hours.values()), "last_at": each.last_at}
                for event, each in sorted(status.log_counts().items())
            },
            "slow_requests": msgspec.to_builtins(_slow(status)),
            "samples": msgspec.to_builtins(status.samples),
        }
        return JSONResponse(content, headers={"Cache-Control": "no-store"})

    async def _bundle(self, call: Call) -> Response:
        status = await self._read_status()
        content = support_bundle.build(
            status,
            actions.server_status.parts(status, call.config),
            call.config,
            await self._findings(),
            self._metrics(),
        )
        headers = {
            "Content-Disposition": 'attachment; filename="tertulia-support.zip"',
            "Cache-Control": "no-store",
        }
        return Response(content, 200, headers, media_type="application/zip")

    async def _show(self, call: Call, findings: Sequence[CheckResult] | None) -> Response:
        status = await self._read_status()
        t = page_texts.of(call.request)
        parts = actions.server_status.parts(status, call.config)
        shown = [tiles.of_part(part, t) for part in parts]
        log_counts = sorted(
            status.log_counts().items(), key=lambda item: item[1].last_at, reverse=True
        )
        return await rendering.page(
            call.request,
            "operator.html",
            version=__version__,
            organization="" if call.found_org is None else call.org.realm.name,
            heading=_heading(shown, t),
            attention=[tile for tile in shown if tile.state in ("fail", "look")],
            checked_at=tiles.moment(status.now),
            tiles=shown,
            plots=_plots(status, t),
            ticks=plots.ticks(status.now),
            servers=[_server_row(status, each, t) for each in status.running],
            queues=_queues(status),
            log_events=[
                (
                    event,
                    self._meaning(event.partition(" ")[0]),  # a place may follow
                    sum(each.hours.values()),
                    tiles.moment(each.last_at),
                )
                for event, each in log_counts
            ],
            slow=[
                (tiles.moment(each.at), f"{each.method} {each.route}", each.status, each.seconds)
                for each in _slow(status)
            ],
            findings=findings,
            problems=sum(len(each.problems) for each in findings or ()),
        )


async def _is_operator(call: Call) -> bool:
    header, now = call.request.header("authorization") or "", call.services.clock()
    if header.startswith(BEARER):
        is_valid = domain.operator_token.is_valid(call.vault, header.removeprefix(BEARER), now)
    else:
        cookie = cookies.read(call.request, is_secure=_is_secure(call), cookie=COOKIE) or ""
        is_valid = domain.operator_token.is_valid(call.vault, cookie, now, "session")
    return is_valid or await _is_named_owner(call)


async def _is_named_owner(call: Call) -> bool:
    """Only in the first organization: owners of others could give any address to an account."""
    user = call.caller
    if user is None or not user.is_owner or not call.config.operators:
        return False
    first = await call.services.database.of(0).query(storage.organization.realms.first)
    named = {domain.people.user.email_key(each) for each in call.config.operators}
    return (
        first is not None
        and first.id == call.org.realm.id
        and domain.people.user.email_key(user.email) in named
    )


async def _refusal(call: Call) -> Response:
    return await _message(call, 403, "operator.closed", "operator.closed-explained")


async def _message(
    call: Call, status: int, heading: str, explained: str, back: str = "/login/"
) -> Response:
    """A page for a host that may have no organization."""
    t = page_texts.of(call.request)
    return await rendering.page(
        call.request,
        "message.html",
        status=status,
        name="",
        problem="",
        notice="",
        heading=t(heading),
        explained=t(explained),
        back=back,
    )


def _is_secure(call: Call) -> bool:
    return api.browser_sessions.origin(call.config, call.request).startswith("https://")


def _heading(shown: Sequence[tiles.Tile], t: Texts) -> str:
    failed = sum(tile.state == "fail" for tile in shown)
    to_look_at = sum(tile.state == "look" for tile in shown)
    if not failed and not to_look_at:
        return t("operator.all-good")
    if not failed:
        return t("operator.to-look-at", count=to_look_at)
    first = t("operator.failed", count=failed)
    if not to_look_at:
        return first
    return t("operator.and-to-look-at", count=to_look_at, first=first)


def _plots(status: ServerStatus, t: Texts) -> list[dict[str, Any]]:
    made = (
        ("messages", "per-minute", plots.of_messages(status.samples, status.now)),
        ("responses", "milliseconds", plots.of_responses(status.samples, status.now)),
        ("connections", "open", plots.of_connections(status.samples, status.now)),
        ("memory", "all-servers", plots.of_memory(status.samples, status.now)),
    )
    shown = []
    for name, unit, plot in made:
        title, unit_text = t(f"operator.plot-{name}"), t(f"operator.{unit}")
        first, last = plot.lines[0], plot.lines[-1]
        has_two = len(plot.lines) == 2
        numbers = (
            t("operator.now-both", first=f"{first.now:.0f}", last=f"{last.now:.0f}")
            if has_two
            else t(
                "operator.now-most",
                now=f"{first.now:.0f}",
                most=f"{first.maximum:.0f}",
                time=plots.hour(first.maximum_at),
            )
        )
        label = t(
            "operator.plot-label",
            title=title,
            unit=unit_text,
            now=f"{last.now:.0f}",
            most=f"{last.maximum:.0f}",
        )
        shown.append(
            {
                "title": title,
                "unit": unit_text,
                "plot": plot,
                "has_two": has_two,
                "numbers": numbers,
                "label": label,
            }
        )
    return shown


def _server_row(status: ServerStatus, report: ServerReport, t: Texts) -> dict[str, Any]:
    newest = actions.server_status.newest_version(status)
    return {
        "name": report.name,
        "version": report.version,
        "is_older": report.version != newest,
        "is_leader": report is status.leader,
        "is_silent": status.is_silent(report),
        "up": tiles.duration(max(status.now - report.started_at, 0), t),
        "connections": report.connections,
        "memory": tiles.size(report.memory_bytes),
        "processor": f"{report.processor_percent:.0f} %",
    }


def _server_json(status: ServerStatus, report: ServerReport) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(report)
    for name in ("log_counts", "slow_requests", "queues"):
        del found[name]  # they are in the answer, over all servers
    return found | {
        "is_leader": report is status.leader,
        "is_silent": status.is_silent(report),
    }


def _queues(status: ServerStatus) -> dict[str, int]:
    """What waits, over all servers."""
    sums: dict[str, int] = {}
    for report in status.running:
        for name, count in report.queues.items():
            sums[name] = sums.get(name, 0) + count
    return dict(sorted(sums.items()))


def _slow(status: ServerStatus) -> list[Any]:
    found = [each for report in status.running for each in report.slow_requests]
    return sorted(found, key=lambda each: each.at, reverse=True)[:20]
