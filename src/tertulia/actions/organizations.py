"""Organizations: founding one, and changing what it is."""

import itertools
import uuid
from typing import Any

from tertulia.actions import channels as channel_actions
from tertulia.actions import full_members
from tertulia.domain.channels import Channel, NewChannel
from tertulia.domain.groups import GROUP_PERMISSIONS, SYSTEM_GROUPS, GroupValue
from tertulia.domain.realms import (
    Realm,
    checked_realm_name,
    checked_setting,
    checked_subdomain,
)
from tertulia.domain.users import NOTIFICATION_BOT, BotType, Role, User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone, Nobody
from tertulia.events.log import announce
from tertulia.events.types.realms import RealmChanged, RealmCreated
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
    name, subdomain = checked_realm_name(name), checked_subdomain(subdomain)
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


def rename(tx: Tx, name: str) -> None:
    name = checked_realm_name(name)
    realms.rename(tx, name)
    announce(tx, RealmChanged("name", name), to=Everyone())


def set_setting(tx: Tx, name: str, value: Any) -> None:
    """Change one plain setting of the organization."""
    if name == "name":
        rename(tx, value)
        return
    value = checked_setting(name, value)
    if realms.current(tx).setting(name) == value:
        return
    if name == full_members.WAITING_PERIOD:
        full_members.set_waiting_period(tx, value)
    else:
        realms.set_setting(tx, name, value)
        announce(tx, RealmChanged(name, value), to=Everyone())


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
