"""Agents: registered programs, grants, codes, tokens and reading positions."""

from typing import Any

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.agents import Client, TokenKind
from tertulia.domain.people.grant import Grant
from tertulia.storage.row_mapper import RowMapper

_GRANT = (
    "g.id, g.user_id, g.agent, g.channels, g.direct_messages, g.presence, g.created_at,"
    " g.expires_at, g.used_at"
)

_UNUSED = "client_id NOT IN (SELECT client_id FROM agent_grant WHERE realm_id = :realm)"


class StoredCode(msgspec.Struct, frozen=True):
    fingerprint: bytes
    grant_id: int
    redirect_uri: str
    challenge: str
    expires_at: float
    used_at: float | None


class StoredToken(msgspec.Struct, frozen=True):
    fingerprint: bytes
    grant_id: int
    kind: str
    expires_at: float
    replaced_at: float | None
    successor_salt: bytes | None


class ReadPosition(msgspec.Struct, frozen=True):
    """How far an agent has confirmed to have read."""

    id: int
    name: str
    read_up_to: int


_CODES = RowMapper(StoredCode, "agent_code")
_TOKENS = RowMapper(StoredToken, "agent_token")
_POSITIONS = RowMapper(ReadPosition, "agent_position")


# --- clients ---


def insert_client(tx: Tx, client: Client, network: str) -> None:
    tx.insert_with_id(
        "agent_client",
        client_id=client.id,
        name=client.name,
        redirect_uris=msgspec.json.encode(client.redirect_uris).decode(),
        created_at=client.created_at,
        network=network,
    )


def find_client(tx: Tx, client_id: str) -> Client | None:
    row = tx.one(
        "SELECT client_id, name, redirect_uris, created_at FROM agent_client"
        " WHERE realm_id = :realm AND client_id = :client",
        client=client_id,
    )
    if row is None:
        return None
    uris = msgspec.json.decode(row["redirect_uris"], type=list[str])
    return Client(row["client_id"], row["name"], uris, row["created_at"])


def count_clients(tx: Tx) -> int:
    found: int = tx.value("SELECT count(*) AS value FROM agent_client WHERE realm_id = :realm")
    return found


def count_unused_clients(tx: Tx) -> dict[str, int]:
    """How many programs without a grant were registered from each network."""
    rows = tx.all(
        "SELECT network, count(*) AS clients FROM agent_client WHERE realm_id = :realm"
        f" AND {_UNUSED} GROUP BY network"
    )
    return {row["network"]: row["clients"] for row in rows}


def delete_unused_clients(tx: Tx, before: float) -> None:
    """Delete programs to which no user has given a grant."""
    tx.execute(
        f"DELETE FROM agent_client WHERE realm_id = :realm AND created_at < :before AND {_UNUSED}",
        before=before,
    )


def delete_oldest_unused_client(tx: Tx, network: str) -> None:
    tx.execute(
        "DELETE FROM agent_client WHERE realm_id = :realm AND client_id = (SELECT client_id"
        f" FROM agent_client WHERE realm_id = :realm AND network = :network AND {_UNUSED}"
        " ORDER BY created_at, client_id LIMIT 1)",
        network=network,
    )


# --- grants ---


def insert_grant(tx: Tx, client_id: str, grant: Grant) -> int:
    return tx.insert_with_id(
        "agent_grant",
        user_id=grant.user_id,
        client_id=client_id,
        agent=grant.agent,
        channels=msgspec.json.encode(grant.channels).decode(),
        direct_messages=grant.direct_messages,
        presence=grant.presence,
        created_at=grant.created_at,
        expires_at=grant.expires_at,
    )


def find_grant(tx: Tx, grant_id: int) -> Grant | None:
    row = tx.one(
        f"SELECT {_GRANT} FROM agent_grant g WHERE g.id = :id AND g.realm_id = :realm", id=grant_id
    )
    return None if row is None else _grant(row)


def client_of(tx: Tx, grant_id: int) -> str | None:
    found: str | None = tx.value(
        "SELECT client_id AS value FROM agent_grant WHERE id = :id AND realm_id = :realm",
        id=grant_id,
    )
    return found


def grants(tx: Tx, now: float, user_id: int | None = None) -> list[Grant]:
    """The grants of the organization or of one user that have not ended by `now`, newest first."""
    of_user = "" if user_id is None else " AND g.user_id = :user"
    rows = tx.all(
        f"SELECT {_GRANT} FROM agent_grant g WHERE g.realm_id = :realm{of_user}"
        " AND (g.expires_at IS NULL OR g.expires_at > :now) ORDER BY g.id DESC",
        now=now,
        **({} if user_id is None else {"user": user_id}),
    )
    return [_grant(row) for row in rows]


def touch_grant(tx: Tx, grant_id: int) -> None:
    tx.execute(
        "UPDATE agent_grant SET used_at = :now WHERE id = :id AND realm_id = :realm",
        id=grant_id,
        now=tx.now,
    )


def delete_grant(tx: Tx, grant_id: int) -> None:
    for table in ("agent_code", "agent_token", "agent_position"):
        tx.execute(f"DELETE FROM {table} WHERE grant_id = :id AND realm_id = :realm", id=grant_id)
    tx.execute("DELETE FROM agent_grant WHERE id = :id AND realm_id = :realm", id=grant_id)


def ended_grants(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT id FROM agent_grant WHERE realm_id = :realm AND expires_at <= :now", now=tx.now
    )


def _grant(row: Row) -> Grant:
    return Grant(
        id=row["id"],
        user_id=row["user_id"],
        agent=row["agent"],
        channels=msgspec.json.decode(row["channels"], type=dict[int, bool]),
        direct_messages=bool(row["direct_messages"]),
        presence=bool(row["presence"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        used_at=row["used_at"],
    )


# --- codes and tokens ---


def insert_code(tx: Tx, code: StoredCode) -> None:
    _insert(tx, "agent_code", code)


def find_code(tx: Tx, fingerprint: bytes) -> StoredCode | None:
    return _CODES.find(tx, fingerprint=fingerprint)


def use_code(tx: Tx, fingerprint: bytes) -> None:
    tx.execute(
        "UPDATE agent_code SET used_at = :now WHERE fingerprint = :code AND realm_id = :realm",
        code=fingerprint,
        now=tx.now,
    )


def insert_token(
    tx: Tx, fingerprint: bytes, grant_id: int, kind: TokenKind, expires_at: float
) -> None:
    _insert(tx, "agent_token", StoredToken(fingerprint, grant_id, kind, expires_at, None, None))


def find_token(tx: Tx, fingerprint: bytes) -> StoredToken | None:
    return _TOKENS.find(tx, fingerprint=fingerprint)


def replace_token(tx: Tx, fingerprint: bytes, salt: bytes) -> None:
    """Mark a refresh token as exchanged for the one that the salt gives."""
    tx.execute(
        "UPDATE agent_token SET replaced_at = :now, successor_salt = :salt"
        " WHERE fingerprint = :token AND realm_id = :realm",
        token=fingerprint,
        now=tx.now,
        salt=salt,
    )


def delete_expired_tokens(tx: Tx, grant_id: int) -> None:
    tx.execute(
        "DELETE FROM agent_token WHERE grant_id = :id AND realm_id = :realm AND expires_at <= :now",
        id=grant_id,
        now=tx.now,
    )


def _insert(tx: Tx, table: str, row: Any) -> None:
    values = msgspec.structs.asdict(row)
    names = ", ".join(values)
    placeholders = ", ".join(f":{name}" for name in values)
    tx.execute(f"INSERT INTO {table} (realm_id, {names}) VALUES (:realm, {placeholders})", **values)


# --- reading positions ---


def find_position(tx: Tx, user_id: int, grant_id: int | None, name: str) -> ReadPosition | None:
    return _POSITIONS.one(
        tx,
        "FROM agent_position WHERE realm_id = :realm AND user_id = :user AND name = :name"
        " AND coalesce(grant_id, 0) = :grant",
        user=user_id,
        name=name,
        grant=grant_id or 0,
    )


def count_positions(tx: Tx, user_id: int) -> int:
    found: int = tx.value(
        "SELECT count(*) AS value FROM agent_position WHERE realm_id = :realm AND user_id = :user",
        user=user_id,
    )
    return found


def insert_position(tx: Tx, user_id: int, grant_id: int | None, name: str, read_up_to: int) -> None:
    tx.insert_with_id(
        "agent_position",
        user_id=user_id,
        grant_id=grant_id,
        name=name,
        read_up_to=read_up_to,
    )


def move_position(tx: Tx, position_id: int, read_up_to: int) -> None:
    tx.execute(
        "UPDATE agent_position SET read_up_to = :after"
        " WHERE id = :id AND realm_id = :realm AND read_up_to < :after",
        id=position_id,
        after=read_up_to,
    )
