"""The state of the servers in parts: backup, disk, writes, database, leader, certificate and more.

A part has a state (good, look, fail, off) and facts; pages put the facts into words. Servers
describe themselves in reports (`server/status_reporter.py`), so any server can answer for all of
them.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from tertulia import domain, storage
from tertulia.actions.messages import notices
from tertulia.config import Config
from tertulia.database.tx import Tx
from tertulia.domain.server_report import (
    KEPT_SECONDS,
    BackupNote,
    EventCount,
    Facts,
    Sample,
    ServerReport,
    State,
    StatusPart,
    SyncNote,
)

SILENT_SECONDS = 120  # a server without a report for so long may have crashed
MIN_FREE_DISK_PERCENT = {"look": 25, "fail": 10}
CERTIFICATE_DAYS = {"look": 14, "fail": 3}
MAX_WAITING_MAILS = 100
HOUR_SECONDS = 3600
DAY_SECONDS = 86_400

# Log events of the last hour that say that a part does not work.
PROBLEM = {
    "mail": ("mail.send_failed_again", "mail.given_up", "mail.compose_failed"),
    "push": (
        "push.given_up",
        "push.send_failed",  # such as a key that does not open
        "push.service_failed",
        "push.registration_failed",
    ),
    "providers": ("sso.provider_unavailable", "ldap.unavailable"),
}


class ServerStatus(msgspec.Struct, frozen=True):
    """What is stored about all servers of a database."""

    now: float
    reports: list[ServerReport]  # of the last day, those of servers that have ended too
    samples: list[Sample]
    backup: BackupNote | None
    syncs: dict[str, SyncNote]  # by directory

    @property
    def running(self) -> list[ServerReport]:
        """Servers that have not ended: the newest report of each name."""
        newest: dict[str, ServerReport] = {}
        for report in sorted(self.reports, key=lambda each: each.seen_at):
            newest[report.name] = report
        found = [each for each in newest.values() if not each.has_stopped]
        return sorted(found, key=lambda each: each.name)

    def is_silent(self, report: ServerReport) -> bool:
        return self.now - report.seen_at > SILENT_SECONDS

    @property
    def leader(self) -> ServerReport | None:
        leading = [each for each in self.running if each.leader_since is not None]
        return max(leading, key=lambda each: each.seen_at, default=None)

    def log_counts(self) -> dict[str, EventCount]:
        """Warnings and errors of the last day by event, over all servers."""
        found: dict[str, EventCount] = {}
        first_hour = int(self.now - DAY_SECONDS) // HOUR_SECONDS + 1
        for report in self.reports:
            for event, count in report.log_counts.items():
                hours = {hour: n for hour, n in count.hours.items() if hour >= first_hour}
                if not hours:
                    continue
                known = found.setdefault(event, EventCount({}, 0.0))
                known.hours = dict(Counter(known.hours) + Counter(hours))
                known.last_at = max(known.last_at, count.last_at)
        return found

    def with_report(self, own: ServerReport) -> "ServerStatus":
        """The same with a newer report of one server."""
        others = [each for each in self.reports if each.id != own.id]
        return msgspec.structs.replace(self, reports=[*others, own])


def read(tx: Tx) -> ServerStatus:
    note = storage.server_values.find(tx, storage.server_values.LAST_BACKUP)
    syncs = storage.server_values.with_prefix(tx, storage.server_values.LDAP_SYNC)
    return ServerStatus(
        tx.now,
        storage.server_reports.reports(tx),
        storage.server_reports.samples(tx, tx.now - KEPT_SECONDS),
        None if note is None else msgspec.json.decode(note, type=BackupNote),
        {name: msgspec.json.decode(text, type=SyncNote) for name, text in syncs.items()},
    )


def store_report(tx: Tx, report: ServerReport, sample: Sample | None) -> None:
    storage.server_reports.store(tx, report)
    if sample is not None:
        storage.server_reports.store_sample(tx, report.id, sample)
        storage.server_reports.delete_before(tx, tx.now - KEPT_SECONDS)


def record_backup(tx: Tx, size_bytes: int) -> None:
    note = BackupNote(tx.now, size_bytes)
    storage.server_values.store(tx, storage.server_values.LAST_BACKUP, _json(note))


def record_failed_backup(tx: Tx, reason: str) -> None:
    """Keep the time of the last complete backup beside the failure."""
    text = storage.server_values.find(tx, storage.server_values.LAST_BACKUP)
    last = BackupNote(0.0, 0) if text is None else msgspec.json.decode(text, type=BackupNote)
    note = msgspec.structs.replace(last, failed_at=tx.now, reason=reason)
    storage.server_values.store(tx, storage.server_values.LAST_BACKUP, _json(note))


def record_sync(tx: Tx, directory: str, accounts: int, changed: int, reason: str = "") -> None:
    note = SyncNote(tx.now, accounts, changed, reason)
    storage.server_values.store(tx, storage.server_values.LDAP_SYNC + directory, _json(note))


# --- parts ---


def parts(status: ServerStatus, config: Config) -> list[StatusPart]:
    """Every part, those that need attention first."""
    found = [
        backup_part(status, config),
        disk_part(status),
        writes_part(status),
        database_part(status),
        leader_part(status),
        mail_part(status, config),
        push_part(status, config),
        ldap_part(status, config),
        providers_part(status, config),
        certificate_part(status),
        version_part(status),
    ]
    order: dict[State, int] = {"fail": 0, "look": 1, "good": 2, "off": 3}
    return sorted(found, key=lambda part: order[part.state])


def backup_part(status: ServerStatus, config: Config) -> StatusPart:
    note = status.backup or BackupNote(0.0, 0)
    age = status.now - note.at if note.at else None
    facts: Facts = {"age_seconds": age, "bytes": note.bytes, "reason": note.reason}
    limit = config.backup_warning_hours * HOUR_SECONDS
    if note.failed_at is not None:
        state: State = "fail"
    elif not limit:
        state = "good" if note.at else "off"
    elif age is None:
        state = "look"
    else:
        state = "good" if age <= limit else "look" if age <= 2 * limit else "fail"
    return StatusPart("backup", state, {**facts, "has_failed": note.failed_at is not None})


def disk_part(status: ServerStatus) -> StatusPart:
    known = [
        (each.disk_free_bytes, each.disk_total_bytes, each.name)
        for each in status.running
        if each.disk_free_bytes is not None and each.disk_total_bytes
    ]
    if not known:
        return StatusPart("disk", "off", {})
    free, total, name = min(known, key=lambda each: each[0] / each[1])
    percent = 100 * free / total
    state: State = (
        "fail"
        if percent < MIN_FREE_DISK_PERCENT["fail"]
        else "look"
        if percent < MIN_FREE_DISK_PERCENT["look"]
        else "good"
    )
    facts: Facts = {
        "used_percent": round(100 - percent, 1),
        "free_bytes": free,
        "total_bytes": total,
        "server": name,
        "full_in_seconds": _full_in_seconds(status.samples, free),
    }
    return StatusPart("disk", state, facts)


def writes_part(status: ServerStatus) -> StatusPart:
    known = [each for each in status.running if not status.is_silent(each)]
    if not known:
        return StatusPart("writes", "look", {})
    states: dict[str, State] = {"ok": "good", "waiting": "look", "failing": "fail"}
    rank = ["ok", "waiting", "failing"]
    worst = max(
        known, key=lambda each: (rank.index(each.writes.state), each.writes.milliseconds or 0)
    )
    facts: Facts = {
        "milliseconds": worst.writes.milliseconds,
        "tested_seconds_ago": (
            None if worst.writes.tested_at is None else status.now - worst.writes.tested_at
        ),
        "reason": worst.writes.reason,
        "server": worst.name,
    }
    state = states[worst.writes.state]
    if state == "good" and worst.writes.milliseconds is None:
        state = "look"  # not measured
    return StatusPart("writes", state, facts)


def database_part(status: ServerStatus) -> StatusPart:
    newest = max(status.running, key=lambda each: each.seen_at, default=None)
    if newest is None or not newest.database:
        return StatusPart("database", "look", {})
    facts: Facts = {"database": newest.database, "bytes": newest.database_bytes}
    return StatusPart("database", "good", facts)


def leader_part(status: ServerStatus) -> StatusPart:
    leader = status.leader
    if leader is None:
        return StatusPart("leader", "look", {})
    state: State = "look" if status.is_silent(leader) else "good"
    return StatusPart("leader", state, {"server": leader.name, "since": leader.leader_since})


def mail_part(status: ServerStatus, config: Config) -> StatusPart:
    if not config.sends_mail:
        return StatusPart("mail", "off", {})
    given_up = sum(each.mails_given_up for each in status.samples)
    waiting = sum(each.queues.get("mail", 0) for each in status.running)
    trouble = _problem(status, "mail")
    facts: Facts = {
        "sent": sum(each.mails_sent for each in status.samples),
        "given_up": given_up,
        "waiting": waiting,
        "event": trouble,
    }
    is_well = not trouble and not given_up and waiting <= MAX_WAITING_MAILS
    return StatusPart("mail", "good" if is_well else "look", facts)


def push_part(status: ServerStatus, config: Config) -> StatusPart:
    given_up = sum(each.pushes_given_up for each in status.samples)
    sent = sum(each.pushes_sent for each in status.samples)
    trouble = _problem(status, "push")
    facts: Facts = {
        "sent": sent,
        "given_up": given_up,
        "waiting": sum(each.queues.get("push", 0) for each in status.running),
        "event": trouble,
        "has_service": config.pushes,
        "has_https": config.has_https,
    }
    return StatusPart("push", "look" if trouble or given_up else "good", facts)


def ldap_part(status: ServerStatus, config: Config) -> StatusPart:
    synced = [each for each in config.ldap if each.sync_minutes]
    if not config.ldap:
        return StatusPart("ldap", "off", {})
    notes = {each.key: status.syncs.get(each.key) for each in synced}
    state: State = "good"
    failed = ""
    for each in synced:
        note = notes[each.key]
        if note is not None and note.reason:
            state, failed = "fail", each.key
        elif note is not None and status.now - note.at > 3 * each.sync_minutes * 60:
            state = "look" if state == "good" else state
    known = [note for note in notes.values() if note is not None]
    facts: Facts = {
        "accounts": sum(note.accounts for note in known),
        "synced_seconds_ago": (status.now - min(note.at for note in known) if known else None),
        "failed": failed,
    }
    return StatusPart("ldap", state, facts)


def providers_part(status: ServerStatus, config: Config) -> StatusPart:
    count = len(config.providers)
    if not count:
        return StatusPart("providers", "off", {})
    trouble = _problem(status, "providers")
    return StatusPart(
        "providers", "look" if trouble else "good", {"count": count, "event": trouble}
    )


def certificate_part(status: ServerStatus) -> StatusPart:
    known = [each.certificate_expires_at for each in status.running]
    expiries = [each for each in known if each]
    if not expiries:
        return StatusPart("certificate", "off", {})
    left = min(expiries) - status.now
    days = left / DAY_SECONDS
    state: State = (
        "fail"
        if days < CERTIFICATE_DAYS["fail"]
        else "look"
        if days < CERTIFICATE_DAYS["look"]
        else "good"
    )
    return StatusPart("certificate", state, {"left_seconds": left})


def newest_version(status: ServerStatus) -> str | None:
    return max((each.version for each in status.running), key=_version_key, default=None)


def version_part(status: ServerStatus) -> StatusPart:
    running = status.running
    versions = sorted({each.version for each in running}, key=_version_key)
    silent = sum(map(status.is_silent, running))
    facts: Facts = {
        "version": versions[-1] if versions else None,
        "older": versions[0] if len(versions) > 1 else None,
        "servers": len(running),
        "silent": silent,
    }
    return StatusPart("version", "look" if silent or len(versions) > 1 else "good", facts)


def _problem(status: ServerStatus, part: str) -> str:
    """The name of a log event of the last hour that concerns a part; empty if there is none."""
    counts = status.log_counts()
    for event in PROBLEM[part]:
        if event in counts and status.now - counts[event].last_at < HOUR_SECONDS:
            return event
    return ""


def _full_in_seconds(samples: Sequence[Sample], free: int) -> float | None:
    """When the disk is full if it goes on as in the last day; None if it does not fill up."""
    known = [(each.at, each.disk_free_bytes) for each in samples if each.disk_free_bytes]
    if len(known) < 2:
        return None
    (began, first), (ended, last) = known[0], known[-1]
    lost = (first or 0) - (last or 0)
    if lost <= 0 or ended - began < HOUR_SECONDS:
        return None
    return free * (ended - began) / lost


def _version_key(version: str) -> list[int]:
    return [int(number) for number in re.findall("[0-9]+", version)]


def _json(note: BackupNote | SyncNote) -> str:
    return msgspec.json.encode(note).decode()


WARNING_INTERVAL_SECONDS = 86400


def claim_disk_warning(tx: Tx) -> bool:
    """Whether this server warns of a full disk: only one server does, once a day."""
    last = storage.server_values.find(tx, storage.server_values.DISK_WARNING)
    if last is not None and tx.now - float(last) < WARNING_INTERVAL_SECONDS:
        return False
    storage.server_values.store(tx, storage.server_values.DISK_WARNING, str(tx.now))
    return True


def warn_owners(tx: Tx, folder: str, free_bytes: int, total_bytes: int) -> None:
    words = domain.messages.notices.disk_nearly_full(folder, free_bytes, total_bytes)
    for user_id in storage.people.users.active_owner_ids(tx):
        notices.send_to_user(tx, user_id, words)
