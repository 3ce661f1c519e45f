"""`tertulia discover`: messages for a legal discovery, with the deleted ones."""

import hashlib
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import click
import msgspec

from tertulia import actions, domain, features, storage
from tertulia.cli.exporting import new_draft, warn_of_damaged_files
from tertulia.cli.open_data import OpenOrganization, audited_command, channel_id, in_organization
from tertulia.cli.progress import Progress, quiet
from tertulia.cli.sigterm import clean_up_on_sigterm
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import DONE
from tertulia.external.stores.file_stores import FileStores
from tertulia.storage.archive_queries import ArchivedMessages, Discovery
from tertulia.storage.organization.exports import WITHOUT_CONSENT
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.html_archive.writer import HtmlArchive

MANIFEST = "manifest.sha256"
CRITERIA = "discovery.json"
DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--person",
    "emails",
    metavar="EMAIL",
    multiple=True,
    help="Messages of this person, and direct messages with them; repeatable.",
)
@click.option(
    "--channel",
    "channels",
    metavar="NAME",
    multiple=True,
    help="Messages in this channel; repeatable.",
)
@click.option(
    "--word",
    "words",
    metavar="TEXT",
    multiple=True,
    help="Messages with this word, also in an earlier version; repeatable: any of the words.",
)
@click.option("--from", "first", type=DAY, help="The first day, in UTC.")
@click.option("--to", "last", type=DAY, help="The last day, in UTC.")
@click.option("--reason", required=True, help="The reason; the audit log records it.")
@quiet
@in_organization
@clean_up_on_sigterm()
def discover(
    opened: OpenOrganization,
    folder: Path,
    emails: tuple[str, ...],
    channels: tuple[str, ...],
    words: tuple[str, ...],
    first: datetime | None,
    last: datetime | None,
    reason: str,
) -> None:
    """Export messages by person, channel, word and date as HTML pages, for a legal discovery.

    Deleted messages that are kept are among them, and earlier versions of edited ones. The file
    manifest.sha256 has the hash of every other file: check it with sha256sum --check.
    """
    if folder.exists():
        raise click.ClickException(f"{folder} already exists.")
    if not reason.strip():
        raise click.ClickException("The reason is empty.")
    if first is not None and last is not None and last < first:
        raise click.ClickException("The last day is before the first day.")
    reason = features.legal_holds.checked_reason(reason)
    wanted = opened.read(_criteria, emails, channels, words, first, last)
    draft = new_draft(folder)

    def write(tx: Tx, files: FileSnapshot) -> tuple[int, list[str]]:
        found = storage.archive_queries.find_words(tx, wanted)
        chosen = ArchivedMessages(WITHOUT_CONSENT, discovery=found)
        count = storage.archive_queries.count(tx, chosen)
        progress = Progress(count, "messages")
        archive = HtmlArchive(tx, chosen, draft, files, progress.show)
        archive.write()
        progress.end()
        warn_of_damaged_files(archive.damaged_files)
        return count, archive.damaged_files

    try:
        with file_snapshot.open_snapshot(opened.database, FileStores(opened.config)) as files:
            count, damaged = opened.read(write, files)
        described = {
            "reason": reason,
            "messages": count,
            **msgspec.structs.asdict(wanted),
            "damaged_files": damaged,
        }
        del described["message_ids"]
        (draft / CRITERIA).write_bytes(msgspec.json.format(msgspec.json.encode(described)))
        (draft / MANIFEST).write_text(_manifest(draft), "utf-8")
        about = {"user_ids": list(wanted.user_ids), "stream_ids": list(wanted.channel_ids)}
        act = audited_command(**about, reason=reason)
        opened.database.of(opened.realm.id).write(storage.organization.audit.insert, act, DONE)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    click.echo(
        f"Wrote {count:,} messages to {folder}. Open {folder / 'index.html'} in a browser.",
        err=True,
    )


def _criteria(
    tx: Tx,
    emails: tuple[str, ...],
    channels: tuple[str, ...],
    words: tuple[str, ...],
    first: datetime | None,
    last: datetime | None,
) -> Discovery:
    if not all(domain.search.words.fold(each).strip() for each in words):
        raise click.ClickException("A word is empty.")
    channel_ids = [channel_id(tx, each) for each in channels]
    return Discovery(
        user_ids=[actions.people.users.get_by_email(tx, each).id for each in emails],
        channel_ids=channel_ids,
        words=list(words),
        since=None if first is None else _utc(first),
        until=None if last is None else _utc(last + timedelta(days=1)),
    )


def _utc(day: datetime) -> float:
    return (day - datetime(1970, 1, 1)) / timedelta(seconds=1)


def _manifest(folder: Path) -> str:
    """A line for each file, as sha256sum writes it."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as contents:
                digest = hashlib.file_digest(contents, "sha256").hexdigest()
            lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return "".join(lines)
