"""`tertulia secret`: the secret that encrypts API keys."""

import secrets
from typing import Any

import click

import tertulia.features  # noqa: F401
from tertulia import actions, data_dir, events, features, storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import audited_command, open_data
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.events.audience import NoClients
from tertulia.events.types.people.user import KeysReencrypted


@click.group()
def secret() -> None:
    """Replace the server's secret."""


@secret.command()
@config_options(for_serve=False)
def rotate(**flags: Any) -> None:
    """Replace the secret while the server runs. API keys stay valid; browsers log in again."""
    config, database = open_data(flags)
    if config.secret:
        raise click.ClickException(
            "TERTULIA_SECRET sets the secret. Stop all servers, write the secret to the file"
            " `secret` in the data folder, unset the variable, rotate, and set the variable again."
        )
    old, chosen = data_dir.open_vault(config), secrets.token_urlsafe(48).encode()
    act = audited_command()

    def seal(tx: Tx) -> int:
        count = features.key_rotation.reencrypt(tx, old, Vault(chosen))
        for realm in storage.organization.realms.list_all(tx):
            here = tx.for_realm(realm.id)
            events.log.announce(here, KeysReencrypted(), to=NoClients())
            actions.organization.audit.record(here, act)
        data_dir.replace_secret(config, chosen)
        return count

    count = database.of(0).write(seal)
    data_dir.drop_previous_secret(config)
    click.echo(
        f"Encrypted {count} keys with the new secret. Copy the file to your other servers now."
        " Older backups still need the old secret.",
        err=True,
    )
