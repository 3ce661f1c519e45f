"""`tertulia user`: accounts of people and bots."""

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from tertulia import actions, domain, external, jobs, storage
from tertulia.cli import zuliprc
from tertulia.cli.data import (
    OpenOrganization,
    as_json,
    for_person,
    in_organization,
    show_json,
    show_table,
    truncate_wal,
)
from tertulia.cli.passwords import (
    BOTS_HAVE_NONE,
    asked_password,
    end_password,
    make_link,
    set_password,
)
from tertulia.cli.roles import ROLES
from tertulia.cli.user_import import import_people, invite
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Session
from tertulia.domain.people.user import BotType, User
from tertulia.domain.people.welcome_message import NewUser

BOTS = {
    "generic": BotType.GENERIC,
    "incoming-webhook": BotType.INCOMING_WEBHOOK,
    "outgoing-webhook": BotType.OUTGOING_WEBHOOK,
}
ROLE_NAMES = {role: name for name, role in ROLES.items()}


@click.group()
def user() -> None:
    """Accounts: add, list and change them, end or erase them, replace keys and passwords."""


user.add_command(invite)
user.add_command(import_people)
user.add_command(set_password)
user.add_command(make_link)
user.add_command(end_password)


@user.command()
@click.argument("email")
@click.option("--name", required=True, help="The full name.")
@click.option("--role", type=click.Choice(list(ROLES)), default="member", show_default=True)
@click.option("--password", metavar="P", help="To log in with; without one, only the key works.")
@click.option("--password-stdin", is_flag=True, help="Read the password from the first line.")
@click.option("--bot", type=click.Choice(list(BOTS)), help="Make it a bot, which needs --owner.")
@click.option("--owner", metavar="EMAIL", help="The person who answers for the bot.")
@click.option("--channel", "channels", multiple=True, metavar="C", help="Subscribe it; repeatable.")
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
    """Add a person or a bot, and print the API key."""
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
    added, key = opened.write(_add, opened.vault, new, channels)

    if as_json:
        show_json({"user_id": added.id, "email": added.email, "role": role, "api_key": key})
    else:
        click.echo(f"Added {added.full_name} <{added.email}>, {role}. The API key:", err=True)
        click.echo(key)


def _add(tx: Tx, vault: Vault, new: NewUser, names: Sequence[str]) -> tuple[User, str]:
    """A new account in its channels, or nothing."""
    added, key = actions.people.account_creation.add(tx, vault, new)
    for name in names:
        channel = storage.channels.find_by_name(tx, name.removeprefix("#"))
        if channel is None or channel.archived:
            raise click.ClickException(f"There is no channel {name}.")
        actions.channels.subscriptions.join(tx, channel, [added])
    return added, key


@user.command("list")
@as_json
@in_organization
def list_users(opened: OpenOrganization, as_json: bool) -> None:
    """List everybody, bots and ended accounts included."""
    everyone = opened.read(storage.people.everyone)
    shown = [each for each in everyone if not each.is_system_bot]

    if as_json:
        show_json([_described(each) for each in shown])
    else:
        rows = [(str(each.id), each.email, each.full_name, _standing(each)) for each in shown]
        show_table([("ID", "EMAIL", "NAME", "ROLE"), *rows])


@user.command()
@for_person
def deactivate(opened: OpenOrganization, found: User) -> None:
    """End an account: its key and its queues stop working at once."""
    opened.write(actions.people.deactivate, found.id)
    click.echo(f"The account of {found.full_name} <{found.email}> has ended.", err=True)


@user.command()
@for_person
def reactivate(opened: OpenOrganization, found: User) -> None:
    """Open an account again that has ended; a bot whose owner has gone gets a new key."""
    has_new_key = opened.write(actions.people.bring_back, opened.vault, found.id)
    key = " Its key is a new one, because its owner has gone." if has_new_key else ""
    click.echo(f"{found.full_name} <{found.email}> is back.{key}", err=True)


@user.command()
@click.option(
    "--messages",
    type=click.Choice(["delete", "anonymous"]),
    required=True,
    help="What becomes of what they said.",
)
@click.option("--yes", is_flag=True, help="Do not ask whether that is meant.")
@for_person
def erase(opened: OpenOrganization, found: User, messages: str, yes: bool) -> None:
    """End an account and delete all that is theirs; it cannot be brought back.

    Every client of the organization registers again. Older backups keep what they had.
    """
    if not yes:
        click.confirm(f"Erase {found.full_name} <{found.email}> for good?", abort=True, err=True)
    opened.write(actions.people.erasure.begin, found)
    count = 0
    while messages == "delete" and (
        gone := opened.database.write_now(
            opened.realm.id, actions.people.erasure.delete_messages, found
        )
    ):
        count += gone
    opened.database.write_now(opened.realm.id, actions.people.erasure.finish, found)
    while opened.database.write_now(0, actions.files.upload.sweep):
        pass
    jobs.upload_migration.sweep(
        opened.database, external.stores.file_stores.FileStores(opened.config)
    )
    truncate_wal(opened)
    said = f"{count} messages deleted" if messages == "delete" else "messages left, said by nobody"
    click.echo(
        f"Erased user {found.id}: {said}. The audit log keeps the bare number, and backups from"
        " before keep what they had.",
        err=True,
    )


@user.command()
@for_person
@click.argument("role", type=click.Choice(list(ROLES)))
def role(opened: OpenOrganization, found: User, role: str) -> None:
    """Give somebody another role."""
    opened.write(actions.people.roles.change, found, ROLES[role])
    click.echo(f"{found.full_name} <{found.email}> is {role} now.", err=True)


@user.command("reset-key")
@for_person
def reset_key(opened: OpenOrganization, found: User) -> None:
    """Print a new API key; the old one stops working at once."""
    key = opened.write(actions.people.reset_key, opened.vault, found.id)
    click.echo(f"{found.full_name} <{found.email}> has a new API key:", err=True)
    click.echo(key)


@user.command()
@click.option("--end", is_flag=True, help="End all of them: every browser has to log in again.")
@as_json
@for_person
def sessions(opened: OpenOrganization, found: User, end: bool, as_json: bool) -> None:
    """List the browsers in which somebody is logged in, the one that was used last first."""
    known = opened.read(actions.people.sessions.mine, found)
    if as_json:
        show_json(known)
    elif known:
        rows = [(_time(each.seen_at), _time(each.made_at), *_browser(each)) for each in known]
        show_table([("LAST USED", "BEGUN", "ADDRESS", "BROWSER"), *rows])
    if end:
        opened.write(actions.people.sessions.end_all, found.id)
        click.echo(f"{found.full_name} <{found.email}> is logged out everywhere.", err=True)
    elif not known:
        click.echo(f"{found.full_name} <{found.email}> is logged in nowhere.", err=True)


@user.command()
@for_person
def unlock(opened: OpenOrganization, found: User) -> None:
    """Forget wrong passwords, so that somebody who tried too often can log in at once."""
    count = opened.write(_unlock, opened.vault, found)
    click.echo(f"{found.full_name} <{found.email}>: attempts forgotten: {count}.", err=True)


@user.command("second-factor")
@click.option("--reset", is_flag=True, help="Take it away, so that the password alone is enough.")
@as_json
@for_person
def second_factor(opened: OpenOrganization, found: User, reset: bool, as_json: bool) -> None:
    """Show what somebody's password is asked for besides, or take it away where it was lost."""
    known = opened.read(storage.people.second_factors.of_user, found.id)
    if as_json:
        shown = {"is_on": known.is_on, "has_app": known.has_app}
        left = {"recovery_codes_left": known.recovery_codes, "passkeys": len(known.passkeys)}
        show_json(shown | left)
    elif known.is_on:
        app = "an app" if known.has_app else "no app"
        click.echo(
            f"{app}, {len(known.passkeys)} passkeys, {known.recovery_codes} recovery codes left"
        )
    if reset:
        tells = opened.config.sends_mail
        vault = opened.vault
        opened.write(actions.people.second_factors.reset, vault, None, found.id, tells)
        click.echo(f"{found.full_name} <{found.email}> has no second factor now.", err=True)
    elif not known.is_on:
        click.echo(f"{found.full_name} <{found.email}> has no second factor.", err=True)


@user.command()
@for_person
def unlink(opened: OpenOrganization, found: User) -> None:
    """Forget by which provider and as whom somebody came, so that they are found by address."""
    if not opened.write(actions.people.external_identities.unlink, found.id):
        raise click.ClickException(f"{found.email} came from no provider.")
    click.echo(f"{found.full_name} <{found.email}> is not linked to a provider now.", err=True)


@user.command("zuliprc")
@for_person
def print_zuliprc(opened: OpenOrganization, found: User) -> None:
    """Print a zuliprc file, which lets a client or a bot log in."""
    sealed = opened.read(storage.people.sealed_key, found.id)
    if sealed is None:
        raise click.ClickException(f"{found.email} has no API key.")
    opened.database.write_now(opened.realm.id, opened.note, found)
    click.echo(zuliprc.text(found.email, opened.vault.unseal(sealed), opened.site), nl=False)


def _unlock(tx: Tx, vault: Vault, found: User) -> int:
    passwords = actions.people.password_attempts.unlock(tx, vault, found)
    return passwords + actions.people.second_factors.unlock(tx, vault, found.id)


def _read_password(given: str | None, from_stdin: bool) -> str | None:
    if given is not None and from_stdin:
        raise click.UsageError("--password and --password-stdin exclude each other.")
    if from_stdin:
        given = asked_password()
    return None if given is None else domain.people.passwords.checked(given)


def _time(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}"


def _browser(each: Session) -> tuple[str, str]:
    """Where it is and what it calls itself, without what would move a terminal's cursor."""
    name = "".join(letter if letter.isprintable() else "?" for letter in each.agent)
    return each.address, name


def _described(each: User) -> dict[str, object]:
    return {
        "user_id": each.id,
        "email": each.email,
        "name": each.full_name,
        "role": ROLE_NAMES[each.role],
        "is_bot": each.is_bot,
        "is_active": each.is_active,
    }


def _standing(each: User) -> str:
    words = [ROLE_NAMES[each.role]]
    if each.is_bot:
        words.append("bot")
    if not each.is_active:
        words.append("deactivated")
    return ", ".join(words)
