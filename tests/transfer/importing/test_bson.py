"""Damaged dumps of MongoDB end with an error that names the file and the place."""

import random
import struct

import pytest
from tests.support.cli_runner import Terminal
from tests.support.exports import _bson, rocketchat_export

from tertulia.transfer.importing import bson
from tertulia.transfer.importing.bson import DamagedDump

ROW = {"_id": "m1", "msg": "soup", "n": 3, "ts": 1.5, "u": {"_id": "u1"}, "data": b"xyz", "of": [1]}


def length(size: int) -> bytes:
    return struct.pack("<i", size)


def element(kind: int, value: bytes) -> bytes:
    body = bytes([kind]) + b"x\0" + value + b"\0"
    return length(len(body) + 4) + body


def nested(depth: int) -> bytes:
    inner = length(5) + b"\0"
    for _ in range(depth):
        inner = element(0x03, inner)
    return inner


DAMAGED = {
    "cut within a length": (
        _bson(ROW) + b"\x20\0",
        "the file ends inside the length of a document",
    ),
    "cut within a document": (_bson(ROW) * 2, "the file ends inside a document of"),
    "a length of zero": (length(0) + _bson(ROW), "a document cannot have 0 bytes"),
    "a length of four": (length(4), "a document cannot have 4 bytes"),
    "a negative length": (length(-1) + _bson(ROW), "a document cannot have -1 bytes"),
    "a huge length": (length(0x7FFFFFFF), "a document cannot have 2,147,483,647 bytes"),
    "a huge text": (element(0x02, length(1 << 30) + b"x\0"), "a value is longer"),
    "a negative text": (element(0x02, length(-9) + b"x\0"), "a length is negative"),
    "a text without an end": (element(0x02, length(1) + b"x"), "a text does not end"),
    "a negative piece": (element(0x05, length(-9) + b"\0x"), "a length is negative"),
    "a huge piece": (element(0x05, length(1 << 30) + b"\0x"), "a value is longer"),
    "a huge inner document": (element(0x03, length(1 << 20) + b"\0"), "the length of a document"),
    "an empty inner document": (element(0x03, length(0) + b"\0"), "the length of a document"),
    "a short number": (element(0x11, b"1234"), "a value is longer"),
    "a short id": (element(0x07, b"1234"), "a value is longer"),
    "a name without an end": (length(8) + b"\x08xy\0", "a name has no end"),
    "an unknown kind": (element(0x55, b"1234"), "values of type 0x55 are not supported"),
    "very deep": (nested(300), "documents are nested more than 200 deep"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_ends_with_an_error(tmp_path, case):
    data, reason = DAMAGED[case]
    file = tmp_path / "rows.bson"
    file.write_bytes(data[:-7] if case == "cut within a document" else data)

    with pytest.raises(DamagedDump, match=r"^rows\.bson is damaged at byte [0-9]+: ") as raised:
        list(bson.documents(file))

    assert reason in str(raised.value)


def test_any_changed_byte_gives_documents_or_the_one_error(tmp_path):
    """Reading ends after any change, with documents or with the one error."""
    whole = _bson(ROW) * 3
    draw = random.Random(31)
    file = tmp_path / "rows.bson"
    for location in range(len(whole)):
        file.write_bytes(whole[:location])
        read_to_the_end(file)
        for value in (0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)):
            file.write_bytes(whole[:location] + bytes([value]) + whole[location + 1 :])
            read_to_the_end(file)


def read_to_the_end(file) -> None:
    try:
        assert len(list(bson.documents(file))) <= 3 * len(_bson(ROW)) // 5
    except DamagedDump:
        pass


def test_complete_documents_are_read_as_they_were_written(tmp_path):
    file = tmp_path / "rows.bson"
    file.write_bytes(_bson(ROW) * 2)

    (_, first), (place, second) = bson.documents(file)

    assert first == second == ROW
    assert list(bson.at(file, [place])) == [ROW]
    assert bson.count(file) == 2


def test_an_import_of_a_damaged_dump_is_refused_and_creates_nothing(tmp_path):
    export = rocketchat_export(tmp_path / "export")
    messages = export / "rocketchat_message.bson"
    messages.write_bytes(length(0) + messages.read_bytes())
    terminal = Terminal(tmp_path / "data")

    refused = terminal.runs("import", str(export))

    assert refused.code == 1
    assert refused.err == (
        "Error: rocketchat_message.bson is damaged at byte 0: a document cannot have 0 bytes.\n"
    )
    assert not terminal.data.exists()
