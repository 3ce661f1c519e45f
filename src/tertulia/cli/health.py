"""`tertulia health`: queries `/health` of the server with these settings."""

import http.client
import json
import os
import ssl
from typing import Any

import click

from tertulia.cli.flags import config_options
from tertulia.config import Config

TIMEOUT_SECONDS = 4


@click.command()
@config_options(for_serve=True, listed=("host", "port", "tls_cert", "acme_directory"))
def health(**flags: Any) -> None:
    """Query /health of the running server, at the port in its settings.

    Exits with 1 if it does not answer, cannot read its data, or cannot write.
    """
    config = Config.load(flags, os.environ)
    try:
        status, body = _fetch(config)
    except (OSError, http.client.HTTPException) as error:
        raise click.ClickException(
            f"The server does not answer on port {config.port}: {error}."
        ) from None
    if status != 200:
        raise click.ClickException(f"The server answered {status}: it cannot read its database.")
    found = json.loads(body)
    if found["writes"] == "failing":
        raise click.ClickException(f"The server cannot write: {found.get('reason')}.")
    click.echo(f"The server is healthy; writes: {found['writes']}.")


def _fetch(config: Config) -> tuple[int, bytes]:
    host = config.local_host
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
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
