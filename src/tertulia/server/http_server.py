"""The server process: runs uvicorn with the application until it is stopped."""

import asyncio
import gc
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import FrameType
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia.config import Config
from tertulia.http.request import MAX_URL_BYTES
from tertulia.log import log
from tertulia.server import logging_config, malloc
from tertulia.server.certificates import Certificate
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.event_loop import ACCEPTED_PER_TURN, new_event_loop
from tertulia.server.http_protocol import HttpConnection
from tertulia.server.sockets import BACKLOG
from tertulia.server.tls import TlsProtocol

GRACE_SECONDS = 0.4  # for running requests when the server stops
TICKS_PER_SECOND = 10  # uvicorn's interval
TICKS_PER_MEMORY_CHECK = 20
# Gc thresholds: objects, then collections of the younger generations.
COLLECT_AFTER = (10_000, 20, 20)
# The interval of the interpreter lock: how long a thread waits for one that computes. The event
# loop waits so beside a search, and a thread that reads from PostgreSQL beside a busy event loop.
TURN_SECONDS = 0.0002


class ServedApplication(Protocol):
    """What the server process needs of the application."""

    connections: ConnectionLimiter
    certificate: Certificate | None  # set before `running`

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...
    def running(self) -> AbstractAsyncContextManager[None]: ...
    def shutdown(self) -> None: ...
    async def empty_page_caches(self) -> None: ...


class Server(uvicorn.Server):
    """uvicorn that answers parked polls before it closes connections."""

    def __init__(
        self,
        config: uvicorn.Config,
        application: ServedApplication,
        when_ready: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._application = application
        self._when_ready = when_ready
        self._trimmer = malloc.MallocTrimmer()
        self._emptying: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(BACKLOG)  # the loop has set the queue to `ACCEPTED_PER_TURN`
        if self.started:
            self._when_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_PER_SECOND == 0:
            self._application.connections.sweep(asyncio.get_running_loop().time())
        if counter % TICKS_PER_MEMORY_CHECK == 0:
            self._check_memory()
        return await super().on_tick(counter)

    def _check_memory(self) -> None:
        """Memory that the database caches free here is returned to the system by the next check."""
        if self._trimmer.check() and (self._emptying is None or self._emptying.done()):
            self._emptying = asyncio.create_task(self._application.empty_page_caches())

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        asyncio.get_running_loop().call_soon_threadsafe(self._application.shutdown)


def serve(
    config: Config,
    application: ServedApplication,
    sockets: list[socket.socket] | None = None,
    when_ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal stops the process."""
    malloc.configure_malloc()
    certificate = Certificate.of(config)
    application.certificate = certificate
    settings = uvicorn_config(config, application, application.connections, certificate)
    server = Server(settings, application, when_ready)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(logging_config.log_loop_error)
        _reload_on_hangup(loop, certificate)
        async with application.running():
            _freeze_garbage_collection()
            sys.setswitchinterval(TURN_SECONDS)
            await server.serve(sockets)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(run())


def _reload_on_hangup(loop: asyncio.AbstractEventLoop, certificate: Certificate | None) -> None:
    """Reload the certificate on SIGHUP.

    A terminal that is closed sends SIGHUP too; it ends a server that was started there.
    """
    if certificate is not None:
        loop.add_signal_handler(signal.SIGHUP, certificate.reload)
    elif sys.stdin is None or not sys.stdin.isatty():
        loop.add_signal_handler(signal.SIGHUP, _ignore_hangup)


def _ignore_hangup() -> None:
    log.info("server.sighup_ignored")


def _freeze_garbage_collection() -> None:
    """Exclude modules and the directory from garbage collection, and collect less often.

    A register creates ten thousand objects at once, and ours have no reference cycles.
    """
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _protocol(
    connections: ConnectionLimiter, certificate: Certificate | None
) -> Callable[..., object]:
    """The protocol factory for uvicorn."""
    make = partial(HttpConnection, connections)
    return make if certificate is None else partial(TlsProtocol, connections, certificate, make)


def uvicorn_config(
    config: Config,
    application: ASGIApp,
    connections: ConnectionLimiter,
    certificate: Certificate | None = None,
) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        host=config.host,
        port=config.port,
        http=_protocol(connections, certificate),  # type: ignore[arg-type]  # need not be a class
        ws="none",
        lifespan="off",  # the application runs its own lifespan, to see how it fails
        proxy_headers=bool(config.trusted_proxies),
        forwarded_allow_ips=[str(network) for network in config.trusted_proxies],
        access_log=False,
        log_config=None,
        headers=config.response_headers,
        server_header=False,
        date_header=True,
        h11_max_incomplete_event_size=MAX_URL_BYTES + config.max_header_bytes,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,  # type: ignore[arg-type]  # any number works
        backlog=ACCEPTED_PER_TURN,
    )
