"""`tertulia user invite` and `tertulia user import`."""

import asyncio
import csv
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from tertulia import actions, domain, features, storage
from tertulia.cli.open_data import (
    OpenOrganization,
    in_organization,
)
from tertulia.cli.organizations import organization_as_author
from tertulia.cli.roles import ROLES, role_option
from tertulia.database.tx import Tx
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.invitations import Terms
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, User
from tertulia.errors import ClientError

COLUMNS = ("email", "name", "role", "channels", "groups")


@click.command("invite")
@click.argument("emails", metavar="[EMAIL]...", nargs=-1)
@role_option("Their role.")
@click.option(
    "--channel", "channels", multiple=True, help="A channel to subscribe them to; repeatable."
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=10,
    show_default=True,
    help="How long the invitation is valid, in days.",
)
@in_organization
def invite(
    opened: OpenOrganization,
    emails: tuple[str, ...],
    role: str,
    channels: tuple[str, ...],
    days: int,
) -> None:
    """Invite people by mail; without EMAIL, print a link that several people can use.

    If the server sends no mail, print one link for each address.
    """
    channel_ids = tuple(_channel_id(opened, name) for name in channels)
    terms = Terms(
        role=ROLES[role], channel_ids=channel_ids, with_defaults=True, minutes=days * 24 * 60
    )
    where = opened.site
    sends_mail = opened.config.sends_mail
    keys = opened.write(_invite_all, opened.vault, emails, terms, where if sends_mail else None)
    if emails and sends_mail:
        click.echo(f"Invited {len(emails)}; the server sends the mail.", err=True)
        return
    for email, key in zip(emails or ["everyone who has this link"], keys, strict=True):
        click.echo(f"For {email}:", err=True)
        click.echo(features.invitations.address(where, key))


def _invite_all(
    tx: Tx, vault: Vault, emails: tuple[str, ...], terms: Terms, mail_from: str | None
) -> list[str]:
    make = features.invitations.create_as_operator
    return [make(tx, vault, email, terms, mail_from) for email in emails or [None]]


def _channel_id(opened: OpenOrganization, name: str) -> int:
    found = opened.read(storage.channels.table.find_by_name, name)
    if found is None:
        raise click.ClickException(f"There is no channel {name} in {opened.realm.name}.")
    return found.id


# --- a list of people ---


class PersonLine(msgspec.Struct, frozen=True):
    number: int
    new: NewUser
    channels: tuple[str, ...]
    groups: tuple[str, ...]


@click.command("import")
@click.argument("path", metavar="people.csv")
@click.option("--dry-run", is_flag=True, help="Check the list, but change nothing.")
@in_organization
def import_people(opened: OpenOrganization, path: str, dry_run: bool) -> None:
    """Create accounts from a CSV file: all of them, or none.

    The first line names the columns: email and name, and optionally role, channels and groups
    (separate several names with semicolons). The command sends no mail: `tertulia user link` prints
    a link to choose a password.
    """
    lines = _read(Path(path))
    welcome_message = asyncio.run(
        actions.people.welcome_message.compose(organization_as_author(opened))
    )
    add = partial(_add_all, vault=opened.vault, lines=lines, welcome_message=welcome_message)
    if dry_run:
        opened.dry_run(add)
    else:
        opened.write(add)
    for line in lines:
        memberships = [*(f"#{name}" for name in line.channels), *line.groups]
        click.echo(f"{line.new.email}  {line.new.full_name}  {' '.join(memberships)}".rstrip())
    did = "can be added; nothing was changed" if dry_run else "were added"
    click.echo(f"{len(lines)} people {did}.", err=True)


def _read(path: Path) -> list[PersonLine]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            unknown = [str(name) for name in rows.fieldnames or () if name not in COLUMNS]
            if unknown or not {"email", "name"} <= set(rows.fieldnames or ()):
                raise click.ClickException(
                    "The first line must name the columns: email and name, and optionally role,"
                    f" channels and groups{'; not ' + ', '.join(unknown) if unknown else ''}."
                )
            return [_line(rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise click.ClickException(f"{path} cannot be read: {error}.") from error


def _line(number: int, row: dict[str | None, Any]) -> PersonLine:
    role = (row.get("role") or "member").strip()
    if role not in ROLES:
        _refuse(number, f"there is no role {role}; roles are {', '.join(ROLES)}")
    if None in row or not (row.get("email") or "").strip() or not (row.get("name") or "").strip():
        _refuse(number, "it needs an email and a name, and no more values than columns")
    new = NewUser(email=row["email"].strip(), full_name=row["name"].strip(), role=ROLES[role])
    return PersonLine(number, new, _names(row.get("channels")), _names(row.get("groups")))


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(";") if name.strip())


def _add_all(
    tx: Tx, vault: Vault, lines: list[PersonLine], welcome_message: NoticeText
) -> list[User]:
    added: list[User] = []
    for line in lines:
        try:
            added.append(_add(tx, vault, line, welcome_message))
        except ClientError as error:
            _refuse(line.number, error.msg)
    return added


def _add(tx: Tx, vault: Vault, line: PersonLine, welcome_message: NoticeText) -> User:
    actions.people.users.check_email_allowed(tx, line.new.email)
    user, _ = actions.people.account_creation.add(tx, vault, line.new)
    channels = [storage.channels.table.find_by_name(tx, name) for name in line.channels]
    for name, channel in zip(line.channels, channels, strict=True):
        if channel is None or channel.archived:
            _refuse(line.number, f"there is no channel {name}")
    there = (
        {each.id for each in storage.channels.table.defaults(tx)} if not user.is_guest else set()
    )
    wanted = [channel for channel in channels if channel is not None and channel.id not in there]
    actions.channels.subscriptions.join_several(tx, wanted, [user])
    known = {domain.names.skeleton(group.name): group for group in storage.groups.list_all(tx)}
    groups = [known.get(domain.names.skeleton(name)) for name in line.groups]
    for name, group in zip(line.groups, groups, strict=True):
        if group is None or group.is_system or group.deactivated:
            _refuse(line.number, f"there is no group {name}")
    actions.groups.synced.sync(tx, user, [group for group in groups if group is not None], [])
    actions.messages.notices.send_to_user(tx, user.id, welcome_message)
    return user


def _refuse(number: int, why: str) -> NoReturn:
    raise click.ClickException(f"Line {number}: {why.rstrip('.')}. No accounts were added.")
