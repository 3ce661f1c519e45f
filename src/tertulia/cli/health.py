"""`tertulia health`: queries `/health` of the server with these settings."""

import http.client
import json
import os
import ssl
from typing import Any
from urllib.parse import urlsplit

import click

from tertulia.cli import zuliprc
from tertulia.cli.flags import config_options
from tertulia.config import Config

LISTENING = ("host", "port", "tls_cert", "acme_directory")
TIMEOUT_SECONDS = 4


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@config_options(for_serve=True, listed=LISTENING)
def health(as_json: bool, **flags: Any) -> None:
    """Query /health of the running server, at the port in its settings.

    Without one: at the port of the server that was started last with this data folder. Exits with
    1 if it does not answer, cannot read its data, or cannot write.
    """
    found, problem = _examine(_address(Config.load(flags, os.environ)))
    if as_json:
        click.echo(json.dumps({"healthy": not problem, "problem": problem or None} | found))
        raise SystemExit(1 if problem else 0)
    if problem:
        raise click.ClickException(problem)
    click.echo(f"The server is healthy; writes: {found['writes']}.")


def _address(config: Config) -> str:
    defaults = Config()
    is_set = any(getattr(config, name) != getattr(defaults, name) for name in LISTENING)
    return zuliprc.address(config) if is_set and config.port else zuliprc.saved_address(config)


def _examine(address: str) -> tuple[dict[str, Any], str]:
    """What the server reports, and the problem if there is one."""
    try:
        status, body = _fetch(address)
    except (OSError, http.client.HTTPException) as error:
        return {}, f"The server does not answer on port {urlsplit(address).port}: {error}."
    if status != 200:
        return {}, f"The server answered {status}: it cannot read its database."
    found: dict[str, Any] = json.loads(body)
    if found["writes"] == "failing":
        return found, f"The server cannot write: {found.get('reason')}."
    return found, ""


def _fetch(address: str) -> tuple[int, bytes]:
    url = urlsplit(address)
    host, port = url.hostname or "", url.port
    if url.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname = False  # the certificate is for the public name
        context.verify_mode = ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, port, timeout=TIMEOUT_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health")
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
