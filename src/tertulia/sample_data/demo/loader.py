"""Loads the demo's history, in order, in one transaction.

Each step is an ordinary action at its own time, so the event log, unread counts and history are the
same as after real use.
"""

import io
import json
import re
import secrets
from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from functools import partial

from pyroaring import BitMap64

from tertulia import actions, domain, features, file_permissions, markdown, storage
from tertulia.actions.channels.edits import ChannelChanges
from tertulia.actions.channels.subscription_settings import Choice
from tertulia.config import Config, ConfigError
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.files.attachments import Attachment, Quota
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, User
from tertulia.features.statuses import NewStatus
from tertulia.sample_data.demo import pictures, script
from tertulia.sample_data.demo.people import (
    FOLDERS,
    FOUNDED,
    LATE_JOINS,
    MUTED_CHANNELS,
    ORGANIZATION,
    PEOPLE,
    PUBLIC,
    ROOMS,
    STATUSES,
    Character,
    DemoPeople,
    DemoRoom,
)
from tertulia.sample_data.demo.script import Line

LAST_READ = 1  # days ago: later messages are unread for everyone but their authors
PASSWORD_FILE = "demo-password"  # noqa: S105

_PICTURE = re.compile(r"\{picture (\w+)\}")


def fill(config: Config, database: BlockingDatabase, vault: Vault) -> DemoPeople:
    """Load the demo into an empty database.

    If the database already contains the demo, only return who can log in.
    """
    noted = config.data / PASSWORD_FILE
    if noted.exists() and (people := _find_existing(database)):
        return DemoPeople(people, noted.read_text(encoding="utf-8").strip())
    if database.of(0).read(storage.data_check.has_people):
        raise ConfigError(
            f"--demo is for new data, and in {config.data} there are people already. Leave it out,"
            " or choose another folder with --data."
        )
    now = database.clock()
    database_then = BlockingDatabase(database.dialect, lambda: moment(now, FOUNDED))
    name = ORGANIZATION if config.organization == Config().organization else config.organization
    realm = database_then.of(0).write(actions.organization.creation.get_or_create_first, name)
    password = secrets.token_hex(5)
    play = DemoLoader(
        vault,
        domain.people.passwords.hashed(password),
        config.email_domain,
        now,
        has_public_pages=config.web_public_streams_enabled,
    )
    database.of(realm.id).write(play.load)
    file_permissions.write_private(noted, password.encode())
    people = [user for user in play.users.values() if not user.is_bot]
    keys = {name: (user.email, play.keys[name]) for name, user in play.users.items()}
    return DemoPeople(people, password, keys)


def _find_existing(database: BlockingDatabase) -> list[User]:
    """The users of the demo, if this database contains it."""
    for realm in database.of(0).read(storage.organization.realms.list_all):
        found = database.of(realm.id).read(_find_cast)
        if all(found):
            return [user for user in found if user is not None]
    return []


def _find_cast(tx: Tx) -> list[User | None]:
    people = [person for person in PEOPLE if person.bot_type is None]
    return [storage.people.users.find_by_email(tx, person.email) for person in people]


def moment(now: float, days_ago: int, hour: int = 8, minute: int = 0) -> float:
    """The UNIX time of a local time of day, so many days ago."""
    day = datetime.fromtimestamp(now).date() - timedelta(days=days_ago)
    return datetime.combine(day, time(hour, minute)).timestamp()


Step = Callable[[Tx], None]


class DemoLoader:
    def __init__(
        self,
        vault: Vault,
        password_hash: str,
        email_domain: str,
        now: float,
        *,
        has_public_pages: bool,
    ) -> None:
        self._has_public_pages = has_public_pages
        self.users: dict[str, User] = {}
        self.keys: dict[str, str] = {}
        self._vault = vault
        self._password_hash = password_hash
        self._email_domain = email_domain
        self._now = now

    def load(self, tx: Tx) -> None:
        for at, step in sorted(self._steps(), key=lambda timed: timed[0]):
            step(tx.at(at))

    def _steps(self) -> Iterator[tuple[float, Step]]:
        """All steps with their times; steps at the same time run in this order."""
        for person in PEOPLE:
            yield moment(self._now, person.since), partial(self._add, person=person)
        for room in ROOMS:
            yield moment(self._now, FOUNDED), partial(self._open, room=room)
        for join in LATE_JOINS:
            step = partial(self._join, room=join.room, who=[join.person])
            yield moment(self._now, join.days_ago), step
        yield moment(self._now, FOUNDED), self._assign_folders
        if self._has_public_pages:
            yield moment(self._now, FOUNDED), self._make_channels_public
        for line in script.read():
            at = moment(self._now, line.days_ago, line.hour, line.minute)
            yield at, partial(self._send, line=line)
        yield moment(self._now, 1, hour=8), self._set_statuses
        yield moment(self._now, LAST_READ, hour=0), self._mark_read

    def _add(self, tx: Tx, person: Character) -> None:
        owner = None if person.owner is None else self.users[person.owner].email
        new = NewUser(
            email=person.email,
            full_name=person.full_name,
            role=person.role,
            password_hash=None if person.bot_type else self._password_hash,
            bot_type=person.bot_type,
            bot_owner_email=owner,
        )
        self.users[person.key], self.keys[person.key] = actions.people.account_creation.add(
            tx, self._vault, new
        )

    def _open(self, tx: Tx, room: DemoRoom) -> None:
        description = markdown.render_description(room.channel.description)
        creator = self.users[room.creator]
        actions.channels.creation.create(
            tx, creator, room.channel, description, web_public_allowed=False
        )
        self._join(tx, room.channel.name, list(room.members))

    def _join(self, tx: Tx, room: str, who: list[str]) -> None:
        channel = _channel(tx, room)
        actions.channels.subscriptions.join(tx, channel, [self.users[key] for key in who])

    def _assign_folders(self, tx: Tx) -> None:
        marta = self.users["marta"]
        for name, rooms in FOLDERS.items():
            folder_id = features.channel_folders.add(tx, marta, name, "", "")
            for room in rooms:
                changes = ChannelChanges(folder_id=folder_id)
                actions.channels.edits.edit(
                    tx, marta, _channel(tx, room).id, changes, web_public_allowed=False
                )
        for key, room in MUTED_CHANNELS:
            choice = Choice(_channel(tx, room).id, "is_muted", True)
            actions.channels.subscription_settings.change(tx, self.users[key], [choice])

    def _make_channels_public(self, tx: Tx) -> None:
        marta = self.users["marta"]
        actions.organization.settings.edit(tx, marta, {"enable_spectator_access": True})
        for room in PUBLIC:
            changes = ChannelChanges(is_web_public=True)
            actions.channels.edits.edit(
                tx, marta, _channel(tx, room).id, changes, web_public_allowed=True
            )

    def _set_statuses(self, tx: Tx) -> None:
        for key, (emoji, text) in STATUSES.items():
            status = NewStatus(status_text=text, emoji_name=emoji)
            features.statuses.set_own(tx, self.users[key], status)

    def _send(self, tx: Tx, line: Line) -> None:
        sender = self.users[line.who]
        draft = self._draft(tx, sender, line.words)
        if line.people:
            others = [self.users[key].id for key in line.people]
            sent = actions.messages.send.to_people(tx, sender, others, draft, self._email_domain)
        else:
            sent = actions.messages.send.to_channel(tx, sender, line.channel, line.topic, draft)
        for how, who in line.answers:
            self._respond(tx.at(tx.now + 60), sent.message_id, how, self.users[who])

    def _respond(self, tx: Tx, message_id: int, how: str, who: User) -> None:
        if how.startswith("vote "):
            vote = {"type": "vote", "key": f"canned,{how.split()[1]}", "vote": 1}
            actions.messages.widgets.submit(tx, who, message_id, "widget", json.dumps(vote))
        else:
            actions.messages.reactions.add(tx, who, message_id, how, None, None)

    def _draft(self, tx: Tx, sender: User, words: str) -> Draft:
        """Render a message: mentions are resolved, pictures are uploaded."""
        files: list[Attachment] = []

        def upload(found: re.Match[str]) -> str:
            file = _upload(tx, sender, f"{found[1]}.png", pictures.draw(found[1]))
            files.append(file)
            return f"[{file.name}](/user_uploads/{file.path_id})"

        content = domain.messages.message.checked_content(_PICTURE.sub(upload, words))
        found = markdown.Resolved.of(
            users=[markdown.MentionedUser(user.id, user.full_name) for user in self.users.values()],
            uploads=[
                markdown.Upload(
                    file.path_id,
                    file.shown_type,
                    file.media.width,
                    file.media.height,
                    thumbnail=file.thumbnail_url,
                )
                for file in files
            ],
        )
        rendered = markdown.render(content, found)
        client = "ZulipPython" if sender.is_bot else "website"
        return Draft(
            content=content,
            rendered=rendered.html,
            render_version=markdown.VERSION,
            client=client,
            read_by_sender=domain.messages.message.is_read_by_sender(None, client),
            mentions=Mentions(user_ids=rendered.mentioned_user_ids),
            has_link=rendered.has_link,
            has_image=rendered.has_image,
            path_ids=tuple(file.path_id for file in files),
        )

    def _mark_read(self, tx: Tx) -> None:
        for user in self.users.values():
            storage.messages.unread.store(
                tx, user.id, BitMap64(), storage.messages.table.newest_id(tx)
            )


def _channel(tx: Tx, name: str) -> Channel:
    channel = storage.channels.table.find_by_name(tx, name)
    assert channel is not None
    return channel


def _upload(tx: Tx, owner: User, name: str, data: bytes) -> Attachment:
    upload_id = storage.files.uploads.insert(tx)
    storage.files.uploads.add_piece(tx, upload_id, 0, data)
    media_info = domain.files.images.image_info(io.BufferedReader(io.BytesIO(data)))
    assert media_info is not None
    size = len(data)
    return actions.files.attachments.add(tx, owner, upload_id, name, size, media_info, Quota())
