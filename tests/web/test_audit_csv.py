"""The audit log as a CSV file."""

import csv
import io

from tests.support.browser import Browser

from tertulia import actions
from tertulia.domain.organization.audit import Act
from tertulia.web import audit_csv


def rows(answer):
    return list(csv.DictReader(io.StringIO(answer.body.decode())))


def test_administrators_download_what_matches_the_filters(chat, owner, ben):
    owner.patch(f"/users/{ben.id}", role=300).succeeds()
    owner.patch("/realm", message_content_edit_limit_seconds=600).succeeds()
    browser = Browser.of(owner)

    everything = browser.opens("/audit_log.csv")
    people = browser.opens(f"/audit_log.csv?area=people&object=user/{ben.id}&failed=false&after=5")

    assert everything.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert everything.headers["Content-Disposition"] == 'attachment; filename="audit-log.csv"'
    assert [each["act"] for each in rows(everything)] == ["PATCH /realm", f"PATCH /users/{ben.id}"]
    (changed,) = rows(people)
    assert changed["actor"] == owner.get("/users/me").succeeds()["full_name"]
    assert changed["object"] == f"user/{ben.id}"
    assert changed["details"] == '{"role":"300","changes":{"role":[400,300]}}'
    assert changed["time"].endswith("Z")


def test_members_and_guests_cannot_download_the_log(chat, ben):
    assert Browser.of(ben).opens("/audit_log.csv").status == 400
    assert Browser(chat).opens("/audit_log.csv").status == 401


def test_invalid_filters_are_refused(owner):
    browser = Browser.of(owner)

    assert browser.opens("/audit_log.csv?area=weather").status == 400
    assert browser.opens("/audit_log.csv?after=yesterday").status == 400
    assert browser.opens(f"/audit_log.csv?actor_id={'9' * 20}").status == 400
    assert browser.opens("/audit_log.csv?search=%00").status == 400
    assert browser.opens("/audit_log.csv?object=user/%001").status == 400
    assert browser.opens(f"/audit_log.csv?search={'x' * 201}").status == 400


def test_a_long_log_is_read_in_batches(chat, owner, monkeypatch):
    monkeypatch.setattr(audit_csv, "ENTRIES_PER_READ", 2)
    for number in range(5):
        act = Act(f"PATCH /users/{number}", owner.id, "here")
        chat.write(actions.organization.audit.record, act)

    found = rows(Browser.of(owner).opens("/audit_log.csv"))

    assert [each["object"] for each in found] == [f"user/{n}" for n in (4, 3, 2, 1, 0)]


def test_no_cell_is_a_spreadsheet_formula(chat, owner):
    owner.patch("/settings", full_name="=HYPERLINK(1)").succeeds()
    owner.patch("/realm", message_content_edit_limit_seconds=600).succeeds()

    (row,) = rows(Browser.of(owner).opens("/audit_log.csv"))

    assert row["actor"] == "'=HYPERLINK(1)"
