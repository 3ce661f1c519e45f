"""Rights inside a transaction: who is in the set that a permission names."""

import pytest
from tests.support.groups import make
from tests.support.people import Chat, Person

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import REALM_PERMISSIONS, Members
from tertulia.errors.authentication import InsufficientPermission


@pytest.mark.parametrize("setting", sorted(REALM_PERMISSIONS))
def test_guests_hold_only_permissions_of_everyone(setting: str, chat: Chat) -> None:
    gus, ana = chat.person("gus", role="guest"), chat.person("ana")
    pair = make(ana, "pair", (gus, ana))

    for value in (pair, Members([ana.id, gus.id], []), Members([], [pair, chat.group("nobody")])):
        chat.write(storage.organization.realms.set_setting, setting, value)

        assert chat.read(actions.groups.permissions.has_realm_permission, ana.record, setting)
        may = chat.read(actions.groups.permissions.has_realm_permission, gus.record, setting)
        assert may == REALM_PERMISSIONS[setting].everyone


def test_a_lost_role_gives_no_permission(chat: Chat, owner: Person) -> None:
    group_id = make(chat.person("ana"), "bakers")
    as_they_were = owner.record
    chat.write(_demote, owner.id)

    with pytest.raises(InsufficientPermission):
        chat.write(actions.groups.edits.deactivate, as_they_were, group_id)


def _demote(tx: Tx, user_id: int) -> None:
    tx.execute("UPDATE account SET role = 400 WHERE id = :id", id=user_id)
