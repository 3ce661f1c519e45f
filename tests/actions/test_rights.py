"""Rights inside a transaction: who is in the set that a permission names."""

import pytest
from tests.support.groups import make
from tests.support.people import Chat

from tertulia.actions import groups, rights
from tertulia.actions.circles import Circles
from tertulia.domain.groups import REALM_PERMISSIONS, GroupValue, Members
from tertulia.domain.users import User
from tertulia.errors import InsufficientPermission
from tertulia.storage import realms
from tertulia.storage.tx import Tx


@pytest.mark.parametrize("setting", sorted(REALM_PERMISSIONS))
def test_guests_hold_only_what_everyone_can_be_given(setting: str, chat: Chat) -> None:
    gus, ana = chat.person("gus", role="guest"), chat.person("ana")
    pair = make(ana, "pair", (gus, ana))

    for value in (pair, Members([ana.id, gus.id], []), Members([], [pair, chat.group("nobody")])):
        chat.write(realms.set_setting, setting, value)

        assert chat.read(rights.holds_in_realm, ana.record, setting)
        may = chat.read(rights.holds_in_realm, gus.record, setting)
        assert may == REALM_PERMISSIONS[setting].everyone


def test_both_ways_to_ask_agree(chat: Chat) -> None:
    ana, ben, gus = *chat.people("ana", "ben"), chat.person("gus", role="guest")
    mod = chat.person("mod", role="moderator")
    inner = make(ana, "inner", (ben,), subgroups=[chat.group("moderators")])
    outer = make(ana, "outer", subgroups=[inner])
    expected: list[tuple[GroupValue, set[str]]] = [
        (chat.group("nobody"), set()),
        (chat.group("moderators"), {"Mod"}),
        (chat.group("members"), {"Ana", "Ben", "Mod"}),
        (chat.group("everyone"), {"Ana", "Ben", "Mod", "Gus"}),
        (outer, {"Ben", "Mod"}),
        (Members([gus.id], [inner]), {"Ben", "Mod", "Gus"}),
    ]

    for value, names in expected:
        people = [each.record for each in (ana, ben, gus, mod)]
        one_by_one = {each.full_name for each in people if chat.read(rights.holds, each, value)}
        together = chat.read(_in_circle, people, value)
        org = chat.server.application.delivery.organizations[chat.realm.id]
        in_memory = {each.full_name for each in people if org.holds(each, value, each.joined_at)}
        assert one_by_one == together == in_memory == names


def _in_circle(tx: Tx, people: list[User], value: GroupValue) -> set[str]:
    circles = Circles(tx)
    return {each.full_name for each in people if circles.holds(each, value)}


def test_a_role_that_was_lost_a_moment_ago_gives_nothing(chat: Chat) -> None:
    owner = chat.person("owner", role="owner")
    group_id = make(chat.person("ana"), "bakers")
    as_they_were = owner.record
    chat.write(_demote, owner.id)

    with pytest.raises(InsufficientPermission):
        chat.write(groups.deactivate, as_they_were, group_id)


def _demote(tx: Tx, user_id: int) -> None:
    tx.execute("UPDATE account SET role = 400 WHERE id = :id", id=user_id)
