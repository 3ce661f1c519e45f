"""`tertulia hold`: legal holds."""

from datetime import UTC, datetime

import click

from tertulia import actions, features, storage
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    audited_command,
    channel_id,
    in_organization,
    show_json,
    show_table,
)
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import DONE
from tertulia.storage.organization.legal_holds import LegalHold


@click.group()
def hold() -> None:
    """Manage legal holds: keep the deleted messages of people or channels."""


@hold.command()
@click.option(
    "--person",
    "emails",
    metavar="EMAIL",
    multiple=True,
    help="A person to put on hold; repeatable.",
)
@click.option(
    "--channel",
    "channels",
    metavar="NAME",
    multiple=True,
    help="A channel to put on hold; repeatable.",
)
@click.option("--reason", required=True, help="The reason; the audit log records it.")
@in_organization
def add(
    opened: OpenOrganization, emails: tuple[str, ...], channels: tuple[str, ...], reason: str
) -> None:
    """Put people and channels on hold: the server keeps their deleted messages, hidden from all."""

    def begin(tx: Tx) -> list[int]:
        user_ids = [actions.people.users.get_by_email(tx, each).id for each in emails]
        channel_ids = [channel_id(tx, each) for each in channels]
        ids = features.legal_holds.put_on_hold(tx, None, user_ids, channel_ids, reason)
        about = {"held_user_ids": user_ids, "held_stream_ids": channel_ids, "reason": reason}
        storage.organization.audit.insert(tx, audited_command(**about), DONE)
        return ids

    ids = opened.database.of(opened.realm.id).write(begin)
    click.echo(f"Started {', '.join(f'hold {each}' for each in ids)}.", err=True)


@hold.command("list")
@as_json
@in_organization
def list_holds(opened: OpenOrganization, as_json: bool) -> None:
    """List the holds, including those that have ended."""
    found = opened.read(LegalHold.where, "id")
    if as_json:
        show_json(found)
        return
    people = {each.id: each.email for each in opened.read(storage.people.users.list_all)}
    channels = opened.read(storage.channels.table.names)
    rows = [_row(each, people, channels) for each in found]
    show_table([("ID", "ON", "SINCE", "ENDED", "REASON"), *rows])


@hold.command()
@click.argument("number", type=int)
@in_organization
def end(opened: OpenOrganization, number: int) -> None:
    """End a hold, and erase the messages that only this hold kept."""
    opened.write(features.legal_holds.release, None, number)
    click.echo(f"Ended hold {number}.", err=True)


def _row(each: LegalHold, people: dict[int, str], channels: dict[int, str]) -> list[str]:
    where = "" if each.channel_id is None else f"#{channels.get(each.channel_id, each.channel_id)}"
    whom = "" if each.user_id is None else people.get(each.user_id, f"user {each.user_id}")
    ended = "-" if each.ended_at is None else _day(each.ended_at)
    return [str(each.id), whom or where, _day(each.created_at), ended, each.reason]


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"
