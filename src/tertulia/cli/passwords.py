"""`tertulia user password`, `link` and `end-password`: passwords of people who are here."""

import sys

import click

from tertulia import actions, domain, storage
from tertulia.cli.data import (
    OpenOrganization,
    find_person,
    for_person,
    in_organization,
)
from tertulia.domain.people.user import User

BOTS_HAVE_NONE = "A bot logs in with its key and has no password."


@click.command("password")
@for_person
def set_password(opened: OpenOrganization, found: User) -> None:
    """Give somebody a password: ask for it, or read the first line."""
    if found.is_bot:
        raise click.UsageError(BOTS_HAVE_NONE)
    opened.read(actions.people.password_reset.check_kept_here, found, opened.directories)
    chosen = domain.people.passwords.hashed(domain.people.passwords.checked(asked_password()))
    opened.write(actions.people.set_password, found.id, chosen)
    click.echo(f"{found.full_name} <{found.email}> has a new password.", err=True)


@click.command("link")
@click.argument("email", required=False)
@click.option("--imported", is_flag=True, help="For all who were brought in and never came.")
@in_organization
def make_link(opened: OpenOrganization, email: str | None, imported: bool) -> None:
    """Print a link with which somebody can choose a password, once, until tomorrow."""
    if imported is (email is not None):
        raise click.UsageError("Say whose link it is: EMAIL, or --imported.")
    if email is not None:
        found = find_person(opened, email)
        link = _link(opened, found)
        words = f"With this link {found.full_name} <{found.email}> can choose a password:"
        click.echo(words, err=True)
        click.echo(link)
        return
    for each in opened.read(storage.people.everyone):
        if each.is_imported_stub and each.is_active and not each.is_bot:
            click.echo(f"{each.email}\t{_link(opened, each)}")


@click.command("end-password")
@click.argument("emails", nargs=-1, metavar="EMAIL…")
@click.option("--all", "everybody", is_flag=True, help="Of everybody who has one.")
@in_organization
def end_password(opened: OpenOrganization, emails: tuple[str, ...], everybody: bool) -> None:
    """Have people choose a new password: the present one opens nothing any more.

    Their browsers are logged out; API keys stay. Where the server sends mail they get a link.
    """
    if everybody is bool(emails):
        raise click.UsageError("Say whose it is: EMAIL, or --all.")
    found = [find_person(opened, email) for email in emails] or _with_password(opened)
    site = opened.site if opened.config.sends_mail else None
    for each in found:
        about = (opened.vault, None, each.id, site, opened.directories)
        had_one = opened.write(actions.people.password_reset.end, *about)
        what = "has to choose a new password" if had_one else "has no password"
        click.echo(f"{each.full_name} <{each.email}> {what}.", err=True)
    if site is None and found:
        click.echo("No mail is sent from here: tertulia user link EMAIL makes a link.", err=True)


def asked_password() -> str:
    """Twice, of somebody who types it unseen; a pipe says it once."""
    if sys.stdin.isatty():
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return asked
    return sys.stdin.readline().rstrip("\r\n")


def _with_password(opened: OpenOrganization) -> list[User]:
    """All whose password is kept here."""
    elsewhere = {*opened.directories}
    return [
        each
        for each in opened.read(storage.people.everyone)
        if each.is_active
        and not each.is_bot
        and opened.read(storage.people.password_hash, each.id) is not None
        and not elsewhere & opened.read(storage.people.identities.providers_of, each.id)
    ]


def _link(opened: OpenOrganization, found: User) -> str:
    key = opened.write(
        actions.people.password_reset.make_link,
        opened.vault,
        None,
        found.id,
        opened.directories,
    )
    return actions.people.password_reset.address(opened.site, key)
