"""Roles: changes, and everything that depends on them.

A role decides a user's system groups, which channels and users they can see, whose email addresses
they see, whether default channels concern them and which bots they manage. All of these changes are
announced with the role.
"""

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from tertulia import events, storage
from tertulia.actions.channels import visible_channels
from tertulia.actions.channels.visible_channels import VisibleChannels
from tertulia.actions.groups import edits, permissions
from tertulia.actions.people import known_people, visible_users
from tertulia.actions.people.known_people import KnownUsers
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
    """Give a user a role, as `change_many` does."""
    change_many(tx, [user], role)


def change_many(tx: Tx, people: Sequence[User], role: Role) -> None:
    """Give users a role. The caller checks the permission. One owner always remains.

    A user with fewer permissions must not have more through their bots. Users change together,
    because most of the work is the same for all of them.
    """
    people = _with_bots(tx, [user for user in people if user.role != role], role)
    if not people:
        return
    require_another_owner(tx, people)
    changed = [replace(user, role=role) for user in people]
    active = [user for user in people if user.is_active]
    active_changed = [user for user in changed if user.is_active]
    limited = visible_users.guests_are_limited(tx)
    viewers = [
        index for index, user in enumerate(people) if limited and _crosses(user, role, Role.MEMBER)
    ]
    everything = storage.channels.table.list_all(tx)

    saw = visible_channels.visible_to_each(tx, everything, active, tx.now)
    knew = known_people.known(tx, [people[index] for index in viewers])
    storage.people.users.set_role(tx, [user.id for user in people], role)
    sees = visible_channels.visible_to_each(tx, everything, active_changed, tx.now)
    knows = known_people.known(tx, [changed[index] for index in viewers])

    _announce_people(tx, (saw, sees), (knew, knows))
    _announce_roles(tx, people, role, knows if role is Role.GUEST else {})
    _announce_groups(tx, active, active_changed)
    visible_channels.announce_changes(tx, saw, sees)
    _announce_default_channels(tx, active, role)
    _announce_bots(tx, active, role)


def _with_bots(tx: Tx, people: Sequence[User], role: Role) -> list[User]:
    demoted = [user.id for user in people if user.role < role]
    bots = storage.people.users.find_many(tx, storage.people.bots.ids_of_owners(tx, demoted))
    return [*people, *(bot for bot in bots if bot.role < role)]


def require_another_owner(tx: Tx, people: Sequence[User]) -> None:
    """Raises if an owner is among users who lose their role, and no other remains."""
    if any(user.is_owner for user in people):
        owner_ids = set(storage.people.users.active_owner_ids(tx))
        if owner_ids and owner_ids <= {user.id for user in people}:
            raise BadRequest(
                "The owner permission cannot be removed from the only organization owner.",
                problem="last-owner",
            )


def _crosses(user: User, role: Role, lowest: Role) -> bool:
    """Whether a user gets or loses what only the roles up to `lowest` have."""
    return (user.role <= lowest) != (role <= lowest)


def _announce_people(
    tx: Tx,
    channels: tuple[VisibleChannels, VisibleChannels],
    people: tuple[KnownUsers, KnownUsers],
) -> None:
    saw, sees = channels
    alike: defaultdict[frozenset[int], list[int]] = defaultdict(list)
    for user_id in people[0].keys() & saw.keys():
        alike[frozenset(saw[user_id] ^ sees[user_id])].append(user_id)
    for other_channels, user_ids in alike.items():
        before, after = ({each: known[each] for each in user_ids} for known in people)
        known_people.announce_changes(tx, before, after, other_channels)


def _announce_roles(tx: Tx, people: Sequence[User], role: Role, knows: KnownUsers) -> None:
    for some, audience in known_people.by_audience(tx, people):
        events.log.announce_all(
            tx,
            [
                (
                    RoleChanged(
                        user.id, role, user.role, sorted(knows[user.id]) if knows else None
                    ),
                    audience,
                )
                for user in some
            ],
        )


def _announce_groups(tx: Tx, before: Sequence[User], after: Sequence[User]) -> None:
    """Move users between the groups of the roles, and then in or out of the full members."""
    moves: defaultdict[tuple[int, bool, int], list[int]] = defaultdict(list)
    for people, added in ((before, False), (after, True)):
        for user_id, group_ids in permissions.system_group_ids(tx, people).items():
            for place, group_id in enumerate(group_ids):
                moves[place, added, group_id].append(user_id)
    for (_, added, group_id), user_ids in sorted(moves.items()):
        edits.announce_members(tx, group_id, user_ids, added=added)


def _announce_default_channels(tx: Tx, people: Sequence[User], role: Role) -> None:
    crossing = [user.id for user in people if _crosses(user, role, Role.MEMBER)]
    if crossing:
        found = [] if role is Role.GUEST else storage.channels.table.defaults(tx)
        event = DefaultChannelsChanged([channel.id for channel in found])
        events.log.announce(tx, event, to=Users(crossing))


def _announce_bots(tx: Tx, people: Sequence[User], role: Role) -> None:
    """Administrators manage the bots of others, too."""
    crossing = [user.id for user in people if _crosses(user, role, Role.ADMINISTRATOR)]
    if not crossing:
        return
    owners = storage.people.bots.owners(tx)
    with_bots = {owner_id for owner_id in owners.values() if owner_id is not None}
    alike = [[each] for each in crossing if each in with_bots]
    for user_ids in [[each for each in crossing if each not in with_bots], *alike]:
        if user_ids:
            others = [bot_id for bot_id, owner_id in owners.items() if owner_id != user_ids[0]]
            kind = BotsAdded if role <= Role.ADMINISTRATOR else BotOwnersChanged
            events.log.announce(tx, kind(others), to=Users(user_ids))
