"""The status of the servers: which state each part has, by what servers and commands noted."""

from typing import Any

import pytest

from tertulia import actions
from tertulia.actions.server_status import ServerStatus
from tertulia.config import Config
from tertulia.config.login_providers import LdapDirectory
from tertulia.domain.server_report import (
    BackupNote,
    EventCount,
    Sample,
    ServerReport,
    SyncNote,
    Writes,
)

NOW = 1_800_000_000.0
HOUR, DAY = 3600, 86_400
GIB = 1 << 30


def report(**facts):
    known: dict[str, Any] = {
        "id": "a1",
        "name": "chat-1:9009",
        "version": "0.3.0",
        "started_at": NOW - DAY,
        "seen_at": NOW,
        "leader_since": NOW - DAY,
        "writes": Writes("ok", None, 4.0, NOW),
        "connections": 7,
        "memory_bytes": 80 << 20,
        "processor_percent": 2.0,
        "disk_free_bytes": 30 * GIB,
        "disk_total_bytes": 40 * GIB,
        "certificate_expires_at": NOW + 60 * DAY,
        "database": "SQLite 3.45",
        "database_bytes": GIB,
        "queues": {"mail": 0},
        "job_failures": {},
        "log_counts": {},
        "slow_requests": [],
    }
    return ServerReport(**known | facts)


def sample(hours_ago, **facts):
    known: dict[str, Any] = {
        "sent_messages": 0,
        "response_times": [],
        "connections": 0,
        "memory_bytes": 0,
        "disk_free_bytes": 30 * GIB,
        "mails_sent": 0,
        "mails_given_up": 0,
        "pushes_sent": 0,
        "pushes_given_up": 0,
    }
    return Sample(at=NOW - hours_ago * HOUR, **known | facts)


def status(*reports, samples=(), backup=BackupNote(NOW - HOUR, 10), syncs=None):
    return ServerStatus(NOW, list(reports) or [report()], list(samples), backup, syncs or {})


def state(name, found, **settings):
    parts = {each.name: each for each in actions.server_status.parts(found, Config(**settings))}
    return parts[name].state


MAIL = {"smtp_host": "mail.example.com", "external_url": "https://chat.example.com"}
LDAP = {"ldap": (LdapDirectory(name="corp", url="ldap://x", base="dc=x", sync_minutes=15),)}


def noticed(event, seconds_ago):
    at = NOW - seconds_ago
    return report(log_counts={event: EventCount({int(at) // HOUR: 3}, at)})


@pytest.mark.parametrize(
    ("name", "found", "settings", "expected"),
    [
        ("backup", status(), {}, "good"),
        ("backup", status(backup=None), {}, "look"),
        ("backup", status(backup=None), {"backup_warning_hours": 0}, "off"),
        ("backup", status(backup=BackupNote(NOW - 27 * HOUR, 1)), {}, "look"),
        ("backup", status(backup=BackupNote(NOW - 53 * HOUR, 1)), {}, "fail"),
        ("backup", status(backup=BackupNote(NOW - HOUR, 1, NOW, "full")), {}, "fail"),
        ("disk", status(), {}, "good"),
        ("disk", status(report(disk_free_bytes=8 * GIB)), {}, "look"),
        ("disk", status(report(disk_free_bytes=3 * GIB)), {}, "fail"),
        ("disk", status(report(disk_free_bytes=None, disk_total_bytes=None)), {}, "off"),
        ("writes", status(), {}, "good"),
        ("writes", status(report(writes=Writes("waiting"))), {}, "look"),
        ("writes", status(report(writes=Writes("failing", "SQLITE_FULL"))), {}, "fail"),
        ("leader", status(), {}, "good"),
        ("leader", status(report(leader_since=None)), {}, "look"),
        ("leader", status(report(seen_at=NOW - 200)), {}, "look"),
        ("mail", status(), {}, "off"),
        ("mail", status(), MAIL, "good"),
        ("mail", status(report(queues={"mail": 101})), MAIL, "look"),
        ("mail", status(samples=[sample(3, mails_given_up=1)]), MAIL, "look"),
        ("mail", status(noticed("mail.given_up", 60)), MAIL, "look"),
        ("mail", status(noticed("mail.given_up", 2 * HOUR)), MAIL, "good"),
        ("push", status(), {}, "good"),
        ("push", status(samples=[sample(3, pushes_given_up=1)]), {}, "look"),
        ("ldap", status(), {}, "off"),
        ("ldap", status(), LDAP, "good"),
        ("ldap", status(syncs={"ldap:corp": SyncNote(NOW - 60, 9, 0)}), LDAP, "good"),
        ("ldap", status(syncs={"ldap:corp": SyncNote(NOW - HOUR, 9, 0)}), LDAP, "look"),
        ("ldap", status(syncs={"ldap:corp": SyncNote(NOW - 60, 9, 0, "no")}), LDAP, "fail"),
        ("providers", status(), {}, "off"),
        ("providers", status(), LDAP, "good"),
        ("providers", status(noticed("ldap.unavailable", 60)), LDAP, "look"),
        ("certificate", status(), {}, "good"),
        ("certificate", status(report(certificate_expires_at=None)), {}, "off"),
        ("certificate", status(report(certificate_expires_at=NOW + 13 * DAY)), {}, "look"),
        ("certificate", status(report(certificate_expires_at=NOW + DAY)), {}, "fail"),
        ("version", status(), {}, "good"),
        ("version", status(report(), report(id="b", name="b", version="0.2.9")), {}, "look"),
        ("version", status(report(), report(id="b", name="b", seen_at=NOW - 200)), {}, "look"),
    ],
)
def test_each_part_has_a_state(name, found, settings, expected):
    assert state(name, found, **settings) == expected


def test_parts_that_need_attention_come_first():
    found = status(report(disk_free_bytes=GIB), backup=None)

    parts = actions.server_status.parts(found, Config())

    assert [(each.name, each.state) for each in parts[:2]] == [("disk", "fail"), ("backup", "look")]


def test_a_restarted_server_replaces_its_former_report_and_a_stopped_one_is_not_shown():
    before = report(id="a0", seen_at=NOW - 600)
    stopped = report(id="b", name="chat-2:9009", has_stopped=True, seen_at=NOW - 60)

    found = status(before, report(), stopped)

    assert [each.id for each in found.running] == ["a1"]


def test_log_counts_are_added_up_over_servers_for_one_day():
    hour = int(NOW) // HOUR
    first = report(log_counts={"mail.given_up": EventCount({hour: 2, hour - 30: 50}, NOW)})
    other = report(
        id="b",
        name="chat-2",
        log_counts={"mail.given_up": EventCount({hour: 3, hour - 5: 1}, NOW - 9)},
    )

    (found,) = status(first, other).log_counts().items()

    assert found == ("mail.given_up", EventCount({hour: 5, hour - 5: 1}, NOW))


def test_a_disk_that_fills_up_says_when_it_is_full():
    falling = [sample(10, disk_free_bytes=31 * GIB), sample(0, disk_free_bytes=30 * GIB)]

    parts = actions.server_status.parts(status(samples=falling), Config())

    (disk,) = [each for each in parts if each.name == "disk"]
    assert disk.facts["full_in_seconds"] == pytest.approx(300 * HOUR)
    assert disk.facts["used_percent"] == 25


def test_a_failed_backup_keeps_the_time_of_the_last_complete_one(own_chat):
    own_chat.write(lambda tx: actions.server_status.record_backup(tx, 123))
    own_chat.server.clock.move(hours=1)
    own_chat.write(lambda tx: actions.server_status.record_failed_backup(tx, "No space left"))

    found = own_chat.read(actions.server_status.read)

    assert found.backup.bytes == 123
    assert found.backup.failed_at == pytest.approx(found.backup.at + HOUR, abs=5)
    assert found.backup.reason == "No space left"


def test_every_server_reports_itself_and_any_server_answers_for_all(two_servers):
    chat, other = two_servers
    ana = chat.person("ana", channels=["kitchen"])
    for server in (chat.server, other):
        server.run_job("status report")
    ana.says("soup", to="kitchen > lunch")

    found = other.status()

    ids = {each.id for each in found.reports}
    assert len(ids) == 2
    assert all(each.version for each in found.reports)
    assert [each for each in found.reports if each.writes.state != "ok"] == []
    assert found.reports[0].database.startswith("PostgreSQL 1")


def test_reports_and_samples_are_kept_for_a_day(own_chat):
    server = own_chat.server

    def counts():
        return own_chat.read(
            lambda tx: (
                tx.number("SELECT count(*) AS value FROM server_report"),
                tx.number("SELECT count(*) AS value FROM server_sample"),
            )
        )

    for _ in range(3):
        server.run_job("status report")
        server.clock.move(minutes=5)
    assert counts() == (1, 3)
    server.run_job("status report")
    server.run_job("status report")
    assert counts() == (1, 4)

    server.clock.move(hours=25)
    server.run_job("status report")
    assert counts() == (1, 1)
