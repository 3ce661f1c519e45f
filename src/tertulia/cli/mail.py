"""`tertulia mail`: test outgoing mail, receive incoming mail."""

import asyncio
import os
import secrets
import sys
import time
from typing import Any, NoReturn

import click

from tertulia import domain, events, locale
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import open_data
from tertulia.config import Config
from tertulia.database.blocking import BlockingDatabase, BlockingRunner
from tertulia.domain.emails import Email
from tertulia.domain.inbound_mail import MAX_BYTES, MailRefused
from tertulia.events.directory.organization import Organization
from tertulia.external.mail import mail_composer, mail_parser, smtp
from tertulia.external.mail.smtp import SendFailed
from tertulia.server.inbound_mail import InboundMail

# Exit codes that mail servers understand (sysexits.h).
NO_SUCH_ADDRESS = 67
REFUSED = 69
TEMPORARY_FAILURE = 75


@click.group()
def mail() -> None:
    """Test outgoing mail, receive incoming mail."""


@mail.command("test")
@click.argument("address")
@click.option(
    "--language",
    type=click.Choice(locale.LANGUAGES),
    default="en",
    show_default=True,
    help="The language of the mail.",
)
@config_options(for_serve=False)
def send_test(address: str, language: str, **flags: Any) -> None:
    """Send a test mail and show the answer of the mail server."""
    config = Config.load(flags, os.environ)
    if not config.sends_mail:
        raise click.ClickException("No mail server is set: see smtp_host in docs/settings.md.")
    message = mail_composer.compose(
        Email("test", address, language),
        sender=config.sender,
        name=config.organization,
        number=secrets.token_hex(16),
        now=time.time(),
    )

    async def send() -> None:
        async with smtp.connect(config) as post:
            await post.send(message)

    try:
        asyncio.run(send())
    except SendFailed as trouble:
        raise click.ClickException(f"{config.smtp_host} did not accept it: {trouble}") from trouble
    click.echo(f"{config.smtp_host} accepted a mail from {config.sender} to {address}.", err=True)


@mail.command()
@click.argument("address", required=False)
@config_options(for_serve=False)
def receive(address: str | None, **flags: Any) -> None:
    """Receive one mail from stdin, for a mail server that runs a program for each mail.

    ADDRESS is the recipient; without it the command looks at ORIGINAL_RECIPIENT and at the headers.
    Exit codes: 0 accepted, 67 or 69 rejected, 75 try again later.
    """
    try:
        config, database = open_data(flags)
        if not config.receives_mail:
            raise click.ClickException("Incoming mail is off: see mail_in_address in docs/mail.md.")
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        wanted = address or os.environ.get("ORIGINAL_RECIPIENT") or _recipient_in(config, raw)
        result = asyncio.run(_take(config, database, wanted, raw))
    except MailRefused as refusal:
        _end(refusal)
    except Exception as trouble:  # on any failure the mail server must keep the mail
        words = trouble.format_message() if isinstance(trouble, click.ClickException) else ""
        _end(MailRefused("4.3.0", words or f"Something went wrong: {type(trouble).__name__}."))
    click.echo(result, err=True)


async def _take(config: Config, database: BlockingDatabase, address: str, raw: bytes) -> str:
    async def organization(realm_id: int) -> Organization:
        return database.of(realm_id).read(
            events.directory.loader.load, config.email_domain, database.clock
        )

    return await InboundMail(config, BlockingRunner(database), organization).accept(address, raw)


def _recipient_in(config: Config, raw: bytes) -> str:
    """The first recipient in the headers that matches mail_in_address."""
    for address in mail_parser.recipients(raw):
        if domain.inbound_mail.read_address(address, config.mail_in_address) is not None:
            return address
    raise MailRefused("5.1.1", "The mail has no recipient of this server.")


def _end(refusal: MailRefused) -> NoReturn:
    """Print the enhanced status code first: a mail server puts it into the bounce."""
    click.echo(f"{refusal.code} {refusal.text}")
    if refusal.code.startswith("4"):
        sys.exit(TEMPORARY_FAILURE)
    sys.exit(NO_SUCH_ADDRESS if refusal.code == "5.1.1" else REFUSED)
