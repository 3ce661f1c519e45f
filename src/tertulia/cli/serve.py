"""`tertulia serve`: the server itself."""

import contextlib
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import click

import tertulia.features  # noqa: F401
from tertulia import __version__, actions, data_dir, features, storage
from tertulia.app import Application
from tertulia.cli import zuliprc
from tertulia.cli.flags import config_options
from tertulia.config import Config
from tertulia.database import BlockingDatabase, Database
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.errors.authentication import AlreadySetUp
from tertulia.sample_data.demo.people import DemoPeople
from tertulia.server import connection_limits, http_server, logging_config, sockets, workers
from tertulia.server.certificates import Certificate


def banner(
    config: Config, address: str, realm: Realm, *, demo: DemoPeople | None, first_run: str | None
) -> str:
    """`first_run` is the address of the first-run page, if there are no accounts; the last line."""
    parts = [
        f"Tertulia {__version__} listens at {address} (Ctrl-C stops it)",
        f"  Organization  {realm.name}\n  Data          {_where(config)}",
    ]
    if demo is not None:
        parts.append(_introduce(demo, config.data))
    elif first_run is not None:
        parts.append(
            "There are no accounts yet. Create the organization and its owner in a browser:\n\n"
            f"{first_run}"
        )
    return "\n\n".join(parts)


def _where(config: Config) -> str:
    folder = str(config.data.absolute())
    return folder if data_dir.sqlite_file(config) else f"PostgreSQL, and {folder}"


def _introduce(demo: "DemoPeople", folder: Path) -> str:
    width = max(len(person.email) for person in demo.people)
    people = "\n".join(
        f"  {person.email:<{width}}  {person.full_name}, {person.role.name.lower()}"
        for person in demo.people
    )
    return (
        f"Sample data. These users can log in, all with the password {demo.password}\n\n"
        f"{people}\n\nFor clients and scripts: {folder}/zuliprc-NAME"
    )


@click.command()
@config_options(for_serve=True)
def serve(**flags: Any) -> None:
    """Run the server; create the data folder if it is missing."""
    config = Config.load(flags, os.environ)
    logging_config.configure(config)
    end_quietly()
    connection_limits.raise_file_limit()
    workers.check(config)
    if not config.acme_directory:  # that one is in the data folder
        Certificate.of(config)  # an unusable one is an error before anything is created
    with data_dir.folder_lock(config):
        data_dir.lock_exclusively(config)
        listening = sockets.listen(config)
        address = zuliprc.address(config, listening[0].getsockname()[1])
        database = data_dir.open_database(config)
        data_dir.check_vault(config, database)
        data_dir.check_clock(database)
        vault = data_dir.open_vault(config)
        zuliprc.save_address(config, address)
        demo = _fill_demo(config, database, vault) if config.demo else None
        realm = database.of(0).read(storage.organization.realms.first) or database.of(0).write(
            actions.organization.creation.get_or_create_first, config.organization
        )
        if demo is not None:
            _write_zuliprcs(config, realm, demo)
        first_run = _first_run_link(config, database, realm)
        text = banner(config, address, realm, demo=demo, first_run=first_run)

        def announce() -> None:
            data_dir.start_quick_check(config, database, waits=first_run is not None)
            with contextlib.suppress(OSError):  # stdout may be closed
                click.echo(text)

        if config.workers == 1:
            http_server.serve(
                config, Application(config, Database(database), vault), listening, announce
            )
        else:
            announce()
            workers.run(config, listening, _work)


def _first_run_link(config: Config, database: BlockingDatabase, realm: Realm) -> str | None:
    """The address of the first-run page; None if there are accounts."""
    try:
        code = database.of(realm.id).write(features.first_run.setup_code)
    except AlreadySetUp:
        return None
    return features.first_run.address(zuliprc.site(config, realm, is_only_one=True), code)


def _fill_demo(config: Config, database: BlockingDatabase, vault: Vault) -> DemoPeople:
    from tertulia.sample_data.demo import loader

    return loader.fill(config, database, vault)


def _write_zuliprcs(config: Config, realm: Realm, demo: DemoPeople) -> None:
    site = zuliprc.site(config, realm, is_only_one=True)
    for name, (email, key) in demo.new_keys.items():
        zuliprc.write(config.data / f"zuliprc-{name}", email, key, site)


def _work(config: Config, listening: list[socket.socket]) -> None:
    """The main function of one of several workers, with its own database connections."""
    database = data_dir.open_database(config)
    data_dir.check_clock(database)
    http_server.serve(
        config, Application(config, Database(database), data_dir.open_vault(config)), listening
    )


def end_quietly() -> None:
    """Exit with 0 on SIGINT and SIGTERM before and after the server handles them itself."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
