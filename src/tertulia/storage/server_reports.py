"""Reports and samples of the running servers, for the operator's page."""

from typing import TypeVar

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.server_report import Sample, ServerReport

T = TypeVar("T")


def store(tx: Tx, report: ServerReport) -> None:
    tx.execute(
        "INSERT INTO server_report (id, seen_at, report) VALUES (:id, :seen, :report)"
        " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report",
        id=report.id,
        seen=report.seen_at,
        report=msgspec.json.encode(report).decode(),
    )


def store_sample(tx: Tx, server_id: str, sample: Sample) -> None:
    tx.execute(
        "INSERT INTO server_sample (server_id, at, sample) VALUES (:server, :at, :sample)"
        " ON CONFLICT (server_id, at) DO UPDATE SET sample = excluded.sample",
        server=server_id,
        at=sample.at,
        sample=msgspec.json.encode(sample).decode(),
    )


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute("DELETE FROM server_report WHERE seen_at < :moment", moment=moment)
    tx.execute("DELETE FROM server_sample WHERE at < :moment", moment=moment)


def reports(tx: Tx) -> list[ServerReport]:
    """The last report of every server. Reports of another version that cannot be read are
    skipped."""
    rows = tx.all("SELECT report AS value FROM server_report ORDER BY id")
    return _decoded(rows, ServerReport)


def samples(tx: Tx, since: float) -> list[Sample]:
    """The samples of all servers, in order of time."""
    rows = tx.all(
        "SELECT sample AS value FROM server_sample WHERE at >= :since ORDER BY at", since=since
    )
    return _decoded(rows, Sample)


def database_version(tx: Tx) -> str:
    return str(tx.value(tx.dialect.sql.version))


def _decoded(rows: list[Row], kind: type[T]) -> list[T]:
    found = []
    for row in rows:
        try:
            found.append(msgspec.json.decode(row["value"], type=kind))
        except msgspec.ValidationError:
            continue
    return found
