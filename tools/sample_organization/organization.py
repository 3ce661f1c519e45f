"""Generates a whole organization."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec
from tools.sample_organization.history import History
from tools.sample_organization.members import GeneratedMembers, Person
from tools.sample_organization.read_state import ReadState
from tools.sample_organization.texts import TextWriter

from tertulia import actions, features, file_permissions, storage
from tertulia.database import BlockingDatabase
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.errors import BadRequest
from tertulia.markdown import Settings

DAYS = 400
STEPS = 40  # in which members change
MESSAGES_PER_BATCH = 10_000  # messages per transaction
INDEXED_PER_BATCH = 40_000
PEOPLE_FILE = "people.json"

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Size:
    people: int
    channels: int
    messages: int


class OrganizationExists(BadRequest):
    """The database already contains an organization."""


def generate(
    database: BlockingDatabase,
    vault: Vault,
    name: str,
    size: Size,
    seed: int,
    progress: Progress = lambda done: None,
) -> list[Person]:
    """Fill an empty database; returns the users who can log in.

    The same seed gives the same organization, except for API keys, which are random.
    """
    if database.of(0).read(storage.organization.realms.list_all):
        raise OrganizationExists("There is an organization in this data already.")
    now = database.clock()
    begin = now - DAYS * SECONDS_PER_DAY
    database_then = BlockingDatabase(database.dialect, lambda: begin)
    realm = database_then.of(0).write(actions.organization.creation.create, name, "")
    dice = Random(seed)  # noqa: S311  # nothing secret comes of it
    writer = TextWriter(dice, size.messages, _settings(realm))
    members = GeneratedMembers(dice, vault, writer, size.people, size.channels)
    history = History(dice, members, writer)

    done = 0
    for step in range(STEPS):
        at = begin + step * DAYS * SECONDS_PER_DAY / STEPS
        there = BlockingDatabase(database.dialect, lambda at=at: at)  # type: ignore[misc]
        there.of(realm.id).write(members.advance, step / (STEPS - 1))
        wanted = size.messages * (step + 1) // STEPS - done
        parts = -(-wanted // MESSAGES_PER_BATCH)
        length = DAYS * SECONDS_PER_DAY / STEPS / max(1, parts)
        for part in range(parts):
            count = wanted * (part + 1) // parts - wanted * part // parts
            since = at + part * length
            there.of(realm.id).write(history.send, count, since, since + length)
            done += count
            progress(done)
        _index(database, realm, max_left=INDEXED_PER_BATCH)
    _finish(database, realm, ReadState(dice, members, history))
    return members.present()


def write_people(folder: Path, people: list[Person]) -> Path:
    """Write the logins to a file that only its owner can read."""
    path = folder / PEOPLE_FILE
    rows = [
        {
            "user_id": person.user.id,
            "email": person.user.email,
            "api_key": person.key,
            "full_name": person.user.full_name,
            "role": person.user.role.name.lower(),
            "is_bot": person.user.is_bot,
        }
        for person in people
    ]
    text = msgspec.json.format(msgspec.json.encode(rows), indent=2)
    file_permissions.write_private(path, text + b"\n")
    return path


def _finish(database: BlockingDatabase, realm: Realm, read_states: ReadState) -> None:
    """Do the background work that a server would have done by now."""
    database.of(realm.id).write(read_states.write)
    database.of(realm.id).write(features.outdated_renderings.finish)
    _index(database, realm, max_left=0)
    while database.of(realm.id).write(actions.channels.channel_stats.count, 50):
        pass
    while not database.of(realm.id).write(actions.housekeeping.trim_log).is_done:
        pass
    database.analyze()


def _index(database: BlockingDatabase, realm: Realm, max_left: int) -> None:
    """Index messages for search, in large batches."""
    while database.of(realm.id).read(storage.search.index.count_behind, max_left + 1) > max_left:
        database.of(realm.id).write(storage.search.batch.index_messages, INDEXED_PER_BATCH)
    while database.of(realm.id).write(storage.search.phrase_filter.index_batch, INDEXED_PER_BATCH):
        pass


def _settings(realm: Realm) -> Settings:
    return Settings(
        default_code_language=realm.setting("default_code_block_language"),
        image_previews=realm.setting("inline_image_preview"),
    )
