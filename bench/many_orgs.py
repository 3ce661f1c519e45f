"""Thousands of small organizations, copied row by row: creating them takes minutes."""

import re
from collections.abc import Iterator
from typing import Any

from bench.fixture import SECRET, BenchChannel
from bench.http_client import Login
from tertulia import actions, features, storage
from tertulia.database import BlockingDatabase
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault

NAMED_BY_ID = {"realm_id", "id"}

_NUMBER = re.compile(r"\d+")


def multiply(url: str, template: BenchChannel, count: int) -> list[BenchChannel]:
    """Copy the only organization this often; ana is in each of them."""
    database = BlockingDatabase.at(url)
    (realm,) = database.of(0).read(storage.organization.realms.list_all)
    database.of(realm.id).write(_run_background_work)
    return database.of(0).write(_multiply, template, count)


def _run_background_work(tx: Tx) -> None:
    """Do what a server does by itself after a while, so that a copy needs no further work."""
    storage.search.batch.index_messages(tx)
    actions.channels.channel_stats.count(tx, limit=100)
    features.outdated_renderings.finish(tx)
    storage.log.delete_up_to(tx, storage.log.head(tx) - 1)


def _multiply(tx: Tx, template: BenchChannel, count: int) -> list[BenchChannel]:
    vault = Vault(SECRET.encode())
    columns: dict[str, list[str]] = {}
    for row in tx.all(tx.dialect.sql.columns):
        columns.setdefault(row["table_name"], []).append(row["column_name"])
    references = {
        (row["table_name"], row["column_name"]): row["target"]
        for row in tx.all(tx.dialect.sql.declared_references)
    }
    rows = {
        table: tx.all(f"SELECT * FROM {table}")
        for table, names in columns.items()
        if "realm_id" in names or table == "realm"
    }
    rows["queue"] = []  # no listeners
    used = [table for table in _in_order(columns, references) if rows.get(table)]
    step = 1 + max(row["id"] for table in used if "id" in columns[table] for row in rows[table])
    for table in used:
        ids = {
            name for name in columns[table] if name in NAMED_BY_ID or (table, name) in references
        }
        tx.bulk.load_rows(
            table,
            columns[table],
            _copies(vault, table, columns[table], rows[table], ids, step, count),
        )
        if "id" in columns[table]:
            tx.bulk.allocate_ids(table)
    return [
        BenchChannel(f"o{number}.localhost", Login(template.login.email, _key(number)), "")
        for number in range(1, count + 1)
    ]


def _copies(
    vault: Vault,
    table: str,
    names: list[str],
    rows: list[Row],
    ids: set[str],
    step: int,
    count: int,
) -> Iterator[list[Any]]:
    for number in range(1, count + 1):
        away = number * step

        def shifted(match: re.Match[str], away: int = away) -> str:
            return str(int(match.group()) + away)

        for row in rows:
            values = {name: row[name] for name in names}
            for name in ids:
                if values[name] is not None:
                    values[name] += away
            if values.get("permissions"):
                values["permissions"] = _NUMBER.sub(shifted, values["permissions"])
            if table == "realm":
                values |= {"subdomain": f"o{number}", "uuid": f"{row['uuid'][:-8]}{number:08d}"}
            if values.get("key_hash") is not None:
                values["key_hash"] = vault.fingerprint(_key(number))
                values["key_sealed"] = vault.seal(_key(number))
            yield [values[name] for name in names]


def _key(number: int) -> str:
    return f"{number:032d}"


def _in_order(
    columns: dict[str, list[str]], references: dict[tuple[str, str], str]
) -> Iterator[str]:
    """Referenced tables come first."""
    waiting = {
        table: {
            target
            for (owner, _), target in references.items()
            if owner == table and target != table
        }
        for table in columns
    }
    while waiting:
        ready = sorted(table for table, targets in waiting.items() if not targets & waiting.keys())
        if not ready:
            raise AssertionError(f"tables refer to each other in a circle: {sorted(waiting)}")
        yield from ready
        for table in ready:
            del waiting[table]
