"""Accounts of people and bots."""

from typing import Any, NamedTuple

import msgspec

from tertulia import domain
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.user import DRAWN, BotType, Role, User
from tertulia.storage.people import (
    account_facts,
    agents,
    avatars,
    bots,
    identities,
    invitations,
    known_people,
    login_origins,
    one_time_links,
    password_attempts,
    pending_logins,
    presence,
    profile_fields,
    profiles,
    second_factors,
    sessions,
    statuses,
)

_COLUMNS = (
    "id, realm_id, email, full_name, role, is_active, is_system_bot, bot_type, bot_owner_id,"
    " joined_at, timezone, avatar_source, avatar_version, avatar_name, settings,"
    " is_imported_stub"
)


def find(tx: Tx, user_id: int) -> User | None:
    row = tx.one(f"SELECT {_COLUMNS} FROM account WHERE id = :id AND realm_id = :realm", id=user_id)
    return None if row is None else _user(row)


class RoleColumns(NamedTuple):
    """The columns that decide most permissions."""

    is_active: bool
    role: Role


def role_columns(tx: Tx, user_id: int) -> RoleColumns | None:
    row = tx.one(
        "SELECT is_active, role FROM account WHERE id = :id AND realm_id = :realm", id=user_id
    )
    return None if row is None else RoleColumns(bool(row["is_active"]), Role(row["role"]))


def find_by_email(tx: Tx, email: str) -> User | None:
    """By real address, ignoring the case of ASCII letters."""
    key = domain.people.user.email_key(email)
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND email_key IN :keys",
        # Compat: before schema 130 servers stored casefolded keys, and may still do so beside us.
        keys=sorted({key, key.casefold()}),
    )
    found = [row for row in rows if domain.people.user.email_key(row["email"]) == key]
    return _user(found[0]) if found else None


def find_many(tx: Tx, user_ids: list[int]) -> list[User]:
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND id IN :ids ORDER BY id",
        ids=user_ids,
    )
    return [_user(row) for row in rows]


def usable_ids(tx: Tx, user_ids: list[int]) -> list[int]:
    """Those of the accounts that are active, without our own bots."""
    return tx.ids(
        "SELECT id FROM account WHERE realm_id = :realm AND id IN :users AND is_active"
        " AND NOT is_system_bot",
        users=user_ids,
    )


def list_all(tx: Tx) -> list[User]:
    rows = tx.all(f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm ORDER BY id")
    return [_user(row) for row in rows]


def members_joined_between(tx: Tx, after: float, until: float) -> list[User]:
    """Active accounts with the role of a member that were created in this time."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND role = :member AND is_active"
        " AND NOT is_system_bot AND joined_at > :after AND joined_at <= :until ORDER BY id",
        member=int(Role.MEMBER),
        after=after,
        until=until,
    )
    return [_user(row) for row in rows]


def human_ids(tx: Tx) -> list[int]:
    """All accounts except bots, deactivated ones included."""
    return tx.column(
        "SELECT id FROM account WHERE realm_id = :realm AND bot_type IS NULL ORDER BY id"
    )


def active_guests(tx: Tx) -> list[User]:
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND role = :guest AND is_active"
        " ORDER BY id",
        guest=int(Role.GUEST),
    )
    return [_user(row) for row in rows]


def find_system_bot(tx: Tx, email: str) -> User | None:
    user = find_by_email(tx, email)
    return user if user is not None and user.is_system_bot else None


def users_with_setting(tx: Tx, setting: str) -> list[User]:
    """Users who have set a personal setting."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND settings LIKE :pattern"
        " ORDER BY id",
        pattern=f'%"{setting}"%',
    )
    return [_user(row) for row in rows]


def active_bots_of(tx: Tx, owner_id: int) -> list[User]:
    """The active bots of a user."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND bot_owner_id = :owner"
        " AND is_active ORDER BY id",
        owner=owner_id,
    )
    return [_user(row) for row in rows]


def is_only_person(tx: Tx, user_id: int) -> bool:
    """Whether no other active account belongs to a person."""
    return not tx.value(
        "SELECT count(*) AS value FROM account WHERE realm_id = :realm AND is_active"
        " AND bot_type IS NULL AND id <> :id",
        id=user_id,
    )


def names_in_use(tx: Tx, full_name: str) -> list[int]:
    """Active accounts with this name, in any case."""
    rows = tx.all("SELECT id, full_name FROM account WHERE realm_id = :realm AND is_active")
    wanted = full_name.casefold()
    return [row["id"] for row in rows if row["full_name"].casefold() == wanted]


def active_admin_ids(tx: Tx) -> list[int]:
    """Administrators and owners."""
    return tx.column(
        "SELECT id FROM account WHERE realm_id = :realm AND role <= :admin AND is_active"
        " AND bot_type IS NULL ORDER BY id",
        admin=int(Role.ADMINISTRATOR),
    )


def active_owner_ids(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT id FROM account WHERE realm_id = :realm AND role = :owner AND is_active"
        " AND bot_type IS NULL ORDER BY id",
        owner=int(Role.OWNER),
    )


def fingerprints(tx: Tx, user_ids: list[int] | None = None) -> dict[int, bytes]:
    """The key fingerprints of these users, or of all."""
    wanted = "" if user_ids is None else " AND id IN :ids"
    rows = tx.all(
        "SELECT id, key_hash FROM account"
        f" WHERE realm_id = :realm AND key_hash IS NOT NULL{wanted}",
        **({} if user_ids is None else {"ids": user_ids}),
    )
    return {row["id"]: bytes(row["key_hash"]) for row in rows}


def is_key_known(tx: Tx, fingerprint: bytes) -> bool:
    """Whether a key exists in any organization."""
    return tx.exists("SELECT 1 AS found FROM account WHERE key_hash = :hash", hash=fingerprint)


def password_hash(tx: Tx, user_id: int) -> str | None:
    found: str | None = tx.value(
        "SELECT password_hash AS value FROM account WHERE id = :id AND realm_id = :realm",
        id=user_id,
    )
    return found


def sealed_key(tx: Tx, user_id: int) -> bytes | None:
    sealed = tx.value(
        "SELECT key_sealed AS value FROM account WHERE id = :id AND realm_id = :realm", id=user_id
    )
    return None if sealed is None else bytes(sealed)


def insert(
    tx: Tx,
    *,
    email: str,
    full_name: str,
    role: Role,
    bot_type: BotType | None = None,
    bot_owner_id: int | None = None,
    is_system_bot: bool = False,
    password_hash: str | None = None,
    settings: dict[str, Any] | None = None,
    avatar_source: str = DRAWN,
) -> User:
    user_id = tx.insert_with_id(
        "account",
        email=email,
        email_key=domain.people.user.email_key(email),
        full_name=full_name,
        role=int(role),
        bot_type=None if bot_type is None else int(bot_type),
        bot_owner_id=bot_owner_id,
        is_system_bot=is_system_bot,
        joined_at=tx.now,
        password_hash=password_hash,
        settings=msgspec.json.encode(settings or {}).decode(),
        avatar_source=avatar_source,
    )
    user = find(tx, user_id)
    assert user is not None
    return user


def sealed_keys(tx: Tx) -> dict[int, bytes]:
    """All sealed keys."""
    rows = tx.all(
        "SELECT id, key_sealed FROM account WHERE realm_id = :realm AND key_sealed IS NOT NULL"
    )
    return {row["id"]: bytes(row["key_sealed"]) for row in rows}


def set_key(tx: Tx, user_id: int, fingerprint: bytes, sealed: bytes) -> None:
    tx.update("account", user_id, key_hash=fingerprint, key_sealed=sealed)


def set_role(tx: Tx, user_ids: list[int], role: Role) -> None:
    tx.execute(
        "UPDATE account SET role = :role WHERE realm_id = :realm AND id IN :ids",
        role=int(role),
        ids=user_ids,
    )


def set_active(tx: Tx, user_id: int, active: bool) -> None:
    tx.update("account", user_id, is_active=active)


def _user(row: Row) -> User:
    bot_type = row["bot_type"]
    return User(
        id=row["id"],
        realm_id=row["realm_id"],
        email=row["email"],
        full_name=row["full_name"],
        role=Role(row["role"]),
        is_active=bool(row["is_active"]),
        joined_at=row["joined_at"],
        bot_type=None if bot_type is None else BotType(bot_type),
        bot_owner_id=row["bot_owner_id"],
        is_system_bot=bool(row["is_system_bot"]),
        timezone=row["timezone"],
        avatar_source=row["avatar_source"],
        avatar_version=row["avatar_version"],
        avatar_name=row["avatar_name"],
        settings=msgspec.json.decode(row["settings"]),
        is_imported_stub=bool(row["is_imported_stub"]),
    )
