"""`tertulia` itself: the list of its commands, and how their failures are told."""

import errno
from typing import Any

import click

from tertulia.cli.check import check
from tertulia.cli.generate import generate
from tertulia.cli.organizations import org
from tertulia.cli.serve import serve
from tertulia.cli.users import user
from tertulia.config import ConfigError
from tertulia.domain import version
from tertulia.domain.keys import WrongSecret
from tertulia.errors import ClientError
from tertulia.listening import CannotListen
from tertulia.serving import FolderInUse
from tertulia.storage import outages
from tertulia.storage.schema import SchemaTooNew

OUR_OWN = (ConfigError, CannotListen, FolderInUse, SchemaTooNew, WrongSecret)


class Commands(click.Group):
    """Tells in one sentence what somebody at the keyboard can put right."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            sentence = in_words(error)
            if sentence is None:
                raise
            raise click.ClickException(sentence) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version.VERSION, message="Tertulia %(version)s")
def main() -> None:
    """A team chat server: one process, one data folder."""


for command in (serve, user, org, check, generate):
    main.add_command(command)


def in_words(error: Exception) -> str | None:
    if isinstance(error, ClientError):
        return error.msg
    if isinstance(error, OUR_OWN):
        return str(error)
    if isinstance(error, UnicodeError):
        return "What was given is not valid UTF-8."
    if isinstance(error, OSError) and error.errno != errno.EPIPE:
        return f"{error.filename or 'The system'}: {error.strerror}."
    return outages.in_words(error)
