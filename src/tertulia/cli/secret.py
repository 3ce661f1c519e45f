"""`tertulia secret`: what keys are sealed with."""

import secrets
from typing import Any

import click

from tertulia import actions, data_dir, events, storage
from tertulia.cli.data import command_act, open_data
from tertulia.cli.flags import config_options
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.events.audience import Nobody
from tertulia.events.types.people.user import KeysReencrypted


@click.group()
def secret() -> None:
    """The server's secret: replace it while the server runs."""


@secret.command()
@config_options(for_serve=False)
def rotate(**flags: Any) -> None:
    """Replace the secret and seal all keys anew; only browsers have to log in again."""
    config, database = open_data(flags)
    if config.secret:
        raise click.ClickException(
            "The secret is given by TERTULIA_SECRET, which only you can replace: stop all servers,"
            " put it into the file `secret` of the data folder, rotate, and set the variable anew."
        )
    old, chosen = data_dir.open_vault(config), secrets.token_urlsafe(48).encode()
    act = command_act()

    def seal(tx: Tx) -> int:
        count = actions.people.key_rotation.seal_anew(tx, old, Vault(chosen))
        for realm in storage.organization.all_of_them(tx):
            here = tx.for_realm(realm.id)
            events.log.announce(here, KeysReencrypted(), to=Nobody())
            actions.organization.audit.note(here, act)
        data_dir.replace_secret(config, chosen)
        return count

    count = database.write_now(0, seal)
    data_dir.drop_previous_secret(config)
    click.echo(
        f"{count} keys are sealed with the new secret. Servers with a copy of the file need the new"
        " one now, and backups with the old secret open with that alone.",
        err=True,
    )
