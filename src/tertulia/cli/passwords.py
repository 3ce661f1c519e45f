"""`tertulia user password`, `link` and `end-password`."""

import sys

import click

import tertulia.features  # noqa: F401
from tertulia import actions, domain, storage
from tertulia.cli.open_data import (
    OpenOrganization,
    find_person,
    for_person,
    in_organization,
)
from tertulia.domain.people.user import User

BOTS_HAVE_NONE = "A bot logs in with its API key and has no password."


@click.command("password")
@click.option(
    "--password-stdin", is_flag=True, help="Read the first line of stdin, at a terminal too."
)
@for_person
def set_password(opened: OpenOrganization, found: User, password_stdin: bool) -> None:
    """Set a user's password: prompt for it, or read the first line of stdin."""
    if found.is_bot:
        raise click.UsageError(BOTS_HAVE_NONE)
    opened.read(actions.people.password_reset.check_is_local, found, opened.directories)
    password = read_password(from_stdin=password_stdin)
    chosen = domain.people.passwords.hashed(domain.people.passwords.checked(password))
    opened.write(actions.people.users.set_password, found.id, chosen)
    click.echo(f"{found.full_name} <{found.email}> has a new password.", err=True)


@click.command("link")
@click.argument("email", required=False)
@click.option(
    "--imported", is_flag=True, help="One link for each imported user who has not logged in yet."
)
@in_organization
def make_link(opened: OpenOrganization, email: str | None, imported: bool) -> None:
    """Print a link to choose a password; it works once, for 24 hours."""
    if imported is (email is not None):
        raise click.UsageError("Give EMAIL or --imported.")
    if email is not None:
        found = find_person(opened, email)
        link = _link(opened, found)
        words = f"{found.full_name} <{found.email}> can choose a password with this link:"
        click.echo(words, err=True)
        click.echo(link)
        return
    for each in opened.read(storage.people.users.list_all):
        if each.is_imported_stub and each.is_active and not each.is_bot:
            click.echo(f"{each.email}\t{_link(opened, each)}")


@click.command("end-password")
@click.argument("emails", nargs=-1, metavar="EMAIL…")
@click.option("--all", "everybody", is_flag=True, help="All users who have a password.")
@in_organization
def end_password(opened: OpenOrganization, emails: tuple[str, ...], everybody: bool) -> None:
    """Make passwords invalid, so that users must choose new ones.

    This logs out their browsers; API keys stay valid. If the server sends mail, each user gets a
    link.
    """
    if everybody is bool(emails):
        raise click.UsageError("Give EMAIL or --all.")
    found = [find_person(opened, email) for email in emails] or _with_password(opened)
    site = opened.site if opened.config.sends_mail else None
    for each in found:
        about = (opened.vault, None, each.id, site, opened.directories)
        had_one = opened.write(actions.people.password_reset.invalidate, *about)
        what = "must choose a new password" if had_one else "has no password"
        click.echo(f"{each.full_name} <{each.email}> {what}.", err=True)
    if site is None and found:
        click.echo("The server sends no mail: `tertulia user link EMAIL` prints a link.", err=True)


def read_password(*, from_stdin: bool = False) -> str:
    """Prompt twice without echo at a terminal; otherwise read one line of stdin."""
    if sys.stdin.isatty() and not from_stdin:
        password: str = click.prompt(
            "Password", hide_input=True, confirmation_prompt=True, err=True
        )
        return password
    return sys.stdin.readline().rstrip("\r\n")


def _with_password(opened: OpenOrganization) -> list[User]:
    """The active users whose password is stored here, not in a directory."""
    elsewhere = {*opened.directories}
    return [
        each
        for each in opened.read(storage.people.users.list_all)
        if each.is_active
        and not each.is_bot
        and opened.read(storage.people.users.password_hash, each.id) is not None
        and not elsewhere & opened.read(storage.people.identities.providers_of, each.id)
    ]


def _link(opened: OpenOrganization, found: User) -> str:
    key = opened.write(
        actions.people.password_reset.create_link,
        opened.vault,
        None,
        found.id,
        opened.directories,
    )
    return actions.people.password_reset.address(opened.site, key)
