"""Personal settings of other users, changed by administrators."""

from typing import Annotated, Any

import msgspec

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.errors.groups import MemberNotFound, SubgroupNotFound
from tertulia.http.parameter_rules import MaxItems

BATCH_SIZE = 100  # users per transaction, so that other writes get a turn
CONSENT = "allow_private_data_export"


class TargetUsers(msgspec.Struct, forbid_unknown_fields=True):
    """The users whose settings change."""

    user_ids: Annotated[list[int], MaxItems(10_000)] = []
    group_ids: Annotated[list[int], MaxItems(1000)] = []
    skip_if_already_edited: bool = False


async def change(call: Call, whose: TargetUsers, values: dict[str, Any]) -> None:
    """Change the same settings for many users; all permissions are checked before any change."""
    if CONSENT in values:
        raise BadRequest(f"{CONSENT} is for everybody to say for themselves.")
    everybody = _target_ids(call, whose)
    await call.db.read(actions.personal.settings.check_may_change_for, call.user, everybody)
    for some in domain.portions.split(everybody, BATCH_SIZE):
        await call.db.write(
            actions.personal.settings.change_for,
            call.user,
            some,
            values,
            whose.skip_if_already_edited,
        )


def _target_ids(call: Call, whose: TargetUsers) -> list[int]:
    """The named users, and the active members of the named groups."""
    found = set()
    for user_id in whose.user_ids:
        user = call.org.users.get(user_id)
        if user is None or user.is_bot or not user.is_active:
            raise MemberNotFound(user_id=user_id)
        found.add(user_id)
    for group_id in whose.group_ids:
        if group_id not in call.org.groups:
            raise SubgroupNotFound(group_id=group_id)
        for within in call.org.user_groups.within([group_id]):
            members = call.org.user_groups.direct_members(call.org.groups[within], call.now)
            found |= {each for each in members if not call.org.users[each].is_bot}
    return sorted(found)
