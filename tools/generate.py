"""`make generate`: a test organization, to measure what a given size costs."""

import os
from typing import Any

import click
from tools.sample_organization import organization
from tools.sample_organization.organization import Size

from tertulia import data_dir, storage
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress, quiet
from tertulia.config import Config
from tertulia.database import BlockingDatabase


@click.command()
@click.option(
    "--people",
    metavar="N",
    type=click.IntRange(2, 100_000),
    required=True,
    help="Number of people.",
)
@click.option(
    "--channels",
    metavar="N",
    type=click.IntRange(2, 10_000),
    required=True,
    help="Number of channels.",
)
@click.option(
    "--messages",
    metavar="N",
    type=click.IntRange(0, 100_000_000),
    required=True,
    help="Number of messages, spread over a little more than a year.",
)
@click.option(
    "--seed",
    metavar="S",
    type=int,
    default=1,
    show_default=True,
    help="The same seed gives the same organization.",
)
@quiet
@config_options(for_serve=False)
def generate(people: int, channels: int, messages: int, seed: int, **flags: Any) -> None:
    """Create a test organization of a given size.

    It needs a new data folder. The file people.json in it lists the users and their API keys.
    """
    config = Config.load(flags, os.environ)
    size = Size(people, channels, messages)
    with data_dir.folder_lock(config):
        database = data_dir.open_database(config, to_serve=False)
        _check_empty(config, database)
        vault = data_dir.open_vault(config)
        progress = Progress(messages, "messages")
        found = organization.generate(
            database, vault, config.organization, size, seed, progress.show
        )
        path = organization.write_people(config.data, found)
    progress.end()
    click.echo(f"{len(found):,} people can log in: {path}", err=True)


def _check_empty(config: Config, database: BlockingDatabase) -> None:
    if database.of(0).read(storage.organization.realms.list_all):
        raise click.ClickException(
            f"{config.data} already has an organization. Choose another folder with --data, or"
            " another database."
        )


if __name__ == "__main__":
    generate()
