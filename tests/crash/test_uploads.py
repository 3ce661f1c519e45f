"""kill -9 in the middle of an upload: an unfinished file does not exist, a finished one stays.

With SQLite the simulator kills servers (`tests/simulation`).
"""

import base64
import contextlib
import http.client
import json
from typing import Any

import pytest
from tests.crash.client import connect
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.support.databases import Databases
from tests.support.files import FORM, form
from tests.support.waiting import eventually

from tertulia import actions, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES

WHOLE = form(("tide.bin", b"tide" * PIECE_BYTES))


@pytest.mark.postgres
def test_an_unfinished_upload_does_not_exist(databases: Databases, new_server: NewServer):
    url, folder = databases.ready("postgres")
    ana, server, database = (
        create_organization(url, "ana")["ana"],
        new_server(url, folder),
        BlockingDatabase.at(url),
    )
    server.start()
    whole = ends(begins(server.port, ana, WHOLE))["url"]

    with contextlib.closing(begins(server.port, ana, WHOLE[: len(WHOLE) // 2])):
        eventually(lambda: database.of(0).read(pieces) > 4)
        server.kill()
    server.start()

    listed = ana.at(server.port).get("/attachments")["attachments"]
    assert [f"/user_uploads/{each['path_id']}" for each in listed] == [whole]
    assert database.of(0).read(storage.data_check.file_problems) == []
    later = BlockingDatabase.at(
        url, lambda: database.clock() + actions.files.upload.WAIT_SECONDS + 1
    )
    while later.of(0).write(actions.files.upload.sweep):
        pass
    assert database.of(0).read(pieces) == 4


def begins(port: int, person: Person, body: bytes) -> http.client.HTTPConnection:
    """Send an upload, or its beginning."""
    connection = connect(port)
    credentials = base64.b64encode(f"{person.email}:{person.key}".encode()).decode()
    connection.putrequest("POST", "/api/v1/user_uploads")
    connection.putheader("Authorization", f"Basic {credentials}")
    connection.putheader("Content-Type", FORM)
    connection.putheader("Content-Length", str(len(WHOLE)))
    connection.endheaders(body)
    return connection


def ends(connection: http.client.HTTPConnection) -> Any:
    with contextlib.closing(connection):
        return json.loads(connection.getresponse().read())


def pieces(tx: Tx) -> int:
    return int(tx.value("SELECT count(*) AS value FROM upload_piece"))
