"""`tertulia mail`: whether the server can send any."""

import asyncio
import os
import secrets
import time
from typing import Any

import click

from tertulia.cli.flags import config_options
from tertulia.config import Config
from tertulia.domain.letters import Letter
from tertulia.links import smtp, writing
from tertulia.links.smtp import NotSent


@click.group()
def mail() -> None:
    """Mail: see whether the server can send any."""


@mail.command("test")
@click.argument("address")
@click.option("--language", type=click.Choice(["en", "es"]), default="en", show_default=True)
@config_options(for_serve=False)
def send_test(address: str, language: str, **flags: Any) -> None:
    """Send a mail to an address, and say what the mail server answers."""
    config = Config.load(flags, os.environ)
    if not config.sends_mail:
        raise click.ClickException("No mail server is set: see smtp_host in docs/settings.md.")
    message = writing.mail(
        Letter("test", address, language),
        sender=config.sender,
        name=config.organization,
        number=secrets.token_hex(16),
        now=time.time(),
    )

    async def send() -> None:
        async with smtp.connected(config) as post:
            await post.send(message)

    try:
        asyncio.run(send())
    except NotSent as trouble:
        raise click.ClickException(f"{config.smtp_host} did not take it: {trouble}") from trouble
    click.echo(f"{config.smtp_host} has taken a mail from {config.sender} to {address}.", err=True)
