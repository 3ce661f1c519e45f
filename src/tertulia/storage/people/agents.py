"""Agents: registered programs, grants, codes, tokens and reading positions."""

import msgspec
from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.people.agents import Client, TokenKind
from tertulia.domain.people.grant import Grant
from tertulia.storage.row_mapper import RowMapper

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


_GRANTS = RowMapper(
    Grant,
    "agent_grant",
    readings={"channels": msgspec.json.Decoder(dict[int, bool]).decode},
)
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
    return tx.count_rows("agent_client")


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
    return _GRANTS.find(tx, id=grant_id)


def client_of(tx: Tx, grant_id: int) -> str | None:
    found: str | None = tx.value(
        "SELECT client_id AS value FROM agent_grant WHERE id = :id AND realm_id = :realm",
        id=grant_id,
    )
    return found


def grants(tx: Tx, now: float, user_id: int | None = None) -> list[Grant]:
    """The grants of the organization or of one user that have not ended by `now`, newest first."""
    of_user = {} if user_id is None else {"user_id": user_id}
    found = _GRANTS.where(tx, "id DESC", **of_user)
    return [each for each in found if not each.has_ended(now)]


def touch_grant(tx: Tx, grant_id: int) -> None:
    tx.update("agent_grant", grant_id, used_at=tx.now)


def delete_grant(tx: Tx, grant_id: int) -> None:
    for table in ("agent_code", "agent_token", "agent_position"):
        tx.delete(table, grant_id=grant_id)
    tx.delete("agent_grant", id=grant_id)


def ended_grants(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT id FROM agent_grant WHERE realm_id = :realm AND expires_at <= :now", now=tx.now
    )


# --- codes and tokens ---


def insert_code(tx: Tx, code: StoredCode) -> None:
    tx.insert_row("agent_code", **asdict(code))


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
    token = StoredToken(fingerprint, grant_id, kind, expires_at, None, None)
    tx.insert_row("agent_token", **asdict(token))


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
    return tx.count_rows("agent_position", user_id=user_id)


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
