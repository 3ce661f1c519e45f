"""User groups, their members and their permissions."""

from collections.abc import Collection, Iterable, Set
from functools import cached_property

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import Group, GroupValue
from tertulia.domain.groups.permissions import Within
from tertulia.domain.people.user import User
from tertulia.storage.organization import realms
from tertulia.storage.people import users

_decode = msgspec.json.Decoder(dict[str, GroupValue]).decode


def list_all(tx: Tx, group_ids: list[int] | None = None) -> list[Group]:
    """All groups, or some, with their members."""
    members = _lists(tx, "user_group_member", "user_id", group_ids)
    subgroups = _lists(tx, "user_group_subgroup", "subgroup_id", group_ids)
    among = "" if group_ids is None else " AND id IN :ids"
    rows = tx.all(
        f"SELECT * FROM user_group WHERE realm_id = :realm{among} ORDER BY id",
        **({} if group_ids is None else {"ids": group_ids}),
    )
    return [_group(row, members, subgroups) for row in rows]


def list_without_members(tx: Tx) -> list[Group]:
    rows = tx.all("SELECT * FROM user_group WHERE realm_id = :realm ORDER BY id")
    return [_group(row, {}, {}) for row in rows]


def find(tx: Tx, group_id: int) -> Group | None:
    """A group without its members, who may be many."""
    row = tx.one("SELECT * FROM user_group WHERE id = :id AND realm_id = :realm", id=group_id)
    if row is None:
        return None
    subgroups = tx.column(
        "SELECT subgroup_id FROM user_group_subgroup WHERE group_id = :id ORDER BY subgroup_id",
        id=group_id,
    )
    return _group(row, {}, {group_id: subgroups})


def members_among(tx: Tx, group_id: int, user_ids: list[int]) -> set[int]:
    """Those of the users who are direct members of a group."""
    found = tx.column(
        "SELECT user_id FROM user_group_member WHERE group_id = :group AND user_id IN :users",
        group=group_id,
        users=user_ids,
    )
    return set(found)


def find_many(tx: Tx, group_ids: list[int]) -> list[Group]:
    """These groups, without their members."""
    if not group_ids:
        return []
    rows = tx.all(
        "SELECT * FROM user_group WHERE realm_id = :realm AND id IN :ids ORDER BY id", ids=group_ids
    )
    return [_group(row, {}, {}) for row in rows]


def system_ids(tx: Tx) -> dict[str, int]:
    rows = tx.all("SELECT id, name FROM user_group WHERE realm_id = :realm AND is_system")
    return {row["name"]: row["id"] for row in rows}


def names(tx: Tx) -> dict[int, str]:
    """All group names by id."""
    return dict(tx.tuples("SELECT id, name FROM user_group WHERE realm_id = :realm"))


# --- membership ---


class Memberships:
    """The groups as a transaction sees them, for queries about some users.

    Rows are cached: create another object after groups have changed.
    """

    def __init__(self, tx: Tx, people: Collection[User]) -> None:
        self._tx = tx
        self._people = people
        self._within: dict[tuple[int, ...], Within] = {}

    @cached_property
    def waiting_days(self) -> int:
        days: int = realms.current(self._tx).setting("waiting_period_threshold")
        return days

    def within(self, group_ids: Iterable[int]) -> Within:
        named = tuple(group_ids)
        if named not in self._within:
            self._within[named] = within(self._tx, named)
        return self._within[named]

    def listing(self, user_id: int) -> Set[int]:
        return self._listing.get(user_id, frozenset())

    def listed_in(self, group_ids: Iterable[int]) -> set[int]:
        members = "SELECT user_id AS id FROM user_group_member WHERE group_id IN :ids"
        return set(self._tx.ids(members, ids=list(group_ids)))

    def all_users(self) -> Iterable[User]:
        return users.list_all(self._tx)

    @cached_property
    def _listing(self) -> dict[int, set[int]]:
        rows = self._tx.all(
            "SELECT user_id, group_id FROM user_group_member"
            " WHERE user_id IN :users AND realm_id = :realm",
            users=[user.id for user in self._people],
            realm=self._tx.realm_id,
        )
        found: dict[int, set[int]] = {}
        for row in rows:
            found.setdefault(row["user_id"], set()).add(row["group_id"])
        return found


def within(tx: Tx, group_ids: Iterable[int]) -> Within:
    """These groups and all their subgroups; those of a system group follow from its name."""
    found = _named(
        tx.all(
            "SELECT id, name, is_system FROM user_group WHERE id IN :ids AND realm_id = :realm",
            ids=list(group_ids),
        )
    )
    ordinary = [group_id for group_id, name in found.items() if name is None]
    if ordinary:
        found |= _named(tx.all(_CONTAINED, ids=ordinary))
    return found


def containing(tx: Tx, group_ids: Iterable[int]) -> set[int]:
    """These groups and all groups that contain them."""
    found = set(group_ids)
    rows = tx.column(
        "WITH RECURSIVE outer_group (id) AS ("
        " SELECT group_id FROM user_group_subgroup WHERE subgroup_id IN :ids"
        " UNION SELECT s.group_id FROM outer_group o"
        " JOIN user_group_subgroup s ON s.subgroup_id = o.id"
        ") SELECT id FROM outer_group",
        ids=sorted(found),
    )
    return found.union(rows)


_CONTAINED = (
    "WITH RECURSIVE contained (id) AS ("
    " SELECT subgroup_id FROM user_group_subgroup WHERE group_id IN :ids"
    " UNION SELECT s.subgroup_id FROM contained c"
    " JOIN user_group_subgroup s ON s.group_id = c.id"
    ") SELECT g.id, g.name, g.is_system FROM contained c JOIN user_group g ON g.id = c.id"
)


def _named(rows: Iterable[Row]) -> dict[int, str | None]:
    return {row["id"]: row["name"] if row["is_system"] else None for row in rows}


def supergroups(tx: Tx, group_id: int) -> list[int]:
    """Active groups that have this one as a direct subgroup."""
    return tx.column(
        "SELECT s.group_id FROM user_group_subgroup s JOIN user_group g ON g.id = s.group_id"
        " WHERE s.subgroup_id = :id AND NOT g.deactivated ORDER BY s.group_id",
        id=group_id,
    )


# --- changes ---


def insert(
    tx: Tx, name: str, description: str, *, creator_id: int | None = None, is_system: bool = False
) -> int:
    return tx.insert_with_id(
        "user_group",
        name=name,
        description=description,
        is_system=is_system,
        creator_id=creator_id,
        created_at=None if is_system else tx.now,
        permissions="{}",
    )


def update(tx: Tx, group_id: int, *, name: str, description: str, deactivated: bool) -> None:
    tx.update("user_group", group_id, name=name, description=description, deactivated=deactivated)


def set_permissions(tx: Tx, group_id: int, permissions: dict[str, GroupValue]) -> None:
    tx.update("user_group", group_id, permissions=msgspec.json.encode(permissions).decode())


def set_system_permissions(tx: Tx, permissions: dict[str, int]) -> None:
    tx.execute(
        "UPDATE user_group SET permissions = :permissions WHERE realm_id = :realm AND is_system",
        permissions=msgspec.json.encode(permissions).decode(),
    )


def add_members(tx: Tx, group_id: int, user_ids: list[int]) -> None:
    """Add users of the organization who are not members."""
    tx.execute(
        "INSERT INTO user_group_member (realm_id, group_id, user_id)"
        " SELECT :realm, :group, id FROM account WHERE realm_id = :realm AND id IN :users",
        group=group_id,
        users=user_ids,
    )


def remove_members(tx: Tx, group_id: int, user_ids: list[int]) -> None:
    tx.delete("user_group_member", group_id=group_id, user_id=user_ids)


def add_subgroups(tx: Tx, group_id: int, subgroup_ids: Iterable[int]) -> None:
    nest(tx, ((inner, group_id) for inner in subgroup_ids))


def nest(tx: Tx, pairs: Iterable[tuple[int, int]]) -> None:
    """Make the first group of each pair a subgroup of the second."""
    rows = ({"group_id": outer, "subgroup_id": inner} for inner, outer in pairs)
    tx.insert_rows("user_group_subgroup", rows)


def remove_subgroups(tx: Tx, group_id: int, subgroup_ids: list[int]) -> None:
    tx.delete("user_group_subgroup", group_id=group_id, subgroup_id=subgroup_ids)


# --- rows ---


def _lists(tx: Tx, table: str, column: str, group_ids: list[int] | None) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    among = "" if group_ids is None else " AND group_id IN :ids"
    for group_id, item in tx.tuples(
        f"SELECT group_id, {column} FROM {table} WHERE realm_id = :realm{among}"
        f" ORDER BY group_id, {column}",
        **({} if group_ids is None else {"ids": group_ids}),
    ):
        found.setdefault(group_id, []).append(item)
    return found


def _group(row: Row, members: dict[int, list[int]], subgroups: dict[int, list[int]]) -> Group:
    return Group(
        id=row["id"],
        name=row["name"],
        description=row["description"],
        is_system=bool(row["is_system"]),
        creator_id=row["creator_id"],
        created_at=row["created_at"],
        deactivated=bool(row["deactivated"]),
        permissions=_decode(row["permissions"]),
        members=tuple(members.get(row["id"], ())),
        subgroups=tuple(subgroups.get(row["id"], ())),
    )
