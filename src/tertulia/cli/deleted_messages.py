"""`tertulia messages`: deleted messages that are kept for a grace period."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any

import click

from tertulia import actions, features, storage
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    day,
    described,
    find_person,
    in_organization,
    show_json,
    show_table,
    truncate_wal,
)
from tertulia.database.tx import Tx
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.messages.deleted import KeptSelection, KeptTopic

TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"])


@click.group()
def messages() -> None:
    """List, restore or erase deleted messages, within the organization's grace period."""


def for_kept_messages(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: pass the kept messages that the options select."""

    @wraps(command)
    def run(
        opened: OpenOrganization,
        message_ids: tuple[int, ...],
        channel: str | None,
        topic: str | None,
        sender: str | None,
        since: datetime | None,
        until: datetime | None,
        **given: Any,
    ) -> None:
        if topic is not None and channel is None:
            raise click.UsageError("--topic needs --channel.")
        selection = KeptSelection(
            message_ids=message_ids or None,
            channel_id=None if channel is None else _channel_id(opened, channel),
            topic=_topic(topic),
            sender_id=None if sender is None else find_person(opened, sender).id,
            deleted_from=None if since is None else _seconds(since),
            deleted_before=None if until is None else _seconds(_end(until)),
        )
        command(opened, selection, **given)

    options = [
        click.option("--id", "message_ids", metavar="N", type=int, multiple=True, help="By id."),
        click.option("--channel", metavar="NAME", help="The messages of a channel."),
        click.option("--topic", metavar="NAME", help="The messages of a topic of the channel."),
        click.option("--sender", metavar="EMAIL", help="The messages of a user."),
        click.option(
            "--since", metavar="TIME", type=TIME, help="Deleted since a day or time, UTC."
        ),
        click.option("--until", metavar="TIME", type=TIME, help="Deleted until then, inclusive."),
    ]
    found = in_organization(run)
    for option in reversed(options):
        found = option(found)
    return found


@messages.command()
@as_json
@for_kept_messages
def deleted(opened: OpenOrganization, selection: KeptSelection, as_json: bool) -> None:
    """List the deleted messages that can be restored, by topic; never their texts."""
    topics = opened.read(storage.messages.deleted.topics, selection)
    if as_json:
        show_json(topics)
        return
    names = _channel_names(opened)
    rows = [_row(kept, names) for kept in topics]
    show_table([("CHANNEL", "TOPIC", "MESSAGES", "SENT", "REASON", "DELETED", "UNTIL"), *rows])


@messages.command()
@click.option("--all", "everything", is_flag=True, help="All deleted messages.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@for_kept_messages
def restore(
    opened: OpenOrganization, selection: KeptSelection, everything: bool, yes: bool
) -> None:
    """Restore deleted messages with their ids, reactions and files. Clients show them at once."""
    topics = _selected(opened, selection, everything)
    _check_retention(opened, topics)
    _confirm(opened, topics, yes, "Restore")
    _record(opened)  # before the first change: the command can be killed between two batches
    count = last = 0
    while ids := opened.database.of(opened.realm.id).write(
        actions.messages.restoration.restore_batch, selection, last
    ):
        count, last = count + len(ids), ids[-1]
    click.echo(f"Restored {described(count)}.", err=True)


@messages.command()
@click.option("--all", "everything", is_flag=True, help="All deleted messages.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@for_kept_messages
def erase(opened: OpenOrganization, selection: KeptSelection, everything: bool, yes: bool) -> None:
    """Erase deleted messages for good, before their grace period ends."""
    _confirm(opened, _selected(opened, selection, everything), yes, "Erase for good")
    opened.database.of(opened.realm.id).write(
        actions.messages.restoration.check_erasable, selection
    )
    _record(opened)
    count = 0
    while gone := opened.database.of(opened.realm.id).write(
        actions.messages.restoration.erase_batch, selection
    ):
        count += gone
    truncate_wal(opened)
    click.echo(f"Erased {described(count)}. Existing backups still contain them.", err=True)


def _selected(
    opened: OpenOrganization, selection: KeptSelection, everything: bool
) -> list[KeptTopic]:
    """What the options select; ends the command if that is nothing."""
    if not everything and selection == KeptSelection():
        raise click.UsageError("Select messages with --id, --channel, --sender, --since or --all.")
    topics = opened.read(storage.messages.deleted.topics, selection)
    if not topics:
        raise click.ClickException(
            "No deleted message matches. `tertulia messages deleted` lists those that are kept."
        )
    return topics


def _check_retention(opened: OpenOrganization, topics: Sequence[KeptTopic]) -> None:
    """The retention job would delete old messages again within minutes."""
    for kept in topics:
        before = opened.read(features.retention.deletes_before, kept.channel_id)
        if kept.oldest_at < before:
            where = _location(kept, _channel_names(opened))
            raise click.ClickException(
                f"{where} has messages from {day(kept.oldest_at)}, and its retention period"
                f" deletes messages from before {day(before)}. Set a longer one first; nothing was"
                " restored."
            )


def _confirm(opened: OpenOrganization, topics: Sequence[KeptTopic], yes: bool, verb: str) -> None:
    """Say what is selected, and ask."""
    names = _channel_names(opened)
    for kept in topics:
        shown = described(kept.count, kept.oldest_at, kept.newest_at)
        click.echo(f"{_location(kept, names)}: {shown}", err=True)
    if not yes:
        count = sum(each.count for each in topics)
        click.confirm(f"{verb} {described(count)}?", abort=True, err=True)


def _record(opened: OpenOrganization) -> None:
    opened.database.of(opened.realm.id).write(lambda tx: opened.record(tx))


def _row(kept: KeptTopic, names: dict[int, str]) -> Sequence[str]:
    return (
        "-" if kept.channel_id is None else names[kept.channel_id],
        "(direct messages)" if kept.channel_id is None else kept.topic or EMPTY_TOPIC_NAME,
        f"{kept.count:,}",
        f"{day(kept.oldest_at)} to {day(kept.newest_at)}",
        kept.reason,
        day(kept.deleted_at),
        day(kept.purge_after),
    )


def _location(kept: KeptTopic, names: dict[int, str]) -> str:
    if kept.channel_id is None:
        return "Direct messages"
    return f"#{names[kept.channel_id]} > {kept.topic or EMPTY_TOPIC_NAME}"


def _channel_names(opened: OpenOrganization) -> dict[int, str]:
    return {each.id: each.name for each in opened.read(storage.channels.table.list_all)}


def _channel_id(opened: OpenOrganization, name: str) -> int:
    def find(tx: Tx) -> int | None:
        channel = storage.channels.table.find_by_name(tx, name.removeprefix("#"))
        return None if channel is None else channel.id

    found = opened.read(find)
    if found is None:
        raise click.ClickException(f"{opened.realm.name} has no channel {name}.")
    return found


def _topic(name: str | None) -> str | None:
    return "" if name == EMPTY_TOPIC_NAME else name


def _end(until: datetime) -> datetime:
    """The first moment after a day, minute or second."""
    if (until.hour, until.minute, until.second) == (0, 0, 0):
        return until + timedelta(days=1)
    return until + (timedelta(seconds=1) if until.second else timedelta(minutes=1))


def _seconds(moment: datetime) -> float:
    return moment.replace(tzinfo=UTC).timestamp()
