"""`tertulia serve`: the server itself."""

import contextlib
import os
import signal
import socket
import sys
from typing import Any

import click

from tertulia import (
    connections,
    demo,
    listening,
    logs,
    opening,
    serving,
    storage,
    workers,
    zuliprc,
)
from tertulia.app import Application
from tertulia.cli import welcome
from tertulia.cli.flags import config_options
from tertulia.config import Config


@click.command()
@config_options(for_serve=True)
def serve(**flags: Any) -> None:
    """Run the server, on a data folder that is made if there is none."""
    config = Config.load(flags, os.environ)
    logs.configure(config)
    end_quietly()
    connections.raise_file_limit()
    workers.check(config)
    with opening.folder_lock(config):
        opening.keep_from_others(config)
        sockets = listening.listen(config)
        address = zuliprc.address(config, sockets[0].getsockname()[1])
        database = opening.open_database(config)
        opening.check_vault(config, database)
        opening.check_clock(database)
        vault = opening.open_vault(config)
        zuliprc.note_address(config, address)
        cast = demo.stage.fill(config, database, vault) if config.demo else None
        realm, _ = opening.first_organization(database, config.organization)
        has_people = database.read_now(0, storage.checking.has_people)
        text = welcome.text(config, address, realm, cast=cast, has_people=has_people)

        def greet() -> None:
            with contextlib.suppress(OSError):  # nobody may be reading
                click.echo(text)
            opening.begin_quick_check(config)

        if config.workers == 1:
            serving.serve(config, Application(config, database, vault), sockets, greet)
        else:
            greet()
            workers.run(config, sockets, _work)


def _work(config: Config, sockets: list[socket.socket]) -> None:
    """What one of several workers does, with connections of its own."""
    database = opening.open_database(config)
    opening.check_clock(database)
    serving.serve(config, Application(config, database, opening.open_vault(config)), sockets)


def end_quietly() -> None:
    """Until the server itself listens to signals, and after, they end the process in peace."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
