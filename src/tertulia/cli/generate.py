"""`tertulia generate`: a made-up organization, for those who want to know what a size costs."""

import os
from typing import Any

import click

from tertulia import data_dir, storage
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.database import Database
from tertulia.sample_data.generated import organization
from tertulia.sample_data.generated.organization import Size


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
    with data_dir.folder_lock(config):
        database = data_dir.open_database(config)
        _check_empty(config, database)
        vault = data_dir.open_vault(config)
        told = Progress(messages, "messages")
        found = organization.generate(database, vault, config.organization, size, seed, told.show)
        path = organization.write_people(config.data, found)
    told.end()
    click.echo(f"{len(found):,} people can log in: {path}", err=True)


def _check_empty(config: Config, database: Database) -> None:
    if database.read_now(0, storage.organization.all_of_them):
        raise click.ClickException(
            f"In {config.data} there is an organization already. Choose another folder with --data,"
            " or another database."
        )
