"""Builds the application from its parts. This is the only module that imports all others."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia import actions, api, events, features, markdown, storage
from tertulia.actions.data_check import CheckResult
from tertulia.actions.messages.fast_path import FastPath
from tertulia.api.authentication import Authenticator
from tertulia.api.call import OWNER_NOTICES, Services
from tertulia.api.routes import ABSENT, BROWSER_ROUTES, ROUTES
from tertulia.caches.all_caches import Caches
from tertulia.config import Config, ConfigError
from tertulia.database import Database
from tertulia.domain.messages.external_pictures import AS_IT_IS, ExternalPictures
from tertulia.domain.people.keys import Vault
from tertulia.errors import ClientError, outcome
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.external import eager_imports
from tertulia.external.mail import lmtp
from tertulia.external.stores.file_stores import FileStores
from tertulia.features import FEATURES
from tertulia.http import routing
from tertulia.http.dispatch import Api, Authenticate, Precheck
from tertulia.http.ratelimit import Limiter
from tertulia.http.replies import encode_error
from tertulia.http.request import ApiRequest, Disconnected
from tertulia.http.response_metrics import ResponseCounts
from tertulia.jobs import housekeeping, runner
from tertulia.jobs.cache_warmup import CacheWarmup
from tertulia.jobs.disk import DiskWatch
from tertulia.jobs.ldap_sync import LdapSync
from tertulia.jobs.mail_sender import MailSender
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Job, LongInterval, Runner, due_job, leader_job
from tertulia.jobs.search_indexer import SearchIndexer
from tertulia.jobs.table_counts import TableCounter
from tertulia.jobs.upload_migration import UploadMigration
from tertulia.sample_data.demo import fake_activity
from tertulia.sample_data.demo.people import GUEST
from tertulia.server import log_events
from tertulia.server.acme_http import AcmeHttpServer
from tertulia.server.certificates import AcmeCertificate, Certificate
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.inbound_mail import InboundMail
from tertulia.server.status_reporter import (
    REPORT_SECONDS,
    SLOW_WRITE_SECONDS,
    Parts,
    StatusReporter,
)
from tertulia.transfer.exporting.export_job import ExportJobs
from tertulia.web import (
    find_accounts,
    page_errors,
    passwords,
    rendering,
    saml,
    second_factor,
    second_factor_step,
    signup,
    single_sign_on,
    slash_redirect,
    video_calls,
)
from tertulia.web.account_pages import AccountPages
from tertulia.web.api_page import ApiPage
from tertulia.web.assets import Assets
from tertulia.web.audit_csv import AuditCsv
from tertulia.web.declined_calls import DeclinedCalls
from tertulia.web.downloads import Downloads
from tertulia.web.external_pictures import ExternalPicturePages
from tertulia.web.first_run import FirstRunPages
from tertulia.web.health import HealthPage
from tertulia.web.images import ImagePages
from tertulia.web.integrations import IntegrationPages
from tertulia.web.login import LoginPages
from tertulia.web.operator.pages import OperatorPages
from tertulia.web.page import WebPage
from tertulia.web.public.pacing import PublicPages
from tertulia.web.unsubscribe import UnsubscribePages

if TYPE_CHECKING:
    from tertulia.jobs.acme import CertificateRenewal
    from tertulia.mcp.endpoint import AgentEndpoint
    from tertulia.server.metrics import Metrics

TABLE_HEADERS = {"Cache-Control": "public, max-age=86400", "Access-Control-Allow-Origin": "*"}

AGENT_PATHS = ("/mcp", "/oauth/", "/.well-known/oauth-")


class Application:
    """The ASGI application: the API and the pages."""

    def __init__(
        self,
        config: Config,
        database: Database,
        vault: Vault,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`clock` is for tests, which move it to let time pass; the default is the database's."""
        self._goes_by_database = clock is None
        clock = clock or database.clock
        self._pictures = ExternalPictures(vault)
        self.caches = Caches(config.history_cache_mib << 20, is_on=config.caches)
        self.delivery = Delivery(
            database,
            config.email_domain,
            config.heartbeat_seconds,
            self.caches,
            self._pictures.shown if config.external_pictures else AS_IT_IS,
        )
        self.empty_page_caches = database.shrink_memory
        self.services = Services(
            config,
            database,
            self.delivery,
            self.caches,
            vault,
            FileStores(config),
            clock,
            started_at=int(clock()),
            owner_notices=Limiter(OWNER_NOTICES, clock),
        )
        self.indexing = SearchIndexer(database, self.delivery)
        self.counting = TableCounter(database)
        self.disk = DiskWatch(config, database)
        self.exports = ExportJobs(database, self.services.stores, config.data)
        self.upload_migration = UploadMigration(database, self.services.stores)
        self.outbox = Outbox(database)
        self.mail_sender = MailSender(config, database, self.outbox, vault)
        self._add_senders()
        self.inbound_mail = InboundMail(config, database, self.delivery.follower.finder.find)
        self.certificate: Certificate | None = None  # set by the server that speaks TLS
        self.renewal = self._certificate_renewal()
        self.connections = ConnectionLimiter(config, database.requests)
        self.response_counts = ResponseCounts()
        self.reporter = StatusReporter(config, database, clock, self._reported_parts())
        self.runner = Runner(
            self._jobs(),
            leader_due=partial(_due_jobs, database),
            remember=partial(LongInterval, database),
        )
        eager_imports.load(config)
        self._auth = auth = Authenticator(self.services)
        self._api = self._build_api(ROUTES, auth.authenticate, auth.precheck)
        browsers = (BROWSER_ROUTES, auth.authenticate_browser, auth.precheck_browser)
        self._api_for_browsers = self._build_api(*browsers, prefix="/json", for_browsers=True)
        self.pages = self._build_pages(auth)

    def _add_senders(self) -> None:
        if self.services.config.sends_mail:
            self.outbox.add(self.mail_sender)
        for feature in FEATURES:
            feature.add_senders(self.services, self.outbox)

    def _reported_parts(self) -> Parts:
        return Parts(
            self.response_counts,
            self.delivery,
            self.indexing,
            self.counting,
            self.connections,
            self.outbox,
            self.disk,
            lambda: self.runner,
            self._certificate_expiry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        outcome.start_request()
        path = scope["path"] if scope["type"] == "http" else ""
        with contextlib.suppress(Disconnected):  # no client is left to answer
            if path.startswith("/api/") and path != "/api/v1/openapi.json":
                await self._api(scope, receive, send)
            elif path.startswith(AGENT_PATHS):
                await self._answer_agent(scope, receive, send)
            elif path.startswith("/json/"):
                await self._api_for_browsers(scope, receive, send)
            else:
                await self.pages(scope, receive, send)

    async def _answer_agent(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the Model Context Protocol, where the organization allows it."""
        try:
            request = ApiRequest(scope, receive, self.services.config.max_header_bytes)
            org = await api.call.find_organization(self.services, request.host)
        except ClientError as error:
            reply = await _error_reply(Request(scope), error)
            await reply(scope, receive, send)
            return
        if org is None or not org.realm.setting("enable_agent_access"):
            await self.pages(scope, receive, send)
        else:
            await self._agents.answer(request, scope, receive, send)

    @cached_property
    def _agents(self) -> "AgentEndpoint":
        """Loaded by the first request: most servers have none."""
        from tertulia.mcp.endpoint import AgentEndpoint

        return AgentEndpoint(self.services, self._auth, self.response_counts.observe)

    def _build_api(
        self,
        routes: list[routing.Route],
        authenticate: Authenticate,
        precheck: Precheck,
        **how: Any,
    ) -> Api:
        return Api(
            routes,
            authenticate,
            self.services.config,
            precheck=precheck,
            absent=ABSENT,
            observe=self.response_counts.observe,
            refused=api.audit.record_refusal,
            refresh=partial(api.authentication.refresh_before_404, self.services),
            **how,
        )

    def _certificate_renewal(self) -> "CertificateRenewal | None":
        """The job's libraries take a few megabytes, so most servers do not load them."""
        if not self.services.config.acme_directory:
            return None
        from tertulia.jobs.acme import CertificateRenewal

        def shown() -> AcmeCertificate | None:
            return self.certificate if isinstance(self.certificate, AcmeCertificate) else None

        services = self.services
        return CertificateRenewal(services.config, services.database, services.vault, shown)

    # --- lifespan ---

    @asynccontextmanager
    async def running(self, _: Any = None) -> AsyncIterator[None]:
        """Run the follower, the jobs and the mail listener while the server runs."""
        database, follower = self.services.database, self.delivery.follower
        database.start(
            follower.reader.fetch,
            follower.deliver,
            follower.reader.compose,
            storage.messages.fast_insert,
            events.notify_payloads.encode,
            follower,
            FastPath(follower.organizations, self.caches.permits).prepare,
        )
        await follower.start()
        tasks = [
            asyncio.create_task(
                database.watch(
                    follower.catch_up,
                    self.delivery.ephemeral.on_notice,
                    follower.remote_sends.receive,
                    follower.needs_notices_of,
                )
            ),
            asyncio.create_task(self.runner.run()),
        ]
        try:
            async with self._lmtp_lifespan(), self._acme_lifespan():
                yield
        finally:
            await runner.cancel_all(tasks)
            await self.outbox.stop()
            await self.reporter.stop()
            with contextlib.suppress(ServiceUnavailable):
                await features.presence.store(database, self.delivery)
            await database.stop()

    @asynccontextmanager
    async def _lmtp_lifespan(self) -> AsyncIterator[None]:
        """Listen for mail if that is configured."""
        listen_address = self.services.config.lmtp_listen
        if not listen_address:
            yield
            return
        if not self.services.config.receives_mail:
            raise ConfigError("lmtp_listen needs mail_in_address: at which addresses mail arrives.")
        self.lmtp = lmtp.LmtpServer(listen_address, self.inbound_mail)
        await self.lmtp.open()
        try:
            yield
        finally:
            await self.lmtp.close()

    @asynccontextmanager
    async def _acme_lifespan(self) -> AsyncIterator[None]:
        """Listen on the plain HTTP port if certificates are got by ACME."""
        config, database = self.services.config, self.services.database
        if not config.acme_directory or not config.acme_http_port:
            yield
            return

        async def authorization(token: str) -> str | None:
            return await database.of(0).query(actions.acme.authorization, token)

        listener = AcmeHttpServer(config, authorization)
        await listener.open()
        try:
            yield
        finally:
            await listener.close()

    def _jobs(self) -> list[Job]:
        services = self.services
        return [
            *self._jobs_of_every_server(),
            *self._jobs_of_the_leader(),
            *self._jobs_when_due(),
            *(job for each in FEATURES for job in each.jobs(services)),
        ]

    def _jobs_of_every_server(self) -> Iterator[Job]:
        database, delivery = self.services.database, self.delivery
        both = (database, delivery)
        watch = housekeeping.ClockWatch(self.services.clock) if self._goes_by_database else None
        yield Job("preparation", 5, CacheWarmup(*both).run_once, run_at_start=True)
        yield Job("positions", 30, partial(housekeeping.store_positions, *both, watch))
        yield Job("unused organizations", 60, partial(housekeeping.evict_unused, delivery))
        yield Job("numbers", 300, self.counting.run_once, run_at_start=True)
        yield Job("disk", 10, self.disk.run_once, run_at_start=True)
        yield Job("status report", REPORT_SECONDS, self.reporter.run_once)
        if self.renewal is not None:
            yield Job("acme certificate", 30, self.renewal.load, run_at_start=True)
        if self.services.config.tls_cert or self.renewal is not None:
            yield Job("certificate", 3600, self._watch_certificate, run_at_start=True)
        if self.services.config.demo:
            activity = fake_activity.FakeActivity(delivery)
            yield Job("demo", fake_activity.EVERY_SECONDS, activity.run)
        if self._goes_by_database:
            yield Job("clock", 60, partial(housekeeping.compare_clocks, database.blocking))

    async def _watch_certificate(self) -> None:
        if self.certificate is not None:
            self.certificate.warn_before_expiry()

    def _jobs_of_the_leader(self) -> Iterator[Job]:
        database, config = self.services.database, self.services.config
        both = (database, self.delivery)
        remembered = config.send_key_hours * 3600
        days = config.audit_log_days
        yield leader_job("deleted files elsewhere", 5, self.upload_migration.sweep)
        yield leader_job("search", 0.5, self.indexing.run_once, run_at_start=True)
        yield leader_job("log", 300, partial(housekeeping.trim_logs, *both))
        yield leader_job("kept messages", 300, partial(housekeeping.purge_kept_messages, database))
        yield leader_job(
            "send keys", 600, partial(housekeeping.delete_send_keys, database, remembered)
        )
        yield leader_job("traffic", 60, partial(housekeeping.count_traffic, database))
        yield leader_job("full members", 60, partial(housekeeping.announce_full_members, database))
        yield leader_job(
            "audit log", 3600, partial(housekeeping.delete_audit_entries, database, days)
        )
        yield leader_job("sessions", 3600, partial(housekeeping.delete_expired_logins, database))
        yield leader_job(
            "received mail", 3600, partial(housekeeping.delete_received_mail, database)
        )
        if self.services.stores.is_used:
            yield leader_job("files", 1, self.upload_migration.run_once, run_at_start=True)
        if self.renewal is not None:
            yield leader_job("certificate renewal", 60, self.renewal.renew, run_at_start=True)
        if config.ldap:
            yield leader_job("directories", 30, LdapSync(database, config.ldap).run_once)

    def _jobs_when_due(self) -> Iterator[Job]:
        """Jobs of the leader that run only if the database has something to do for them."""
        database, due = self.services.database, storage.due_jobs
        yield from self.outbox.jobs
        yield due_job("exports", 5, self.exports.run_once, due.EXPORT)
        yield due_job("deleted files", 5, partial(housekeeping.sweep_files, database), due.UPLOAD)
        write_flags = partial(housekeeping.write_pending_flags, database)
        yield due_job("pending flags", 0.5, write_flags, due.PENDING_FLAG)

    def shutdown(self) -> None:
        """Answer every waiting poll, because the server is about to stop."""
        self.delivery.release_all_polls()

    # --- pages ---

    def _build_pages(self, auth: Authenticator) -> Starlette:
        assets = Assets(unbundled=self.services.config.dev)
        account = AccountPages(auth)
        guest = GUEST if self.services.config.demo else None
        first_run = FirstRunPages(self.services)
        operator = OperatorPages(
            self.reporter.current_status,
            self._run_check,
            lambda: self.metrics.text(),
            log_events.meaning,
        )
        pages = Starlette(
            lifespan=self.running,
            exception_handlers={ClientError: _error_reply},
            routes=[
                *PublicPages(self.services).routes(),  # first, because crawlers read thousands
                *WebPage(self.services, auth, assets, first_run).routes(),
                *HealthPage(self.services, SLOW_WRITE_SECONDS).routes(),
                Route("/metrics", self._metrics),
                Route("/api/v1/openapi.json", self._openapi),
                Route("/static/emoji.json", _emoji),
                *IntegrationPages(self.services).routes(),
                *ApiPage(self.services, description).routes(),
                *UnsubscribePages(self.services).routes(),
                *first_run.routes(account),
                *operator.routes(account),
                page_errors.route(account),
                *LoginPages(account, first_run, guest).routes(),
                *find_accounts.routes(account),
                *second_factor_step.routes(account),
                *second_factor.routes(account),
                *passwords.routes(account),
                *signup.routes(account),
                *video_calls.routes(account),
                *DeclinedCalls(self.services).routes(),
                *saml.routes(account),
                *single_sign_on.routes(account),
                *ImagePages(self.services, auth).routes(),
                *Downloads(self.services, auth).routes(),
                *AuditCsv(auth).routes(),
                *self._external_pictures(),
            ],
        )
        pages.router.default = partial(self._answer_absent, pages.router.default)
        slash_redirect.install(pages, self.services)
        return pages

    async def _answer_absent(
        self, absent: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a path without a page; the API names the endpoint that a program meant."""
        is_endpoint = scope["type"] == "http" and self._api.is_unprefixed_endpoint(scope["path"])
        await (self._api if is_endpoint else absent)(scope, receive, send)

    def _external_pictures(self) -> list[Route]:
        if not self.services.config.external_pictures:
            return []
        return ExternalPicturePages(self.services, self._pictures).routes()

    @cached_property
    def metrics(self) -> "Metrics":
        """Created by the first scrape: most servers have none, and its library takes 5 MB."""
        from tertulia.server.metrics import MeasuredParts, Metrics

        return Metrics(
            MeasuredParts(
                response_counts=self.response_counts,
                delivery=self.delivery,
                runner=self.runner,
                indexing=self.indexing,
                counting=self.counting,
                connections=self.connections,
                outbox=self.outbox,
                database=self.services.database,
                disk=self.disk,
                caches=self.caches,
                certificate_expiry=self._certificate_expiry,
                reporter=self.reporter,
                directories=[e.key for e in self.services.config.ldap if e.sync_minutes],
                inbound_mail=self.inbound_mail,
            )
        )

    def _run_check(self) -> list[CheckResult]:
        """What `tertulia check` examines. It loads libraries that the server seldom needs."""
        from tertulia.checks import installation

        return installation.examine(self.services.config)

    def _certificate_expiry(self) -> float:
        return 0.0 if self.certificate is None else self.certificate.expires_at

    async def _metrics(self, request: Request) -> Response:
        if not self.metrics.may_be_read(self.services.config.metrics, request):
            return Response("Not found", status_code=404)
        return Response(self.metrics.text(), media_type=self.metrics.content_type)

    async def _openapi(self, request: Request) -> Response:
        return await _json(request, description(), {"Access-Control-Allow-Origin": "*"})


async def _due_jobs(database: Database, questions: Sequence[str]) -> set[str] | None:
    return await database.leader.query(lambda tx: storage.due_jobs.which(tx, questions))


@cache
def description() -> bytes:
    """The OpenAPI description, the same for every server of this version."""
    sent = (request for feature in FEATURES for request in feature.sent_requests)
    return api.description.encoded(ROUTES, sent)


async def _error_reply(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClientError)
    error = outcome.checked(error)
    return Response(
        encode_error(error), error.status, error.reply_headers(), media_type="application/json"
    )


async def _emoji(request: Request) -> Response:
    return await _json(request, _emoji_table(), TABLE_HEADERS)


async def _json(request: Request, body: bytes, headers: dict[str, str]) -> Response:
    api_request = ApiRequest(request.scope, request.receive)
    return await rendering.answer(api_request, body, "application/json", headers=headers)


@cache
def _emoji_table() -> bytes:
    """Every emoji by its code, with its names; the first one is shown."""
    return msgspec.json.encode({"code_to_names": dict(markdown.emoji_names.all_emoji())})
