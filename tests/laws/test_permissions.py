"""The law of permissions: transaction, directory and a plain model agree on who holds a
permission, for all nestings of groups, roles and account ages."""

from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.people import Chat

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import SYSTEM_GROUPS, Members
from tertulia.domain.people.user import SECONDS_PER_DAY, BotType, Role, User

PEOPLE = 6
SYSTEM = list(SYSTEM_GROUPS)

# From the narrowest on, each contained in the next, as in a new organization.
HOLDERS = {
    "role:owners": [Role.OWNER],
    "role:administrators": [Role.ADMINISTRATOR],
    "role:moderators": [Role.MODERATOR],
    "role:fullmembers": [],
    "role:members": [Role.MEMBER],
    "role:everyone": [Role.GUEST],
    "role:internet": [],
}

user_index = st.integers(0, PEOPLE - 1)
role = st.sampled_from(list(Role))


@dataclass(frozen=True)
class ModelUser:
    role: Role
    days: int  # since they joined
    active: bool


@dataclass(frozen=True)
class Some:
    """Users and groups: the members of a group, or a value that names them directly."""

    people: list[int]
    groups: list[int]
    system: list[str]


@dataclass(frozen=True)
class Scene:
    people: list[ModelUser]
    bot: ModelUser
    groups: list[Some]  # each may contain earlier ones
    waiting_days: int
    joining: list[tuple[int, int]]  # final additions to groups
    values: list[Some]


people = st.builds(ModelUser, role, st.integers(0, 4), st.booleans())


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    def some(before: int) -> Some:
        inner = st.lists(st.integers(0, before - 1), max_size=2) if before else st.just([])
        return Some(
            draw(st.lists(st.integers(0, PEOPLE), max_size=3)),
            draw(inner),
            draw(st.lists(st.sampled_from(SYSTEM), max_size=1)),
        )

    count = draw(st.integers(1, 5))
    return Scene(
        people=draw(st.lists(people, min_size=PEOPLE, max_size=PEOPLE)),
        bot=draw(people),
        groups=[some(number) for number in range(count)],
        waiting_days=draw(st.integers(0, 4)),
        joining=draw(st.lists(st.tuples(user_index, st.integers(0, count - 1)), max_size=2)),
        values=[some(count) for _ in range(4)],
    )


@settings(max_examples=6)
@given(scene=scenes())
def test_transaction_directory_and_model_agree(scene: Scene, chat: Chat) -> None:
    Chat.found(chat.server).write(_play, scene)


def _play(tx: Tx, scene: Scene) -> None:
    cast = [_add(tx, f"{number}@x", each, None) for number, each in enumerate(scene.people)]
    cast.append(_add(tx, "bot@x", scene.bot, cast[0].id))
    ids = storage.groups.system_ids(tx)
    storage.organization.realms.set_setting(tx, "waiting_period_threshold", scene.waiting_days)
    made: list[int] = []
    for number, each in enumerate(scene.groups):
        made.append(storage.groups.insert(tx, f"group {number}", ""))
        storage.groups.add_members(tx, made[-1], [cast[one].id for one in sorted(set(each.people))])
        for inner in _group_ids(each, made, ids):
            storage.groups.add_subgroups(tx, made[-1], [inner])
    _compare(tx, scene, cast, made)

    for who, where in scene.joining:
        if who not in scene.groups[where].people:
            scene.groups[where].people.append(who)
            storage.groups.add_members(tx, made[where], [cast[who].id])
    storage.organization.realms.set_setting(tx, "waiting_period_threshold", scene.waiting_days + 1)
    _compare(tx, replace(scene, waiting_days=scene.waiting_days + 1), cast, made)


def _add(tx: Tx, email: str, who: ModelUser, owner_id: int | None) -> User:
    user = storage.people.users.insert(
        tx.at(tx.now - who.days * SECONDS_PER_DAY),
        email=email,
        full_name=email,
        role=who.role,
        bot_type=None if owner_id is None else BotType.GENERIC,
        bot_owner_id=owner_id,
    )
    storage.people.users.set_active(tx, [user.id], who.active)
    found = storage.people.users.find(tx, user.id)
    assert found is not None
    return found


def _compare(tx: Tx, scene: Scene, cast: list[User], made: list[int]) -> None:
    ids = storage.groups.system_ids(tx)
    org = events.directory.loader.load(tx, "x", lambda: tx.now)
    together = actions.groups.permissions.permission_checker(tx, cast)
    for each in scene.values:
        expected = {cast[number].id for number in _inside(scene, each)}
        members = [cast[one].id for one in each.people]
        value = Members(members, _group_ids(each, made, ids))
        assert {
            user.id for user in cast if actions.groups.permissions.has_permission(tx, user, value)
        } == expected
        assert {user.id for user in cast if together(user, value)} == expected
        assert {user.id for user in cast if org.has_permission(user, value, tx.now)} == expected
        bot, owner = cast[-1], cast[0]
        owned = {bot.id} if owner.is_active and owner.id in expected else set()
        assert {
            user.id
            for user in cast
            if actions.groups.permissions.has_permission_or_owner_has(tx, user, value)
        } == expected | owned
    for group_id, within in _all_groups(scene, made, ids).items():
        expected = {cast[number].id for number in _inside(scene, within)}
        active = {user.id for user in cast if user.is_active}
        assert {
            user.id
            for user in cast
            if actions.groups.permissions.has_permission(tx, user, group_id)
        } == expected
        assert actions.groups.permissions.all_members_of(tx, [group_id]) == expected
        assert org.user_groups.all_members_of(group_id, tx.now) == expected & active


def _all_groups(scene: Scene, made: list[int], ids: dict[str, int]) -> dict[int, Some]:
    return dict(zip(made, scene.groups, strict=True)) | {
        group_id: Some([], [], [name]) for name, group_id in ids.items()
    }


def _group_ids(some: Some, made: list[int], ids: dict[str, int]) -> list[int]:
    return sorted({*(made[one] for one in some.groups), *(ids[name] for name in some.system)})


def _inside(scene: Scene, some: Some) -> set[int]:
    """The model: the users who hold the permission."""
    found = set(some.people)
    for inner in some.groups:
        found |= _inside(scene, scene.groups[inner])
    for name in some.system:
        found |= {
            number
            for number, who in enumerate([*scene.people, scene.bot])
            if _has_role(who, name, scene.waiting_days)
        }
    return found


def _has_role(who: ModelUser, name: str, waiting_days: int) -> bool:
    if name == "role:nobody":
        return False
    narrower = list(HOLDERS)[: list(HOLDERS).index(name) + 1]
    if "role:fullmembers" in narrower and who.role == Role.MEMBER and who.days >= waiting_days:
        return True
    return any(who.role in HOLDERS[each] for each in narrower)
