"""`tertulia mail`: whether the server can send any, and taking in what comes."""

import asyncio
import os
import secrets
import sys
import time
from typing import Any, NoReturn

import click

from tertulia import domain, events
from tertulia.cli.data import open_data
from tertulia.cli.flags import config_options
from tertulia.config import Config
from tertulia.database.blocking import UnattendedDatabase
from tertulia.domain.emails import Letter
from tertulia.domain.inbound_mail import MAX_BYTES, MailRefused
from tertulia.events.directory.organization import Organization
from tertulia.external.mail import mail_composer, mail_parser, smtp
from tertulia.external.mail.smtp import NotSent
from tertulia.server.inbound_mail import InboundMail

# What mail servers know of how a program ends (sysexits.h).
NO_SUCH_ADDRESS = 67
REFUSED = 69
TRY_AGAIN = 75


@click.group()
def mail() -> None:
    """Mail: see whether the server can send any, take in what comes."""


@mail.command("test")
@click.argument("address")
@click.option("--language", type=click.Choice(["en", "es"]), default="en", show_default=True)
@config_options(for_serve=False)
def send_test(address: str, language: str, **flags: Any) -> None:
    """Send a mail to an address, and say what the mail server answers."""
    config = Config.load(flags, os.environ)
    if not config.sends_mail:
        raise click.ClickException("No mail server is set: see smtp_host in docs/settings.md.")
    message = mail_composer.mail(
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


@mail.command()
@click.argument("address", required=False)
@config_options(for_serve=False)
def receive(address: str | None, **flags: Any) -> None:
    """Take in a mail from standard input, for a mail server that runs a program for each.

    ADDRESS is whom it is for; without it the mail's own headers say so. It ends with what mail
    servers understand: 0 for done, 67 and 69 for refused, 75 for another try later.
    """
    try:
        config, database = open_data(flags)
        if not config.receives_mail:
            raise click.ClickException("No mail is taken in: see mail_in_address in docs/mail.md.")
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        wanted = address or os.environ.get("ORIGINAL_RECIPIENT") or _recipient_in(config, raw)
        told = asyncio.run(_take(config, UnattendedDatabase(database.dialect), wanted, raw))
    except MailRefused as refusal:
        _end(refusal)
    except Exception as trouble:  # whatever it is, the mail must not be lost
        words = trouble.format_message() if isinstance(trouble, click.ClickException) else ""
        _end(MailRefused("4.3.0", words or f"Something went wrong: {type(trouble).__name__}."))
    click.echo(told, err=True)


async def _take(config: Config, database: UnattendedDatabase, address: str, raw: bytes) -> str:
    async def organization(realm_id: int) -> Organization:
        return database.read_now(
            realm_id, events.directory.loader.load, config.email_domain, database.clock
        )

    return await InboundMail(config, database, organization).take(address, raw)


def _recipient_in(config: Config, raw: bytes) -> str:
    """The first address of ours that the headers name."""
    for address in mail_parser.recipients(raw):
        if domain.inbound_mail.read_address(address, config.mail_in_address) is not None:
            return address
    raise MailRefused("5.1.1", "The mail names no address of this server.")


def _end(refusal: MailRefused) -> NoReturn:
    """The code first: that is what a mail server hands back to the sender."""
    click.echo(f"{refusal.code} {refusal.words}")
    if refusal.code.startswith("4"):
        sys.exit(TRY_AGAIN)
    sys.exit(NO_SUCH_ADDRESS if refusal.code == "5.1.1" else REFUSED)
