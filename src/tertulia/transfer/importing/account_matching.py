"""Creates the users, channel folders, channels and subscriptions of an import."""

from pyroaring import BitMap64

from tertulia import actions, domain, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COLORS, NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest
from tertulia.markdown import Resolved, Settings
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.tally import (
    BOTS,
    CHANNELS,
    DEFAULTS,
    FOLDERS,
    OF_OTHERS,
    PEOPLE,
    SUBSCRIPTIONS,
    TWICE,
)
from tertulia.transfer.model import ArrivingChannel, ArrivingFolder, ArrivingPerson

UNNAMED = "Unnamed"
SAME_ADDRESS = "with the address of another account, which is used for both"


class Newcomers:
    """Creates them in one transaction. System bots of other servers are mapped to our own."""

    def __init__(
        self,
        tx: Tx,
        here: ImportState,
        vault: Vault,
        bot: User,
        *,
        keeps_ids: bool,
        knows_receivers: bool,
    ) -> None:
        self._tx = tx
        self._here = here
        self._vault = vault
        self._bot = bot
        self._keeps_ids = keeps_ids
        self._knows_receivers = knows_receivers  # whether messages list their recipients

    def add_people(self, people: list[ArrivingPerson]) -> None:
        by_address: dict[str, int] = {}
        for person in people:
            self._add_person(person, by_address)
        for person in people:
            if person.is_bot and person.owner in self._here.people:
                bot_id, owner_id = (self._here.people[key] for key in (person.key, person.owner))
                storage.people.bots.set_owner(self._tx, bot_id, owner_id)

    def _add_person(self, person: ArrivingPerson, by_address: dict[str, int]) -> None:
        email = _address(person)
        kind = BOTS if person.is_bot else PEOPLE
        known = (
            self._bot.id
            if person.is_house_bot
            else by_address.get(domain.people.user.email_key(email))
        )
        if known is not None:
            self._here.people[person.key] = known
            self._here.drop(kind, SAME_ADDRESS, int(not person.is_house_bot))
            return
        user = storage.people.insert(
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
        storage.people.set_key(
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
        self._here.people[person.key] = by_address[domain.people.user.email_key(email)] = number
        self._here.count(kind)

    def add_folder(self, arriving: ArrivingFolder) -> None:
        name = domain.names.cleaned(arriving.name, domain.limits.FOLDER_NAME_LENGTH)
        taken = [
            each.name for each in storage.channels.folders.list_all(self._tx) if not each.archived
        ]
        if not name or (domain.names.is_like_one_of(name, taken) and not arriving.is_archived):
            self._here.drop(FOLDERS, "whose name cannot be used")
            return
        description = arriving.description[: domain.limits.FOLDER_DESCRIPTION_LENGTH]
        html = markdown.render_text(description, Resolved(), Settings())
        creator = self._here.people.get(arriving.creator, self._bot.id)
        folder = storage.channels.folders.insert(self._tx, name, description, html, creator)
        created_at = arriving.created_at or self._tx.now
        storage.bulk_import.date_folder(
            self._tx, folder.id, created_at=created_at, archived=arriving.is_archived
        )
        self._here.folders[arriving.key] = folder.id
        self._here.count(FOLDERS)

    def add_channel(self, arriving: ArrivingChannel) -> None:
        name = _free_name(self._tx, arriving.name)
        new = NewChannel(
            name=name,
            description=arriving.description[: domain.limits.CHANNEL_DESCRIPTION_LENGTH],
            invite_only=arriving.is_private,
            is_web_public=arriving.is_web_public and not arriving.is_private,
            history_public=arriving.shares_history,
            is_default=arriving.is_default and not arriving.is_private,
            retention_days=arriving.retention_days,
            topics_policy=arriving.topics_policy,
            folder_id=self._here.folders.get(arriving.folder),
            default_push=arriving.default_push,
        )
        too_long = len(arriving.description) > len(new.description)
        self._here.note("descriptions of channels that were shortened", int(too_long))
        html = markdown.render_description(new.description, Resolved(), Settings())
        channel = actions.channels.create_unchecked(self._tx, self._bot, new, html)
        number = channel.id
        if self._keeps_ids and arriving.number is not None:
            number = arriving.number
            storage.bulk_import.renumber(self._tx, "channel", channel.id, number)
        storage.bulk_import.date_channel(
            self._tx,
            number,
            created_at=arriving.created_at or self._tx.now,
            archived=arriving.is_archived,
        )
        if arriving.creator in self._here.people:
            storage.bulk_import.set_creator(
                self._tx, "channel", number, self._here.people[arriving.creator]
            )
        self._here.channels[arriving.key] = number
        self._subscribe(arriving, number)
        self._here.count(CHANNELS)
        if new.is_default:
            self._here.count(DEFAULTS)
        elif arriving.is_default:
            self._here.drop(DEFAULTS, "which are private")

    def _subscribe(self, arriving: ArrivingChannel, channel_id: int) -> None:
        """With protected history, a span begins with the first message that the user received."""
        members = self._here.people_of(arriving.members)
        color = COLORS[channel_id % len(COLORS)]
        default = storage.bulk_import.CHOICES | {"color": color}
        chosen = {
            self._here.people[key]: choices
            for key, choices in arriving.choices.items()
            if key in self._here.people
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
        self._tx.load_rows("subscription", storage.bulk_import.SUBSCRIPTION, rows)
        if arriving.shares_history or not self._knows_receivers:
            spans = [(self._tx.realm_id, channel_id, user_id, 0, 0) for user_id in members]
            self._tx.load_rows("subscription_span", storage.bulk_import.SPAN, spans)
        known = sum(key in self._here.people for key in arriving.members)
        self._here.count(SUBSCRIPTIONS, len(members))
        self._here.drop(SUBSCRIPTIONS, TWICE, known - len(members))
        self._here.drop(SUBSCRIPTIONS, OF_OTHERS, len(arriving.members) - known)


def _bot_type(person: ArrivingPerson) -> BotType | None:
    """Outgoing webhook bots are imported without their services, as generic bots."""
    if not person.is_bot:
        return None
    return BotType.INCOMING_WEBHOOK if person.is_incoming_webhook else BotType.GENERIC


def _address(person: ArrivingPerson) -> str:
    email = person.email.strip()
    if domain.people.user.looks_like_email(email):
        return email
    plain = "".join(c if c.isalnum() else "-" for c in person.key.lower()) or "nobody"
    return f"{plain}@imported.invalid"


def _full_name(name: str) -> str:
    plain = "".join(c for c in name if c not in '*`\\>"@|#')
    short = domain.names.cleaned(plain, domain.limits.FULL_NAME_LENGTH)
    try:
        return domain.people.user.checked_full_name(short)
    except BadRequest:
        return UNNAMED


def _free_name(tx: Tx, wanted: str) -> str:
    """A channel name that is not in use."""
    plain = domain.names.cleaned(wanted, 55) or "channel"
    taken = list(storage.channels.names(tx).values())
    name, number = plain, 2
    while domain.names.is_like_one_of(name, taken):
        name, number = f"{plain} {number}", number + 1
    return name
