"""The law of group access: every call about groups and the organization by every kind of user, as a
table.

Each call uses a fresh group. Moderator, full member, new member, guest, bot and its creator are
members; the former member was. Members may join, everyone may leave, full members may add users,
moderators may remove them. Only owners manage all groups.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.support.access_matrix import WHO, RecreatedSubjects, create_people, read, written
from tests.support.client import Reply
from tests.support.people import Chat, Person

from tertulia import actions, storage
from tertulia.actions.groups.edits import MemberChange
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import GroupValue, NewGroup

# What each word of the tables means.
WORDS = {
    "denied": "Insufficient permission",
    "admins": "Must be an organization administrator",
    "owners": "Must be an organization owner",
    "guests": "Not allowed for guest users",
    "hidden": "Invalid user group",
    "inside": "User {id} is already a member of this group",
    "not-in": "There is no member '{id}' in this user group",
    "closed": "Account is deactivated",
}

GROUP = """
                      owner  admin  mod    full   new    guest  bot    other  left   gone   far
list                  listed listed listed listed listed guests listed listed listed closed absent
members               ok     ok     ok     ok     ok     guests ok     ok     ok     closed hidden
is a member           ok     ok     ok     ok     ok     guests ok     ok     ok     closed hidden
subgroups             ok     ok     ok     ok     ok     guests ok     ok     ok     closed hidden
join                  ok     ok     inside inside inside guests inside ok     ok     closed hidden
leave                 not-in not-in ok     ok     ok     guests ok     not-in not-in closed hidden
add another           ok     ok     ok     ok     denied guests ok     ok     ok     closed hidden
remove another        ok     ok     ok     denied denied guests denied denied denied closed hidden
add a subgroup        ok     ok     ok     ok     denied guests ok     ok     ok     closed hidden
remove a subgroup     ok     ok     ok     denied denied guests denied denied denied closed hidden
describe              ok     denied denied denied denied guests denied denied denied closed hidden
who may join          ok     denied denied denied denied guests denied denied denied closed hidden
deactivate            ok     denied denied denied denied denied denied denied denied closed hidden
use again             ok     denied denied denied denied guests denied denied denied closed hidden
"""

ORGANIZATION = """
                      owner  admin  mod    full   new    guest  bot    other  left   gone   far
create a group        ok     ok     ok     ok     denied guests ok     ok     ok     closed ok
rename                ok     ok     admins admins admins admins admins admins admins closed ok
waiting period        ok     owners admins admins admins admins admins admins admins closed ok
give the group rights ok     ok     admins admins admins admins admins admins admins closed hidden
rights to manage      ok     owners admins admins admins admins admins admins admins closed hidden
"""


@dataclass(frozen=True)
class GroupScene:
    """A group, a member and a non-member, as calls name them."""

    group_id: int
    inner_id: int
    other_id: int
    insider: Person
    outsider: Person

    @property
    def path(self) -> str:
        return f"/user_groups/{self.group_id}"


def _deactivated(scene: GroupScene) -> str:
    scene.insider.post(f"{scene.path}/deactivate").succeeds()
    return scene.path


CALLS: dict[str, Callable[[Person, GroupScene], Reply]] = {
    "list": lambda who, at: who.get("/user_groups"),
    "members": lambda who, at: who.get(f"{at.path}/members"),
    "is a member": lambda who, at: who.get(f"{at.path}/members/{at.insider.id}"),
    "subgroups": lambda who, at: who.get(f"{at.path}/subgroups"),
    "join": lambda who, at: who.post(f"{at.path}/members", add=[who.id]),
    "leave": lambda who, at: who.post(f"{at.path}/members", delete=[who.id]),
    "add another": lambda who, at: who.post(f"{at.path}/members", add=[at.outsider.id]),
    "remove another": lambda who, at: who.post(f"{at.path}/members", delete=[at.insider.id]),
    "add a subgroup": lambda who, at: who.post(f"{at.path}/subgroups", add=[at.other_id]),
    "remove a subgroup": lambda who, at: who.post(f"{at.path}/subgroups", delete=[at.inner_id]),
    "describe": lambda who, at: who.patch(at.path, description=f"of {who.name}"),
    "who may join": lambda who, at: who.patch(at.path, can_join_group={"new": at.inner_id}),
    "deactivate": lambda who, at: who.post(f"{at.path}/deactivate"),
    "use again": lambda who, at: who.patch(_deactivated(at), deactivated=False),
    "create a group": lambda who, at: who.post(
        "/user_groups/create", name=f"of {who.name}", description="", members=[]
    ),
    "rename": lambda who, at: who.patch("/realm", name=f"Of {who.name}"),
    "waiting period": lambda who, at: who.patch("/realm", waiting_period_threshold=3),
    "give the group rights": lambda who, at: who.patch(
        "/realm", can_mention_many_users_group={"new": at.group_id}
    ),
    "rights to manage": lambda who, at: who.patch(
        "/realm", can_manage_billing_group={"new": at.group_id}
    ),
}


@pytest.mark.parametrize("table", [GROUP, ORGANIZATION], ids=["group", "organization"])
def test_every_call_gives_every_user_the_result_of_the_table(table: str, chat: Chat) -> None:
    people = create_people(chat)
    people["outsider"] = chat.person("outsider")
    expected = read(table)

    places = RecreatedSubjects(lambda: _stand_around(chat, people), changing="use again")

    def met(call: str, who: str) -> str:
        return places.after(call, _word(call, people[who], places.now))

    got = {call: {who: met(call, who) for who in WHO} for call in expected}

    assert written(got) == written(expected)


def _stand_around(chat: Chat, people: dict[str, Person]) -> GroupScene:
    """Create a group with all users in their places."""
    inside = [people[name].id for name in ("insider", "mod", "full", "new", "guest", "bot", "left")]
    ids = chat.write(_make_groups, people["insider"].id, inside, people["left"].id)
    return GroupScene(*ids, insider=people["insider"], outsider=people["outsider"])


def _make_groups(tx: Tx, creator_id: int, inside: list[int], left_id: int) -> tuple[int, int, int]:
    tx.execute(
        "UPDATE user_group SET name = 'was ' || id WHERE realm_id = :realm AND NOT is_system",
        realm=tx.realm_id,
    )
    creator = storage.people.users.find(tx, creator_id)
    assert creator is not None
    inner, other = (
        actions.groups.edits.create(tx, creator, NewGroup(name, "", [], [], {}))
        for name in ("inner", "other")
    )
    system = storage.groups.system_ids(tx)
    permissions: dict[str, GroupValue] = {
        "can_join_group": system["role:members"],
        "can_add_members_group": system["role:fullmembers"],
        "can_remove_members_group": system["role:moderators"],
    }
    team = actions.groups.edits.create(
        tx, creator, NewGroup("team", "", inside, [inner], permissions)
    )
    actions.groups.edits.change_members(tx, creator, team, MemberChange(remove=[left_id]))
    return team, inner, other


def _word(call: str, who: Person, scene: GroupScene) -> str:
    response = CALLS[call](who, scene).json
    if response["result"] == "success":
        if "user_groups" in response:
            ids = [group["id"] for group in response["user_groups"]]
            return "listed" if scene.group_id in ids else "absent"
        return "ok"
    found = {text.format(id=who.id): word for word, text in WORDS.items()}
    word: str = found.get(response["msg"], response["msg"])
    return word
