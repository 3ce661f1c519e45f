"""Puts the parts together; the one module that knows all the others."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia import api, domain, links, markdown, storage
from tertulia.api.admission import Admission
from tertulia.api.call import COMPLAINTS, Services
from tertulia.api.routes import ABSENT, ROUTES
from tertulia.config import Config
from tertulia.connections import Connections
from tertulia.demo import life
from tertulia.demo.people import GUEST
from tertulia.domain.people.keys import Vault
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery import Delivery
from tertulia.http.answers import AnswerCounts
from tertulia.http.dispatch import Api
from tertulia.http.openapi import Glossary, describe
from tertulia.http.ratelimit import Limiter
from tertulia.http.replies import encode_error
from tertulia.http.request import ApiRequest
from tertulia.jobs import housekeeping, presence
from tertulia.jobs.counting import Counting
from tertulia.jobs.directories import DirectoryWatch
from tertulia.jobs.letters import Postman
from tertulia.jobs.missed import Lookout
from tertulia.jobs.preparing import Preparation
from tertulia.jobs.pushing import Herald
from tertulia.jobs.rerendering import rerender
from tertulia.jobs.runner import Job, Runner
from tertulia.jobs.searching import Indexing
from tertulia.jobs.sending import REMINDERS, SCHEDULED, send_due
from tertulia.jobs.webhook_calls import Switchboard
from tertulia.moving.asked import AskedExports
from tertulia.storage.database import Database
from tertulia.web import rendering
from tertulia.web.api_page import ApiPage
from tertulia.web.assets import Assets
from tertulia.web.door import DoorPages
from tertulia.web.downloads import Downloads
from tertulia.web.gallery import Gallery
from tertulia.web.integrations import IntegrationPages
from tertulia.web.invitations import JoiningPages
from tertulia.web.logging_in import LoginPages
from tertulia.web.page import WebPage
from tertulia.web.passwords import PasswordPages
from tertulia.web.saml import SamlPages
from tertulia.web.single_sign_on import SingleSignOn
from tertulia.web.unsubscribing import Unsubscribing

if TYPE_CHECKING:
    from tertulia.metrics import Metrics

TABLE_HEADERS = {"Cache-Control": "public, max-age=86400", "Access-Control-Allow-Origin": "*"}

HEALTHY_WRITE_SECONDS = 2.0  # whoever waits longer for a commit should ask another server


class Application:
    """The server as one ASGI application: the API, and a few pages around it."""

    def __init__(
        self,
        config: Config,
        database: Database,
        vault: Vault,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Without a clock of its own it goes by the database's."""
        self._goes_by_database = clock is None
        clock = clock or database.clock
        self.delivery = Delivery(
            database,
            config.email_domain,
            config.heartbeat_seconds,
            config.history_cache_mib << 20,
        )
        self.services = Services(
            config,
            database,
            self.delivery,
            vault,
            clock,
            started_at=int(clock()),
            complaints=Limiter(COMPLAINTS, clock),
        )
        self.indexing = Indexing(database, self.delivery)
        self.counting = Counting(database)
        self.exports = AskedExports(database)
        self.postman = Postman(config, database, self.delivery, vault)
        self.switchboard = Switchboard(config, database, self.delivery)
        self.lookout = Lookout(config, database, self.delivery, vault)
        self.herald = Herald(config, database, self.delivery, vault)
        self.runner = Runner(self._jobs())
        self.connections = Connections(config)
        self.answers = AnswerCounts()
        links.loading.load(config)
        gate = Admission(self.services)
        self._api = Api(
            ROUTES,
            gate.admit,
            config,
            greet=gate.greet,
            absent=ABSENT,
            observe=self.answers.observe,
            refused=api.recording.refused,
        )
        self._api_for_browsers = Api(
            ROUTES,
            gate.admit_browser,
            config,
            prefix="/json",
            for_browsers=True,
            greet=gate.greet_browser,
            absent=ABSENT,
            observe=self.answers.observe,
            refused=api.recording.refused,
        )
        self._pages = self._build_pages(gate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path.startswith("/api/") and path != "/api/v1/openapi.json":
            await self._api(scope, receive, send)
        elif path.startswith("/json/"):
            await self._api_for_browsers(scope, receive, send)
        else:
            await self._pages(scope, receive, send)

    # --- running ---

    @asynccontextmanager
    async def running(self, _: Any = None) -> AsyncIterator[None]:
        """Everything that lives while the server does."""
        database, follower = self.services.database, self.delivery.follower
        database.start(follower.fetch_news, follower.deliver, follower.compose_news)
        await follower.catch_up()
        tasks = [
            asyncio.create_task(database.dialect.watch(follower.catch_up, self.delivery.overhear)),
            asyncio.create_task(self.runner.run()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.switchboard.stop()
            with contextlib.suppress(ServiceUnavailable):
                await presence.write_down(database, self.delivery)
            database.stop()

    def _jobs(self) -> list[Job]:
        database, delivery, config = self.services.database, self.delivery, self.services.config
        both = (database, delivery)
        remembered = config.send_key_hours * 3600
        watch = housekeeping.ClockWatch(self.services.clock)
        jobs = [
            Job("scheduled messages", 0.5, partial(send_due, *both, SCHEDULED), at_once=True),
            Job("reminders", 0.5, partial(send_due, *both, REMINDERS), at_once=True),
            Job("missed messages", 2, self.lookout.look, at_once=True),
            Job("push", 2, self.herald.look, at_once=True),
            Job("pushed and read", 10, self.herald.take_back),
            Job("webhooks", 0.5, self.switchboard.look, at_once=True),
            Job("exports", 5, self.exports.look),
            Job("numbers", 300, self.counting.look, at_once=True),
            Job("search", 0.5, self.indexing.look, at_once=True),
            Job("preparation", 5, Preparation(*both).go_on, at_once=True),
            Job("positions", 30, partial(housekeeping.keep_positions, *both, watch)),
            Job("log", 300, partial(housekeeping.trim_logs, *both)),
            Job("retention", 300, partial(housekeeping.delete_old_messages, *both)),
            Job("send keys", 600, partial(housekeeping.forget_send_keys, database, remembered)),
            Job("rerendering", 3600, partial(rerender, *both), at_once=True),
            Job("deleted files", 5, partial(housekeeping.sweep_files, database), at_once=True),
            Job("sent messages", 600, partial(housekeeping.forget_sent, database)),
            Job("presence", 2, partial(presence.write_down, *both)),
            Job("stale presence", 3600, partial(presence.forget_stale, *both)),
            Job("traffic", 60, partial(housekeeping.count_traffic, *both)),
            Job("full members", 60, partial(housekeeping.welcome_full_members, *both)),
            Job(
                "audit log",
                3600,
                partial(housekeeping.forget_audit_entries, *both, config.audit_log_days),
            ),
            Job("sessions", 3600, partial(housekeeping.forget_sessions, *both)),
        ]
        if config.ldap:
            jobs.append(Job("directories", 30, DirectoryWatch(*both, config.ldap).look))
        if config.sends_mail:
            jobs.append(Job("mail", 1, self.postman.go_round, at_once=True))
            jobs.append(Job("missed mail", 5, self.lookout.tell, at_once=True))
        if config.demo:
            jobs.append(Job("demo", life.EVERY_SECONDS, life.Life(delivery).go_on))
        if self._goes_by_database:
            jobs.append(Job("clock", 60, partial(housekeeping.compare_clocks, database)))
        return jobs

    def say_goodbye(self) -> None:
        """Answer every waiting poll, because the server is about to stop."""
        self.delivery.stop_waiting()

    # --- pages ---

    def _build_pages(self, gate: Admission) -> ASGIApp:
        assets = Assets(as_they_are=self.services.config.dev)
        return Starlette(
            lifespan=self.running,
            exception_handlers={ClientError: _refuse},
            routes=[
                *WebPage(self.services, gate, assets).routes(),
                Route("/health", self._health),
                Route("/metrics", self._metrics),
                Route("/api/v1/openapi.json", self._openapi),
                Route("/static/emoji.json", _emoji),
                *IntegrationPages(self.services).routes(),
                *ApiPage(self.services, description).routes(),
                *Unsubscribing(self.services).routes(),
                *LoginPages(DoorPages(gate), GUEST if self.services.config.demo else None).routes(),
                *PasswordPages(DoorPages(gate)).routes(),
                *JoiningPages(DoorPages(gate)).routes(),
                *SamlPages(DoorPages(gate)).routes(),
                *SingleSignOn(DoorPages(gate)).routes(),
                *Gallery(self.services, gate).routes(),
                *Downloads(self.services, gate).routes(),
            ],
        )

    async def _health(self, request: Request) -> Response:
        if self.services.database.busy_seconds > HEALTHY_WRITE_SECONDS:
            raise ServiceUnavailable()
        await self.services.database.read_in(0, storage.organization.all_of_them)
        return JSONResponse({"status": "ok"})

    @cached_property
    def metrics(self) -> "Metrics":
        found: Metrics = import_module("tertulia.metrics").Metrics(
            self.answers,
            self.delivery,
            self.runner,
            self.indexing,
            self.counting,
            self.connections,
        )
        found.tell_of_mail(self.postman)
        return found

    async def _metrics(self, request: Request) -> Response:
        if not self.metrics.may_be_read(self.services.config.metrics, request):
            return Response("Not found", status_code=404)
        return Response(self.metrics.text(), media_type=self.metrics.content_type)

    async def _openapi(self, request: Request) -> Response:
        return await rendering.answer(
            ApiRequest(request.scope, request.receive),
            description(),
            "application/json",
            headers={"Access-Control-Allow-Origin": "*"},
        )


@cache
def description() -> bytes:
    """What the API says of itself: the same for every server of this version."""
    return msgspec.json.encode(
        describe(
            ROUTES,
            title="Tertulia",
            version=domain.version.VERSION,
            glossary=Glossary(
                api.words.ABOUT, api.words.sentence, api.words.HEADERS, api.words.EXAMPLES
            ),
        )
    )


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClientError)
    return Response(
        encode_error(error), error.status, error.reply_headers(), media_type="application/json"
    )


async def _emoji(request: Request) -> Response:
    return await rendering.answer(
        ApiRequest(request.scope, request.receive),
        _emoji_table(),
        "application/json",
        headers=TABLE_HEADERS,
    )


@cache
def _emoji_table() -> bytes:
    """Every emoji by its code, with its names, the one that clients show first."""
    return msgspec.json.encode({"code_to_names": dict(markdown.emoji_names.all_emoji())})
