"""`tertulia user`: accounts of people and bots."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import click

import tertulia.features  # noqa: F401
from tertulia import actions, domain, features, storage
from tertulia.cli import open_data, zuliprc
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    for_person,
    in_organization,
    show_json,
    show_table,
    truncate_wal,
)
from tertulia.cli.passwords import BOTS_HAVE_NONE, read_password
from tertulia.cli.roles import ROLES, role_option
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Session
from tertulia.domain.people.user import BotType, NewUser, User
from tertulia.external.stores.file_stores import FileStores
from tertulia.jobs import upload_migration

BOTS = {
    "generic": BotType.GENERIC,
    "incoming-webhook": BotType.INCOMING_WEBHOOK,
    "outgoing-webhook": BotType.OUTGOING_WEBHOOK,
}


@click.command()
@click.argument("email")
@click.option("--name", required=True, help="The full name.")
@role_option("The role of the account.")
@click.option("--password", metavar="P", help="The password; without one only the API key works.")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of stdin."
)
@click.option("--bot", type=click.Choice(list(BOTS)), help="Add a bot; needs --owner.")
@click.option("--owner", metavar="EMAIL", help="The owner of the bot.")
@click.option(
    "--channel", "channels", multiple=True, metavar="C", help="Subscribe to C; repeatable."
)
@as_json
@in_organization
def add(
    opened: OpenOrganization,
    email: str,
    name: str,
    role: str,
    password: str | None,
    password_stdin: bool,
    bot: str | None,
    owner: str | None,
    channels: tuple[str, ...],
    as_json: bool,
) -> None:
    """Add a person or a bot, and print the API key.

    Without a password, a person also gets a link to choose one, on stderr.
    """
    if (bot is None) != (owner is None):
        raise click.UsageError("--bot and --owner go together.")
    if bot is not None and (password is not None or password_stdin):
        raise click.UsageError(BOTS_HAVE_NONE)
    chosen = _read_password(password, password_stdin)
    new = NewUser(
        email=email,
        full_name=name,
        role=ROLES[role],
        password_hash=None if chosen is None else domain.people.passwords.hashed(chosen),
        bot_type=None if bot is None else BOTS[bot],
        bot_owner_email=owner,
    )
    has_link = chosen is None and bot is None and opened.realm.admits_passwords
    added, key, link_key = opened.write(_add, opened.vault, new, channels, has_link)
    link = actions.people.password_reset.address(opened.site, link_key) if has_link else None

    if as_json:
        about = {"user_id": added.id, "email": added.email, "role": role, "api_key": key}
        show_json(about if link is None else about | {"password_link": link})
    else:
        click.echo(f"Added {added.full_name} <{added.email}>, {role}.", err=True)
        if link is not None:
            click.echo(f"Choose a password within 24 hours: {link}", err=True)
        click.echo("The API key:", err=True)
        click.echo(key)


def _add(
    tx: Tx, vault: Vault, new: NewUser, names: Sequence[str], has_link: bool
) -> tuple[User, str, str]:
    """Add the account and its subscriptions in one transaction.

    Returns the account, its API key and the key of a link to choose a password, or "".
    """
    added, key = actions.people.account_creation.add(tx, vault, new)
    for name in names:
        channel = storage.channels.table.find_by_name(tx, name.removeprefix("#"))
        if channel is None or channel.archived:
            raise click.ClickException(f"There is no channel {name}.")
        actions.channels.subscriptions.join(tx, channel, [added])
    create_link = actions.people.password_reset.create_link
    return added, key, create_link(tx, vault, None, added.id) if has_link else ""


@click.command()
@for_person
def deactivate(opened: OpenOrganization, found: User) -> None:
    """Deactivate an account; its API key and sessions stop working at once."""
    opened.write(actions.people.users.deactivate, found.id)
    click.echo(f"Deactivated {found.full_name} <{found.email}>.", err=True)


@click.command()
@for_person
def reactivate(opened: OpenOrganization, found: User) -> None:
    """Reactivate an account; a bot with a deactivated owner gets a new key."""
    has_new_key = opened.write(actions.people.users.reactivate_as_operator, opened.vault, found.id)
    key = " It has a new API key, because its owner is deactivated." if has_new_key else ""
    click.echo(f"Reactivated {found.full_name} <{found.email}>.{key}", err=True)


@click.command()
@click.option(
    "--messages",
    type=click.Choice(["delete", "anonymous"]),
    required=True,
    help="Delete the user's messages, or keep them without a name.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@for_person
def erase(opened: OpenOrganization, found: User, messages: str, yes: bool) -> None:
    """Deactivate an account and delete its data. This cannot be undone.

    All clients of the organization register again. Existing backups still contain the data.
    """
    if not yes:
        click.confirm(_erasure_question(opened, found, messages), abort=True, err=True)
    opened.write(actions.people.erasure.start, found)
    count = 0
    while messages == "delete" and (
        gone := opened.database.of(opened.realm.id).write(
            actions.people.erasure.delete_messages, found
        )
    ):
        count += gone
    while opened.database.of(opened.realm.id).write(
        actions.people.erasure.delete_kept_messages, found
    ):
        pass
    while opened.database.of(opened.realm.id).write(storage.search.removal.remove_some_deleted):
        pass
    read_log = partial(
        features.notifications.log_reader.read_part, sends_mail=opened.config.sends_mail
    )
    while not opened.database.of(opened.realm.id).write(
        actions.people.erasure.finish, found, read_log
    ):
        pass
    while opened.database.of(0).write(actions.files.upload.sweep):
        pass
    upload_migration.sweep(opened.database, FileStores(opened.config))
    truncate_wal(opened)
    outcome = f"deleted {count} messages" if messages == "delete" else "kept the messages, unnamed"
    click.echo(
        f"Erased user {found.id}: {outcome}. The audit log keeps the user id. Existing backups"
        " still contain the data.",
        err=True,
    )


def _erasure_question(opened: OpenOrganization, found: User, messages: str) -> str:
    sent = opened.read(storage.messages.expired.by_sender, found.id)
    words = open_data.described(sent.count, sent.oldest_at, sent.newest_at)
    outcome = f"delete {words}" if messages == "delete" else f"keep {words}, without a name"
    return f"Erase {found.full_name} <{found.email}> permanently, and {outcome}?"


@click.command()
@for_person
@click.argument("role", type=click.Choice(list(ROLES)))
def role(opened: OpenOrganization, found: User, role: str) -> None:
    """Change the role of an account."""
    opened.write(actions.people.roles.change, found, ROLES[role])
    click.echo(f"{found.full_name} <{found.email}> is {role} now.", err=True)


@click.command("reset-key")
@for_person
def reset_key(opened: OpenOrganization, found: User) -> None:
    """Replace the API key and print the new one; the old key stops working at once."""
    key = opened.write(actions.people.users.reset_key, opened.vault, found.id)
    click.echo(f"{found.full_name} <{found.email}> has a new API key:", err=True)
    click.echo(key)


@click.command()
@click.option("--end", is_flag=True, help="Log out all browsers.")
@as_json
@for_person
def sessions(opened: OpenOrganization, found: User, end: bool, as_json: bool) -> None:
    """List the browser sessions of a user, most recently used first."""
    known = opened.read(actions.people.sessions.of_user, found)
    if as_json:
        show_json(known)
    elif known:
        rows = [(_time(each.seen_at), _time(each.created_at), *_browser(each)) for each in known]
        show_table([("LAST USED", "CREATED", "ADDRESS", "BROWSER"), *rows])
    if end:
        opened.write(actions.people.sessions.end_all, found.id)
        click.echo(f"{found.full_name} <{found.email}> is logged out in all browsers.", err=True)
    elif not known:
        click.echo(f"{found.full_name} <{found.email}> is not logged in in any browser.", err=True)


@click.command()
@for_person
def unlock(opened: OpenOrganization, found: User) -> None:
    """Clear the failed login attempts of a user, so that they can log in again."""
    count = opened.write(_unlock, opened.vault, found)
    click.echo(f"{found.full_name} <{found.email}>: failed attempts cleared: {count}.", err=True)


@click.command("second-factor")
@click.option(
    "--reset", is_flag=True, help="Remove the second factor; the password alone is then enough."
)
@as_json
@for_person
def second_factor(opened: OpenOrganization, found: User, reset: bool, as_json: bool) -> None:
    """Show or remove the second factor of a user."""
    known = opened.read(storage.people.second_factors.of_user, found.id)
    if as_json:
        shown = {"is_on": known.is_enabled, "has_app": known.has_app}
        left = {"recovery_codes_left": known.recovery_codes, "passkeys": len(known.passkeys)}
        show_json(shown | left)
    elif known.is_enabled:
        app = "an app" if known.has_app else "no app"
        click.echo(
            f"{app}, {len(known.passkeys)} passkeys, {known.recovery_codes} recovery codes left"
        )
    if reset:
        sends_mail = opened.config.sends_mail
        vault = opened.vault
        opened.write(features.second_factors.reset_of_user, vault, None, found.id, sends_mail)
        click.echo(f"{found.full_name} <{found.email}> has no second factor now.", err=True)
    elif not known.is_enabled:
        click.echo(f"{found.full_name} <{found.email}> has no second factor.", err=True)


@click.command()
@for_person
def unlink(opened: OpenOrganization, found: User) -> None:
    """Remove the link to a login provider; the next login matches by email address."""
    if not opened.write(actions.people.external_identities.unlink, found.id):
        raise click.ClickException(f"{found.email} is not linked to a provider.")
    click.echo(f"{found.full_name} <{found.email}> is no longer linked to a provider.", err=True)


@click.command("zuliprc")
@for_person
def print_zuliprc(opened: OpenOrganization, found: User) -> None:
    """Print a zuliprc file for a client or a bot."""
    sealed = opened.read(storage.people.users.sealed_key, found.id)
    if sealed is None:
        raise click.ClickException(f"{found.email} has no API key.")
    opened.database.of(opened.realm.id).write(opened.record, found)
    click.echo(zuliprc.text(found.email, opened.vault.unseal(sealed), opened.site), nl=False)


def _unlock(tx: Tx, vault: Vault, found: User) -> int:
    passwords = actions.people.password_attempts.unlock(tx, vault, found)
    return passwords + features.second_factors.unlock(tx, vault, found.id)


def _read_password(given: str | None, from_stdin: bool) -> str | None:
    if given is not None and from_stdin:
        raise click.UsageError("--password and --password-stdin exclude each other.")
    if from_stdin:
        given = read_password()
    return None if given is None else domain.people.passwords.checked(given)


def _time(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}"


def _browser(each: Session) -> tuple[str, str]:
    """The address and user agent, without characters that a terminal would act on."""
    name = "".join(letter if letter.isprintable() else "?" for letter in each.agent)
    return each.address, name


ROLE_NAMES = {role: name for name, role in ROLES.items()}
