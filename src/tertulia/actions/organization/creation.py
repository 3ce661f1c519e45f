"""Creation of organizations."""

import itertools
import uuid

from tertulia import domain, events, storage
from tertulia.actions.channels import creation
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.groups.group import GROUP_PERMISSIONS, SYSTEM_GROUPS
from tertulia.domain.organization.realm import Realm
from tertulia.domain.organization.settings import SETTINGS
from tertulia.domain.people.user import NOTIFICATION_BOT, BotType, Role, User
from tertulia.errors import BadRequest
from tertulia.events.audience import NoClients
from tertulia.events.types.organization.settings import RealmCreated

# The first channels of a new organization. New channels are announced in the first of them.
FIRST_CHANNELS = {
    "general": "For everyone: announcements, questions, company.",
    "sandbox": "Try things out here.",
}

# What accounts of a new organization begin with, where it differs from the server's defaults.
FIRST_DEFAULTS = {"enter_sends": True}


def create(tx: Tx, name: str, subdomain: str, *, with_channels: bool = True) -> Realm:
    """Create an organization with its groups, its bot and its first channels."""
    name, subdomain = (
        SETTINGS["name"].checked(name),
        domain.organization.realm.checked_subdomain(subdomain),
    )
    if storage.organization.realms.subdomain_taken(tx, subdomain):
        raise BadRequest(f"There is an organization at the subdomain '{subdomain}' already.")
    here = tx.for_realm(storage.organization.realms.insert(tx, subdomain, name, str(uuid.uuid4())))
    events.log.announce(here, RealmCreated(), to=NoClients())
    nobody_id = _create_system_groups(here)
    bot = storage.people.users.insert(
        here,
        email=NOTIFICATION_BOT,
        full_name="Notification Bot",
        role=Role.MEMBER,
        bot_type=BotType.GENERIC,
        is_system_bot=True,
    )
    storage.organization.realms.set_setting(
        here, domain.personal.settings.REALM_KEY, FIRST_DEFAULTS
    )
    if with_channels:
        square, *_ = [
            _create_first_channel(here, bot, nobody_id, *each) for each in FIRST_CHANNELS.items()
        ]
        storage.organization.realms.set_setting(
            here, "new_stream_announcements_stream_id", square.id
        )
    return storage.organization.realms.current(here)


def get_or_create_first(tx: Tx, name: str) -> Realm:
    return storage.organization.realms.first(tx) or create(tx, name, "")


def _create_system_groups(tx: Tx) -> int:
    """Each group from the owners on is a subgroup of the next. Returns the id of "nobody"."""
    ids = {
        name: storage.groups.insert(tx, name, description, is_system=True)
        for name, description in SYSTEM_GROUPS.items()
    }
    nobody_id = ids["role:nobody"]
    storage.groups.set_system_permissions(tx, dict.fromkeys(GROUP_PERMISSIONS, nobody_id))
    nested = [group_id for name, group_id in ids.items() if name != "role:nobody"]
    storage.groups.nest(tx, itertools.pairwise(nested))
    return nobody_id


def _create_first_channel(
    tx: Tx, bot: User, nobody_id: int, name: str, description: str
) -> Channel:
    new = NewChannel(
        name=name,
        description=description,
        is_default=True,
        permissions={"can_administer_channel_group": nobody_id},
    )
    return creation.create_unchecked(tx, bot, new, f"<p>{description}</p>")
