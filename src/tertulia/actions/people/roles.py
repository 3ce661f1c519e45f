"""Roles: changes, and everything that depends on them.

A role decides a user's system groups, which channels and users they can see, whose email addresses
they see, whether default channels concern them and which bots they manage. All of these changes are
announced with the role.
"""

from collections.abc import Sequence

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import OwnerRequired
from tertulia.events.audience import Users
from tertulia.events.types.channels.channel import DefaultChannelsChanged
from tertulia.events.types.people.bots import BotOwnersChanged, BotsAdded
from tertulia.events.types.people.user import RoleChanged


def check(actor: User, user: User, role: Role) -> None:
    """Only owners may make someone an owner or change an owner's role."""
    if Role.OWNER in (role, user.role) and not actor.is_owner:
        raise OwnerRequired()


def change(tx: Tx, user: User, role: Role) -> None:
    """Set a role. The caller checks the permission. One owner always remains.

    A user with fewer permissions must not have more through their bots.
    """
    if role == user.role:
        return
    _set(tx, user, role)
    for bot in storage.people.find_many(tx, storage.people.bots.ids_of_owner(tx, user.id)):
        if user.role < role and bot.role < role:
            _set(tx, bot, role)


def _set(tx: Tx, user: User, role: Role) -> None:
    if user.is_owner and storage.people.active_owner_ids(tx) == [user.id]:
        raise BadRequest(
            "The owner permission cannot be removed from the only organization owner.",
            problem="last-owner",
        )
    everything = storage.channels.list_all(tx)
    saw = actions.channels.visible_channels.visible_to_each(tx, everything, [user], tx.now)
    knew = actions.people.known_people.known(tx, [user])
    groups_before = actions.groups.permissions.system_group_ids(tx, user)
    storage.people.set_role(tx, user.id, role)
    changed = actions.people.get(tx, user.id)

    knows = actions.people.known_people.known(tx, [changed])
    sees = actions.channels.visible_channels.visible_to_each(tx, everything, [changed], tx.now)
    if user.is_active:
        actions.people.known_people.announce_changes(tx, knew, knows, saw[user.id] ^ sees[user.id])
    known = sorted(knows[user.id]) if actions.people.visible_users.is_limited(tx, changed) else None
    event = RoleChanged(user.id, role, user.role, known)
    events.log.announce(tx, event, to=actions.people.known_people.audience_knowing(tx, user.id))
    if not user.is_active:
        return
    _move(tx, user, groups_before, actions.groups.permissions.system_group_ids(tx, changed))
    actions.channels.visible_channels.announce_changes(tx, saw, sees)
    if user.is_guest != changed.is_guest:
        ids = [] if changed.is_guest else [channel.id for channel in storage.channels.defaults(tx)]
        events.log.announce(tx, DefaultChannelsChanged(ids), to=Users([user.id]))
    if user.is_admin != changed.is_admin:
        others = storage.people.bots.other_ids(tx, user.id)
        bots_event = BotsAdded(others) if changed.is_admin else BotOwnersChanged(others)
        events.log.announce(tx, bots_event, to=Users([user.id]))


def _move(tx: Tx, user: User, before: Sequence[int], after: Sequence[int]) -> None:
    """Move from the group of the old role to that of the new one, and in or out of the full
    members."""
    actions.groups.announce_members(tx, before[0], [user.id], added=False)
    actions.groups.announce_members(tx, after[0], [user.id], added=True)
    for group_id in before[1:]:
        actions.groups.announce_members(tx, group_id, [user.id], added=False)
    for group_id in after[1:]:
        actions.groups.announce_members(tx, group_id, [user.id], added=True)
