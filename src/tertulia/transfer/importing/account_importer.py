"""Creates the users, channel folders, channels and subscriptions of an import."""

from collections.abc import Container

from pyroaring import BitMap64

from tertulia import actions, domain, features, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COLORS, NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest
from tertulia.markdown import Resolved, Settings
from tertulia.transfer.importing.import_counts import (
    BOTS,
    CHANNELS,
    DEFAULTS,
    DUPLICATES,
    FOLDERS,
    OF_UNKNOWN_PEOPLE,
    PEOPLE,
    SUBSCRIPTIONS,
)
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.model import ImportedChannel, ImportedFolder, ImportedPerson

UNNAMED = "Unnamed"
MAX_ADDRESS_NAME = 40
SAME_ADDRESS = "with the address of another account, which is used for both"


class AccountImporter:
    """Creates them in one transaction. System bots of other servers are mapped to our own."""

    def __init__(
        self,
        tx: Tx,
        state: ImportState,
        vault: Vault,
        bot: User,
        *,
        keeps_ids: bool,
        knows_receivers: bool,
    ) -> None:
        self._tx = tx
        self._state = state
        self._vault = vault
        self._bot = bot
        self._keeps_ids = keeps_ids
        self._knows_receivers = knows_receivers  # whether messages list their recipients

    def add_people(self, people: list[ImportedPerson]) -> None:
        by_address: dict[str, int] = {}
        for person in people:
            self._add_person(person, by_address)
        for person in people:
            if person.is_bot and person.owner in self._state.people:
                bot_id, owner_id = (self._state.people[key] for key in (person.key, person.owner))
                storage.people.bots.set_owner(self._tx, bot_id, owner_id)

    def _add_person(self, person: ImportedPerson, by_address: dict[str, int]) -> None:
        email = _address(person, by_address)
        kind = BOTS if person.is_bot else PEOPLE
        known = (
            self._bot.id
            if person.is_system_bot
            else by_address.get(domain.people.user.email_key(email))
        )
        if known is not None:
            self._state.people[person.key] = known
            self._state.drop(kind, SAME_ADDRESS, int(not person.is_system_bot))
            return
        user = storage.people.users.insert(
            self._tx,
            email=email,
            full_name=_full_name(person.name),
            role=person.role,
            bot_type=_bot_type(person),
        )
        number = user.id
        if self._keeps_ids and person.number is not None:
            number = person.number
            storage.bulk_import.renumber(self._tx, "account", user.id, number)
        key = domain.people.keys.new_key()
        storage.people.users.set_key(
            self._tx, number, self._vault.fingerprint(key), self._vault.seal(key)
        )
        storage.bulk_import.mark_placeholder(
            self._tx,
            number,
            joined_at=person.joined_at or self._tx.now,
            timezone=person.timezone,
            is_active=person.is_active,
        )
        storage.messages.unread.store(self._tx, number, BitMap64(), 0)
        self._state.people[person.key] = by_address[domain.people.user.email_key(email)] = number
        self._state.count(kind)

    def add_folder(self, imported: ImportedFolder) -> None:
        name = domain.names.cleaned(imported.name, domain.limits.MAX_FOLDER_NAME_LENGTH)
        is_taken = features.channel_folders.is_taken(self._tx, name)
        if not name or (is_taken and not imported.is_archived):
            self._state.drop(FOLDERS, "whose name cannot be used")
            return
        description = imported.description[: domain.limits.MAX_FOLDER_DESCRIPTION_LENGTH]
        html = markdown.render_text(description, Resolved(), Settings())
        self._state.folders[imported.key] = features.channel_folders.insert(
            self._tx,
            name,
            description=description,
            rendered_description=html,
            creator_id=self._state.people.get(imported.creator, self._bot.id),
            created_at=imported.created_at or self._tx.now,
            archived=imported.is_archived,
        )
        self._state.count(FOLDERS)

    def add_channel(self, imported: ImportedChannel) -> None:
        name = _free_name(self._tx, imported.name)
        new = NewChannel(
            name=name,
            description=imported.description[: domain.limits.MAX_CHANNEL_DESCRIPTION_LENGTH],
            invite_only=imported.is_private,
            is_web_public=imported.is_web_public and not imported.is_private,
            history_public=imported.shares_history,
            is_default=imported.is_default and not imported.is_private,
            retention_days=imported.retention_days,
            topics_policy=imported.topics_policy,
            folder_id=self._state.folders.get(imported.folder),
            default_push=imported.default_push,
            allows_summaries=imported.allows_summaries,
        )
        too_long = len(imported.description) > len(new.description)
        self._state.note("descriptions of channels that were shortened", int(too_long))
        html = markdown.render_description(new.description, Resolved(), Settings())
        channel = actions.channels.creation.create_unchecked(self._tx, self._bot, new, html)
        number = channel.id
        if self._keeps_ids and imported.number is not None:
            number = imported.number
            storage.bulk_import.renumber(self._tx, "channel", channel.id, number)
        storage.bulk_import.date_channel(
            self._tx,
            number,
            created_at=imported.created_at or self._tx.now,
            archived=imported.is_archived,
        )
        if imported.creator in self._state.people:
            storage.bulk_import.set_creator(
                self._tx, "channel", number, self._state.people[imported.creator]
            )
        self._state.channels[imported.key] = number
        self._subscribe(imported, number)
        self._state.count(CHANNELS)
        if new.is_default:
            self._state.count(DEFAULTS)
        elif imported.is_default:
            self._state.drop(DEFAULTS, "which are private")

    def _subscribe(self, imported: ImportedChannel, channel_id: int) -> None:
        """With protected history, a span begins with the first message that the user received."""
        members = self._state.people_of(imported.members)
        color = COLORS[channel_id % len(COLORS)]
        default = storage.bulk_import.CHOICES | {"color": color}
        chosen = {
            self._state.people[key]: choices
            for key, choices in imported.choices.items()
            if key in self._state.people
        }
        rows = [
            (
                self._tx.realm_id,
                channel_id,
                user_id,
                True,
                *(default | {**chosen.get(user_id, {})}).values(),
            )
            for user_id in members
        ]
        self._tx.bulk.load_rows("subscription", storage.bulk_import.SUBSCRIPTION, rows)
        if imported.shares_history or not self._knows_receivers:
            spans = [(self._tx.realm_id, channel_id, user_id, 0, 0) for user_id in members]
            self._tx.bulk.load_rows("subscription_span", storage.bulk_import.SPAN, spans)
        known = sum(key in self._state.people for key in imported.members)
        self._state.count(SUBSCRIPTIONS, len(members))
        self._state.drop(SUBSCRIPTIONS, DUPLICATES, known - len(members))
        self._state.drop(SUBSCRIPTIONS, OF_UNKNOWN_PEOPLE, len(imported.members) - known)


def _bot_type(person: ImportedPerson) -> BotType | None:
    """Outgoing webhook bots are imported without their services, as generic bots."""
    if not person.is_bot:
        return None
    return BotType.INCOMING_WEBHOOK if person.is_incoming_webhook else BotType.GENERIC


def _address(person: ImportedPerson, taken: Container[str]) -> str:
    """The address of a user. One without an address gets an invalid one that is not in use."""
    email = person.email.strip()
    if domain.people.user.looks_like_email(email):
        return email
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in person.key.lower())
    plain = letters.strip("-")[:MAX_ADDRESS_NAME] or "nobody"
    email, number = f"{plain}@imported.invalid", 2
    while domain.people.user.email_key(email) in taken:
        email, number = f"{plain}-{number}@imported.invalid", number + 1
    return email


def _full_name(name: str) -> str:
    plain = "".join(c for c in name if c not in '*`\\>"@|#')
    short = domain.names.cleaned(plain, domain.limits.MAX_FULL_NAME_LENGTH)
    try:
        return domain.people.user.checked_full_name(short)
    except BadRequest:
        return UNNAMED


def _free_name(tx: Tx, wanted: str) -> str:
    """A channel name that is not in use."""
    plain = domain.names.cleaned(wanted, 55) or "channel"
    taken = list(storage.channels.table.names(tx).values())
    name, number = plain, 2
    while domain.names.is_like_one_of(name, taken):
        name, number = f"{plain} {number}", number + 1
    return name
