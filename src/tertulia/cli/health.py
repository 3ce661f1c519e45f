"""`tertulia health`: asks the server of these settings whether it is well."""

import http.client
import json
import os
import ssl
from typing import Any

import click

from tertulia.cli.flags import config_options
from tertulia.config import Config

TIMEOUT_SECONDS = 4
ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # we connect to them


@click.command()
@config_options(for_serve=True)
def health(**flags: Any) -> None:
    """Ask the running server for /health, by the settings for its port and TLS.

    Exits with 1 if it does not answer, cannot read its data, or cannot write.
    """
    config = Config.load(flags, os.environ)
    try:
        status, body = _ask(config)
    except (OSError, http.client.HTTPException) as error:
        raise click.ClickException(
            f"The server does not answer on port {config.port}: {error}."
        ) from None
    if status != 200:
        raise click.ClickException(f"The server answered {status}: it cannot read its database.")
    found = json.loads(body)
    if found["writes"] == "failing":
        raise click.ClickException(f"The server cannot write: {found.get('reason')}.")
    click.echo(f"The server is well; writes: {found['writes']}.")


def _ask(config: Config) -> tuple[int, bytes]:
    host = ALL_ADDRESSES.get(config.host, config.host)
    if config.tls_cert or config.acme_directory:
        context = ssl.create_default_context()
        context.check_hostname = False  # the certificate is for the public name
        context.verify_mode = ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, config.port, timeout=TIMEOUT_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(host, config.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
