"""Accounts of people and bots."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.people.user import DRAWN, BotType, Role, User

_COLUMNS = ", ".join(User.__struct_fields__)
_ROLES = {int(role): role for role in Role}


def find(tx: Tx, user_id: int) -> User | None:
    return next(iter(_select(tx, "id = :id", id=user_id)), None)


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
    # Compat: before schema 130 servers stored casefolded keys, and may still do so beside us.
    found = _select(tx, "email_key IN :keys", keys=sorted({key, key.casefold()}))
    return next((user for user in found if domain.people.user.email_key(user.email) == key), None)


def find_many(tx: Tx, user_ids: list[int]) -> list[User]:
    return _select(tx, "id IN :ids", ids=user_ids)


def usable_ids(tx: Tx, user_ids: list[int]) -> list[int]:
    """Those of the accounts that are active, without our own bots."""
    return tx.ids(
        "SELECT id FROM account WHERE realm_id = :realm AND id IN :users AND is_active"
        " AND NOT is_system_bot",
        users=user_ids,
    )


def list_all(tx: Tx) -> list[User]:
    return _select(tx, "TRUE")


def members_joined_between(tx: Tx, after: float, until: float) -> list[User]:
    """Active accounts with the role of a member that were created in this time."""
    return _select(
        tx,
        "role = :member AND is_active AND NOT is_system_bot AND joined_at > :after"
        " AND joined_at <= :until",
        member=int(Role.MEMBER),
        after=after,
        until=until,
    )


def human_ids(tx: Tx) -> list[int]:
    """All accounts except bots, deactivated ones included."""
    return tx.column(
        "SELECT id FROM account WHERE realm_id = :realm AND bot_type IS NULL ORDER BY id"
    )


def active_guests(tx: Tx) -> list[User]:
    return _select(tx, "role = :guest AND is_active", guest=int(Role.GUEST))


def find_system_bot(tx: Tx, email: str) -> User | None:
    user = find_by_email(tx, email)
    return user if user is not None and user.is_system_bot else None


def users_with_setting(tx: Tx, setting: str) -> list[User]:
    """Users who have set a personal setting."""
    return _select(tx, "settings LIKE :pattern", pattern=f'%"{setting}"%')


def active_bots_of(tx: Tx, owner_id: int) -> list[User]:
    """The active bots of a user."""
    return _select(tx, "bot_owner_id = :owner AND is_active", owner=owner_id)


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


def set_active(tx: Tx, user_ids: list[int], active: bool) -> None:
    tx.execute(
        "UPDATE account SET is_active = :active WHERE realm_id = :realm AND id IN :ids",
        active=active,
        ids=user_ids,
    )


def _select(tx: Tx, condition: str, **params: Any) -> list[User]:
    """The accounts that match, in the order of their ids."""
    rows = tx.tuples(
        f"SELECT {_COLUMNS} FROM account WHERE realm_id = :realm AND {condition} ORDER BY id",
        **params,
    )
    return [_user(row) for row in rows]


def _user(row: Sequence[Any]) -> User:
    """There may be thousands, so the columns are converted one by one."""
    user_id, realm_id, email, name, role, is_active, joined_at, bot_type = row[:8]
    owner_id, is_system_bot, timezone, source, version, avatar, settings, is_stub = row[8:]
    return User(
        *(user_id, realm_id, email, name, _ROLES[role], bool(is_active), joined_at),
        None if bot_type is None else BotType(bot_type),
        *(owner_id, bool(is_system_bot), timezone, source, version, avatar),
        {} if settings == "{}" else msgspec.json.decode(settings),
        bool(is_stub),
    )


def update(tx: Tx, user_id: int, **columns: Any) -> None:
    """Change columns that nothing else follows from."""
    tx.update("account", user_id, **columns)


def set_settings(tx: Tx, user_id: int, settings: dict[str, Any]) -> None:
    tx.update("account", user_id, settings=msgspec.json.encode(settings).decode())


def set_email(tx: Tx, user_id: int, email: str) -> None:
    tx.update("account", user_id, email=email, email_key=domain.people.user.email_key(email))
