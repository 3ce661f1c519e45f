"""Organizations: founding one."""

import itertools
import uuid

from tertulia.actions import channels as channel_actions
from tertulia.domain.channels import Channel, NewChannel
from tertulia.domain.groups import GROUP_PERMISSIONS, SYSTEM_GROUPS, GroupValue
from tertulia.domain.organization_settings import SETTINGS
from tertulia.domain.realms import (
    Realm,
    checked_subdomain,
)
from tertulia.domain.users import NOTIFICATION_BOT, BotType, Role, User
from tertulia.errors import BadRequest
from tertulia.events.audience import Nobody
from tertulia.events.log import announce
from tertulia.events.types.realms import RealmCreated
from tertulia.storage import groups, realms, users
from tertulia.storage.tx import Tx

# What a new organization starts with, so that the first person has somewhere to speak. New
# channels are announced in the first of them.
FIRST_CHANNELS = {
    "general": "For everyone: announcements, questions, company.",
    "sandbox": "Try things out here. Nobody minds.",
}


def create(tx: Tx, name: str, subdomain: str) -> Realm:
    """Found an organization: its groups, its bot and its first channels."""
    name, subdomain = SETTINGS["name"].checked(name), checked_subdomain(subdomain)
    if realms.subdomain_taken(tx, subdomain):
        raise BadRequest(f"There is an organization at the subdomain '{subdomain}' already.")
    here = tx.for_realm(realms.insert(tx, subdomain, name, str(uuid.uuid4())))
    announce(here, RealmCreated(), to=Nobody())
    _create_system_groups(here)
    bot = users.insert(
        here,
        email=NOTIFICATION_BOT,
        full_name="Notification Bot",
        role=Role.MEMBER,
        bot_type=BotType.GENERIC,
        is_system_bot=True,
    )
    square, *_ = [_create_first_channel(here, bot, *each) for each in FIRST_CHANNELS.items()]
    realms.set_setting(here, "new_stream_announcements_stream_id", square.id)
    return realms.current(here)


def get_first(tx: Tx, name: str) -> tuple[Realm, bool]:
    """The first organization, and whether it had to be founded just now."""
    known = realms.all_of_them(tx)
    return (known[0], False) if known else (create(tx, name, ""), True)


def _create_system_groups(tx: Tx) -> None:
    """Each group from the owners on is contained in the next."""
    ids = {
        name: groups.insert(tx, name, description, is_system=True)
        for name, description in SYSTEM_GROUPS.items()
    }
    nobody = ids["role:nobody"]
    for group_id in ids.values():
        permissions: dict[str, GroupValue] = dict.fromkeys(GROUP_PERMISSIONS, nobody)
        groups.set_permissions(tx, group_id, permissions)
    nested = [group_id for name, group_id in ids.items() if name != "role:nobody"]
    for inner, outer in itertools.pairwise(nested):
        groups.add_subgroup(tx, outer, inner)


def _create_first_channel(tx: Tx, bot: User, name: str, description: str) -> Channel:
    nobody = groups.system_ids(tx)["role:nobody"]
    new = NewChannel(
        name=name,
        description=description,
        is_default=True,
        permissions={"can_administer_channel_group": nobody},
    )
    return channel_actions.found(tx, bot, new, f"<p>{description}</p>")
