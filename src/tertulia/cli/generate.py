"""`tertulia generate`: a made-up organization, for those who want to know what a size costs."""

import os
import sys
import time
from typing import Any

import click

from tertulia import opening, storage
from tertulia.cli.flags import config_options
from tertulia.config import Config
from tertulia.generate import organization
from tertulia.generate.organization import Size
from tertulia.storage.database import Database


@click.command()
@click.option(
    "--people", metavar="N", type=click.IntRange(2, 100_000), required=True, help="How many."
)
@click.option(
    "--channels", metavar="N", type=click.IntRange(2, 10_000), required=True, help="How many."
)
@click.option(
    "--messages",
    metavar="N",
    type=click.IntRange(0, 100_000_000),
    required=True,
    help="How many, over a little more than a year.",
)
@click.option(
    "--seed",
    metavar="S",
    type=int,
    default=1,
    show_default=True,
    help="The same number gives the same organization.",
)
@config_options(for_serve=False)
def generate(people: int, channels: int, messages: int, seed: int, **flags: Any) -> None:
    """Fill a new data folder with a made-up organization.

    The keys of its people are written to people.json in the data folder.
    """
    config = Config.load(flags, os.environ)
    size = Size(people, channels, messages)
    with opening.folder_lock(config):
        database = opening.open_database(config)
        _check_empty(config, database)
        vault = opening.open_vault(config)
        told = Told(messages)
        found = organization.generate(
            database, vault, config.organization, size, seed, told.progress
        )
        path = organization.write_people(config.data, found)
    told.end()
    click.echo(f"{len(found):,} people can log in: {path}", err=True)


def _check_empty(config: Config, database: Database) -> None:
    if database.read_now(0, storage.organization.all_of_them):
        raise click.ClickException(
            f"In {config.data} there is an organization already. Choose another folder with --data,"
            " or another database."
        )


class Told:
    """Shows how far it has come: on one line at a terminal, else every tenth."""

    def __init__(self, messages: int) -> None:
        self._messages = messages
        self._begun = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._tenths = 0

    def progress(self, done: int) -> None:
        share = done / self._messages
        words = f"{done:,} of {self._messages:,} messages, {share:.0%}, {self._taken():.0f} s"
        if self._is_terminal:
            click.echo(f"\r{words}", nl=False, err=True)
        elif int(10 * share) > self._tenths:
            self._tenths = int(10 * share)
            click.echo(words, err=True)

    def end(self) -> None:
        line = "\r" if self._is_terminal else ""
        click.echo(
            f"{line}{self._messages:,} messages in {self._taken():.0f} s.{' ' * 20}", err=True
        )

    def _taken(self) -> float:
        return time.monotonic() - self._begun
