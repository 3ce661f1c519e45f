"""Workers: several processes of one server, on one machine with many cores, sharing its address.

Each is a server of its own on the same PostgreSQL; whoever is free takes the next connection. The
parent only looks after them: it hands signals on, and starts another one where one has ended by
itself.
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

AGAIN_AFTER_SECONDS = 1.0  # so that what cannot start does not take all there is of the machine
ORPHANED_SECONDS = 1.0
OWN_HOST = "127.0.0.1"

# What one worker does: with its settings, on its sockets.
Work = Callable[[Config, list[socket.socket]], None]


class NeedsPostgres(StartupError):
    """A SQLite file belongs to one process."""

    def __init__(self) -> None:
        super().__init__(
            "Several workers need PostgreSQL: a SQLite file belongs to one process."
            " Please set workers to 1, or move with `tertulia move --to postgresql://…`."
        )


def check(config: Config) -> None:
    if config.workers > 1 and not config.database_url.startswith("postgres"):
        raise NeedsPostgres()


def own_address(port: int, number: int) -> tuple[str, int]:
    """Where one worker is asked by itself, for its numbers and its health."""
    return OWN_HOST, port + number


def run(config: Config, sockets: list[socket.socket], work: Work) -> None:
    """Do the work in as many processes, until told to stop."""
    port = sockets[0].getsockname()[1]
    own = [socket.create_server(own_address(port, n + 1)) for n in range(config.workers)]
    others = replace(config, lmtp_listen="")
    crew = Supervisor(
        [
            partial(work, others if number else config, [*sockets, place])
            for number, place in enumerate(own)
        ]
    )
    crew.supervise()


class Supervisor:
    def __init__(self, works: list[Callable[[], None]]) -> None:
        self._works = works
        self._started: dict[int, tuple[int, float]] = {}  # by process: which one, and since when
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
                time.sleep(max(0.0, since + AGAIN_AFTER_SECONDS - time.monotonic()))
            if not self._stopping:
                self._start(number)

    def _start(self, number: int) -> None:
        parent, process = os.getpid(), os.fork()
        if process:
            self._started[process] = number, time.monotonic()
            return
        code = 1
        try:
            os.setpgrp()  # Ctrl-C is for the parent to hand on
            for sign in (signal.SIGTERM, signal.SIGINT):
                signal.signal(sign, lambda *_: sys.exit(0))
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until a certificate can be read again
            logging_config.tell_worker(number + 1)
            threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
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


def _end_with(parent: int) -> None:
    """Nobody would look after a worker whose parent was killed."""
    while os.getppid() == parent:
        time.sleep(ORPHANED_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
