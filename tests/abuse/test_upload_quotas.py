"""Upload quotas limit the disk space of an organization and of a user."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.files import form, own, sends_form, uploads
from tests.support.people import Chat, Person

from tertulia import storage
from tertulia.actions.files.upload import UploadWriter
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES, Quota
from tertulia.errors.files import UploadQuotaReached
from tertulia.jobs.housekeeping import purge_kept_messages

HALF = b"x" * (1 << 19)
FULL = "Upload would exceed your organization's upload quota."
OWN_FULL = "Upload would exceed your upload quota."


def fills(person: Person, data: bytes = HALF):
    return sends_form(person, form(("tide.txt", data)))


def test_uploads_of_an_organization_are_limited(start_server):
    server = start_server(upload_quota_mib=1)
    chat, other = Chat.found(server), Chat.found(server)
    ana, ben = chat.people("ana", "ben")
    assert ana.registers()["realm_upload_quota_mib"] == 1
    first = uploads(ana, data=HALF)
    uploads(ben, data=HALF)

    fills(ana, b"x").fails(FULL, code="REALM_UPLOAD_QUOTA")

    fills(other.person("cleo")).succeeds()
    ana.delete(f"/attachments/{own(ana)[0]['id']}").succeeds()
    assert uploads(ben, data=HALF).url != first.url


def test_uploads_of_a_user_and_their_bots_are_limited(start_server):
    chat = Chat.found(start_server(user_upload_quota_mib=1))
    ana, ben = chat.people("ana", "ben")
    bot = chat.person("echo", bot="generic", owner=ana)
    uploads(ana, data=HALF)
    uploads(bot, data=HALF)

    for person in (ana, bot):
        fills(person, b"x").fails(OWN_FULL, code="REALM_UPLOAD_QUOTA")

    uploads(ben, data=HALF)
    assert ana.registers()["realm_upload_quota_mib"] is None


@pytest.mark.parametrize(
    ("settings", "error"),
    [({"upload_quota_mib": 1}, FULL), ({"user_upload_quota_mib": 1}, OWN_FULL)],
)
def test_files_of_deleted_messages_do_not_fill_the_disk(start_server, settings, error):
    chat = Chat.found(start_server(**settings))
    owner = chat.person("owner", role="owner")
    owner.patch("/realm", deleted_message_grace_days=1).succeeds()
    ana = chat.person("ana", channels=["kitchen"])

    for _ in range(2):
        message = ana.says(uploads(ana, data=HALF).link, to="kitchen > tide")
        ana.delete(f"/messages/{message.id}").succeeds()

    assert own(ana) == []
    fills(ana).fails(error, code="REALM_UPLOAD_QUOTA")
    chat.server.clock.move(hours=25)
    chat.server.do(purge_kept_messages(chat.server.database))
    fills(ana).succeeds()


def test_files_that_only_a_legal_hold_keeps_do_not_refuse_uploads(start_server):
    chat = Chat.found(start_server(user_upload_quota_mib=1, upload_quota_mib=1))
    owner = chat.person("owner", role="owner")
    ana = chat.person("ana", channels=["kitchen"])
    owner.post("/realm/legal_holds", reason="Case 4711", held_user_ids=[ana.id]).succeeds()

    for _ in range(3):
        message = ana.says(uploads(ana, data=HALF).link, to="kitchen > tide")
        ana.delete(f"/messages/{message.id}").succeeds()

    fills(ana).succeeds()


def test_simultaneous_uploads_together_stay_within_the_quota(start_server):
    chat = Chat.found(start_server(upload_quota_mib=1))
    people = chat.people(*(f"person{number}" for number in range(8)))

    with ThreadPoolExecutor(8) as threads:
        responses = list(threads.map(fills, people))

    assert sorted(response.status for response in responses) == [200] * 2 + [400] * 6
    assert chat.read(storage.files.attachments.space_used) == 2 * len(HALF)
    assert chat.read(storage.data_check.file_problems) == []


def test_unfinished_uploads_count_for_the_quota(start_server):
    """Many unfinished uploads do not fill the disk beyond the quota."""
    chat = Chat.found(start_server(upload_quota_mib=1))
    ana = chat.person("ana")
    database = chat.server.database.of(chat.realm.id)
    announced = 600_000
    begun = [UploadWriter(database, ana.record, 25, Quota(1, 0), announced) for _ in range(2)]
    piece = b"x" * (PIECE_BYTES + 1)
    for each in begun:
        chat.server.do(each.write(piece))

    fills(ana).fails(FULL, code="REALM_UPLOAD_QUOTA")
    unannounced = UploadWriter(database, ana.record, 25, Quota(1, 0))
    with pytest.raises(UploadQuotaReached):
        chat.server.do(unannounced.write(piece))

    chat.server.do(begun[0].abort())
    fills(ana).succeeds()


def test_a_too_large_upload_is_not_stored_as_a_whole(start_server):
    chat = Chat.found(start_server(upload_quota_mib=1))
    ana = chat.person("ana")

    fills(ana, b"x" * 20 * (1 << 20)).fails(FULL, code="REALM_UPLOAD_QUOTA")

    assert chat.read(most_positions) <= (1 << 20) // PIECE_BYTES


def most_positions(tx: Tx) -> int:
    found = tx.value("SELECT max(position) + 1 AS value FROM upload_piece")
    return int(found or 0)
