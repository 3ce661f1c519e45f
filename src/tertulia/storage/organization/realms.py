"""Organizations."""

from typing import Any

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import REALM_PERMISSIONS, GroupValue
from tertulia.domain.organization.realm import Realm
from tertulia.storage.row_mapper import RowMapper


def list_all(tx: Tx) -> list[Realm]:
    return _REALMS.all(tx, "FROM realm ORDER BY id")


def first(tx: Tx) -> Realm | None:
    return _REALMS.one(tx, "FROM realm ORDER BY id LIMIT 1")


def find(tx: Tx, realm_id: int) -> Realm | None:
    return _REALMS.one(tx, "FROM realm WHERE id = :id", id=realm_id)


def number_at(tx: Tx, subdomain: str) -> int | None:
    found: int | None = tx.value(
        "SELECT id AS value FROM realm WHERE subdomain = :subdomain", subdomain=subdomain
    )
    return found


def with_address(tx: Tx, email: str) -> list[Realm]:
    """Organizations in which a user has this address."""
    return _REALMS.all(
        tx,
        "FROM realm WHERE id IN (SELECT realm_id FROM account WHERE email_key = :key) ORDER BY id",
        key=domain.people.user.email_key(email),
    )


def current(tx: Tx) -> Realm:
    """The organization of this transaction."""
    realm = find(tx, tx.realm_id)
    assert realm is not None
    return realm


def subdomain_taken(tx: Tx, subdomain: str) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM realm WHERE subdomain = :subdomain", subdomain=subdomain
    )


def insert(tx: Tx, subdomain: str, name: str, uuid: str) -> int:
    realm_id = tx.number(
        "INSERT INTO realm (subdomain, name, uuid, created_at)"
        " VALUES (:subdomain, :name, :uuid, :now) RETURNING id AS value",
        subdomain=subdomain,
        name=name,
        uuid=uuid,
        now=tx.now,
    )
    tx.execute(
        "INSERT INTO log_head (realm_id, seq, epoch) SELECT :realm, 0, id FROM installation",
        realm=realm_id,
    )
    return realm_id


def render_version(tx: Tx) -> int:
    """The version of the renderer that all messages were rendered with, or a newer one."""
    return tx.number("SELECT render_version AS value FROM realm WHERE id = :id", id=tx.realm_id)


def set_render_version(tx: Tx, version: int) -> None:
    tx.execute(
        "UPDATE realm SET render_version = :version WHERE id = :id", version=version, id=tx.realm_id
    )


def rename(tx: Tx, name: str) -> None:
    tx.execute("UPDATE realm SET name = :name WHERE id = :id", name=name, id=tx.realm_id)


def set_deactivated(tx: Tx, deactivated: bool) -> None:
    tx.execute(
        "UPDATE realm SET deactivated = :deactivated WHERE id = :id",
        deactivated=deactivated,
        id=tx.realm_id,
    )


def set_setting(tx: Tx, name: str, value: Any) -> None:
    values = dict(current(tx).settings)
    values[name] = value
    tx.execute(
        "UPDATE realm SET settings = :settings WHERE id = :id",
        settings=msgspec.json.encode(values).decode(),
        id=tx.realm_id,
    )


def full_members_announced_at(tx: Tx) -> float:
    announced_at: float = tx.value(
        "SELECT full_members_announced_at AS value FROM realm WHERE id = :id", id=tx.realm_id
    )
    return announced_at


def set_full_members_announced(tx: Tx) -> None:
    tx.execute(
        "UPDATE realm SET full_members_announced_at = :now WHERE id = :id",
        now=tx.now,
        id=tx.realm_id,
    )


def _settings(text: str) -> dict[str, Any]:
    """Settings by name; permissions with direct members are decoded to their type."""
    values: dict[str, Any] = msgspec.json.decode(text)
    for name in values.keys() & REALM_PERMISSIONS.keys():
        values[name] = msgspec.convert(values[name], GroupValue)
    return values


_REALMS = RowMapper(Realm, readings={"settings": _settings, "pictures": msgspec.json.decode})
