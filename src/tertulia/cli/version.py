"""`tertulia version`: the same as `tertulia --version`."""

import click

from tertulia import __version__


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"Tertulia {__version__}")
