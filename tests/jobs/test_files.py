"""Uploaded files over time: what is kept, and what is deleted."""

import socket

import pytest
from tests.support.files import FORM, File, fetches, form, own, uploads
from tests.support.waiting import eventually

from tertulia.actions.files.upload import UploadWriter
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES, Quota
from tertulia.errors.files import UploadExpired

MUCH = b"tide" * PIECE_BYTES * 2  # eight pieces


def stored(chat) -> int:
    """How many pieces an organization has."""

    def count(tx: Tx) -> int:
        return int(
            tx.value(
                "SELECT (SELECT count(*) FROM upload WHERE realm_id = :realm)"
                " + (SELECT count(*) FROM upload_piece WHERE realm_id = :realm) AS value",
                realm=tx.realm_id,
            )
        )

    found: int = chat.read(count)
    return found


def begun(chat, person) -> UploadWriter:
    """An unfinished upload."""
    receiving = UploadWriter(chat.server.database.of(chat.realm.id), person.record, 25, Quota())
    chat.server.do(receiving.write(MUCH))
    return receiving


def test_the_bytes_of_a_deleted_file_are_deleted_soon(chat, in_kitchen, ana):
    file, kept = uploads(ana, data=MUCH), uploads(ana, data=b"x")
    message = ana.says(file.link + kept.link, to="kitchen > tides")
    ana.says(kept.link, to="kitchen > tides")
    assert stored(chat) == 1 + 8 + 2

    ana.delete(f"/messages/{message.id}").succeeds()
    chat.run_housekeeping()

    assert stored(chat) == 2
    assert fetches(ana, kept).body == b"x"


def test_an_unfinished_upload_is_deleted_after_an_hour(chat, ana):
    receiving = begun(chat, ana)
    before = stored(chat)

    chat.server.clock.move(minutes=59)
    chat.run_housekeeping()
    assert stored(chat) == before > 1
    chat.server.clock.move(minutes=2)
    chat.run_housekeeping()

    assert stored(chat) == 0
    with pytest.raises(UploadExpired):
        chat.server.do(receiving.write(MUCH))
    with pytest.raises(UploadExpired):
        chat.server.do(receiving.finish("tide.txt", "text/plain"))
    assert own(ana) == []


def test_an_upload_that_makes_progress_is_kept(chat, ana):
    receiving = begun(chat, ana)

    for _ in range(3):
        chat.server.clock.move(minutes=50)
        chat.run_housekeeping()
        chat.server.do(receiving.write(MUCH))
    chat.server.do(receiving.finish("tide.txt", "text/plain"))

    (listed,) = own(ana)
    assert listed["size"] == 4 * len(MUCH)


def test_an_upload_that_completed_after_all_is_kept(chat, ana):
    """If the database is lost during the commit, the outcome is unknown."""
    receiving = begun(chat, ana)
    chat.server.do(receiving.finish("tide.txt", "text/plain"))

    chat.server.do(receiving.abort())
    chat.run_housekeeping()

    (listed,) = own(ana)
    assert fetches(ana, File(f"/user_uploads/{listed['path_id']}", "tide.txt")).body == MUCH


def test_an_aborted_upload_is_dropped_at_once(chat, ana):
    body = form(("tide.txt", MUCH))
    head = [
        "POST /api/v1/user_uploads HTTP/1.1",
        *(f"{name}: {value}" for name, value in ana.headers.items()),
        f"Content-Type: {FORM}",
        f"Content-Length: {len(body)}",
    ]

    with socket.create_connection(("127.0.0.1", chat.server.port)) as line:
        line.sendall("\r\n".join([*head, "", ""]).encode() + body[: len(body) // 2])
        eventually(lambda: stored(chat) > 2)

    def is_swept():
        chat.run_housekeeping()
        return stored(chat) == 0

    eventually(is_swept)
    assert own(ana) == []


def test_retention_deletes_files_of_old_messages(chat, in_kitchen, ana):
    chat.set("message_retention_days", 1)
    old = uploads(ana, "old.txt")
    ana.says(old.link, to="kitchen > tides")
    queue = ana.listens_for("attachment")
    chat.server.clock.move(hours=25)
    new = uploads(ana, "new.txt")
    ana.says(new.link, to="kitchen > tides")

    chat.run_housekeeping()

    assert [each["name"] for each in own(ana)] == ["new.txt"]
    assert [each["op"] for each in queue.all()] == ["add", "update", "remove"]
    assert stored(chat) == 2


def test_a_file_of_a_scheduled_message_is_kept(chat, in_kitchen, ana, ben):
    file = uploads(ana)
    message = ana.says(file.link, to="kitchen > tides")
    ana.post(
        "/scheduled_messages",
        type="channel",
        to=chat.channel("kitchen").id,
        topic="tides",
        content=f"again http://{chat.host}{file.url}",
        scheduled_delivery_timestamp=chat.in_seconds(60),
    ).succeeds()

    ana.delete(f"/messages/{message.id}").succeeds()
    chat.run_housekeeping()
    assert (fetches(ana, file).status, fetches(ben, file).status) == (200, 403)
    chat.advance(seconds=61)

    assert fetches(ben, file).status == 200
    (sent,) = own(ana)[0]["message_ids"]
    ana.delete(f"/messages/{sent}").succeeds()
    assert fetches(ana, file).status == 404


def test_a_file_of_a_cancelled_scheduled_message_is_deleted(chat, in_kitchen, ana):
    first, second = uploads(ana, "1.txt"), uploads(ana, "2.txt")
    message = ana.says(first.link + second.link, to="kitchen > tides")
    for file in (first, second):
        entry = ana.post(
            "/scheduled_messages",
            type="direct",
            to=[ana.id],
            content=file.link,
            scheduled_delivery_timestamp=chat.in_seconds(600),
        ).succeeds()["scheduled_message_id"]
        if file is first:
            ana.delete(f"/scheduled_messages/{entry}").succeeds()
        else:
            ana.patch(f"/scheduled_messages/{entry}", content="nothing").succeeds()

    ana.delete(f"/messages/{message.id}").succeeds()

    assert own(ana) == []
