"""Workers: several server processes on one machine that share a port.

Each is a server of its own on the same PostgreSQL. An idle worker accepts the next connection. The
parent process only forwards signals and restarts workers that end by themselves.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FrameType

from tertulia.config import Config
from tertulia.errors import StartupError
from tertulia.log import log
from tertulia.server import logging_config

RESTART_DELAY_SECONDS = 1.0  # so that a worker that cannot start does not use all CPU time
ORPHANED_SECONDS = 1.0
OWN_HOST = "127.0.0.1"

# The main function of a worker.
Work = Callable[[Config, list[socket.socket]], None]


class NeedsPostgres(StartupError):
    def __init__(self) -> None:
        super().__init__(
            "Several workers need PostgreSQL: a SQLite file belongs to one process."
            " Please set workers to 1, or move with `tertulia move --to postgresql://…`."
        )


def check(config: Config) -> None:
    if config.workers > 1 and not config.database_url.startswith("postgres"):
        raise NeedsPostgres()


def own_address(port: int, number: int) -> tuple[str, int]:
    """The address of one worker, for its metrics and health check."""
    return OWN_HOST, port + number


def run(config: Config, sockets: list[socket.socket], work: Work) -> None:
    """Run the work in `config.workers` processes until a signal stops them."""
    port = sockets[0].getsockname()[1]
    own = [socket.create_server(own_address(port, n + 1)) for n in range(config.workers)]
    others = replace(config, lmtp_listen="")
    supervisor = Supervisor(
        [
            partial(work, others if number else config, [*sockets, socket_])
            for number, socket_ in enumerate(own)
        ]
    )
    supervisor.supervise()


class Supervisor:
    def __init__(self, works: list[Callable[[], None]]) -> None:
        self._works = works
        self._started: dict[int, tuple[int, float]] = {}  # by process id: number and start time
        self._stopping = False

    def supervise(self) -> None:
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, self._stop)
        signal.signal(signal.SIGHUP, self._forward_signal)
        for number in range(len(self._works)):
            self._start(number)
        while self._started:
            process, status = os.wait()
            number, since = self._started.pop(process)
            if not self._stopping:
                code = os.waitstatus_to_exitcode(status)
                log.error("server.worker_exited", worker=number + 1, exit_code=code)
                time.sleep(max(0.0, since + RESTART_DELAY_SECONDS - time.monotonic()))
            if not self._stopping:
                self._start(number)

    def _start(self, number: int) -> None:
        parent, process = os.getpid(), os.fork()
        if process:
            self._started[process] = number, time.monotonic()
            return
        code = 1
        try:
            os.setpgrp()  # Ctrl-C reaches only the parent, which forwards it
            for sign in (signal.SIGTERM, signal.SIGINT):
                signal.signal(sign, lambda *_: sys.exit(0))
            # Until the worker can reload a certificate.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            logging_config.set_worker(number + 1)
            threading.Thread(target=_stop_with_parent, args=(parent,), daemon=True).start()
            self._works[number]()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException:
            log.exception("server.worker_failed")
        finally:
            sys.stdout.flush()
            os._exit(code)

    def _stop(self, sign: int, frame: FrameType | None) -> None:
        self._stopping = True
        self._forward_signal(signal.SIGTERM, frame)

    def _forward_signal(self, sign: int, frame: FrameType | None) -> None:
        for process in list(self._started):
            os.kill(process, sign)


def _stop_with_parent(parent: int) -> None:
    """Stop this worker when its parent is gone: no process would supervise it."""
    while os.getppid() == parent:
        time.sleep(ORPHANED_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
