"""Generated exports of other servers, of any size."""

import json
import struct
from pathlib import Path
from typing import Any

from tests.support.pictures import picture

NOON = 1_700_000_000.0
PAGE = 1_000


def zulip_export(folder: Path, people: int = 4, messages: int = 10) -> Path:
    """Users 11, 12, …; a public channel 21, a protected one 22, and conversations between two
    users."""
    folder.mkdir()
    ids = list(range(11, 11 + people))
    recipients = [
        {"id": 31, "type": 2, "type_id": 21},
        {"id": 32, "type": 2, "type_id": 22},
        {"id": 33, "type": 3, "type_id": 41},
        {"id": 34, "type": 1, "type_id": 12},
    ]
    subscriptions = [
        {"user_profile": user, "recipient": recipient, "active": True}
        for recipient, members in ((31, ids), (32, ids[:2]), (33, ids[:2]))
        for user in members
    ]
    realm = {
        "zerver_realm": [{"id": 7, "name": "Old House", "string_id": "old"}],
        "zerver_userprofile": [
            {
                "id": user,
                "delivery_email": f"user{user}@example.com",
                "full_name": f"Person {user}",
                "role": 100 if user == 11 else 400,
                "is_active": True,
                "date_joined": NOON,
                "something_new": "that is not known yet",
            }
            for user in ids
        ],
        "zerver_userprofile_crossrealm": [{"id": 1, "full_name": "Notification Bot"}],
        "zerver_stream": [
            {"id": 21, "name": "kitchen", "description": "Soup", "date_created": NOON},
            {
                "id": 22,
                "name": "cellar",
                "invite_only": True,
                "history_public_to_subscribers": False,
            },
        ],
        "zerver_recipient": recipients,
        "zerver_subscription": subscriptions,
        "zerver_reaction": [
            {
                "user_profile": 12,
                "message": 1001,
                "emoji_name": "tada",
                "emoji_code": "1f389",
                "reaction_type": "unicode_emoji",
            }
        ],
        "zerver_realmauditlog": [{"id": 1}, {"id": 2}],
    }
    _write(folder / "realm.json", realm)
    path = "7/ab/random/notes.txt"
    (folder / "uploads" / path).parent.mkdir(parents=True)
    (folder / "uploads" / path).write_bytes(b"salt, pepper")
    attachment = {"id": 1, "path_id": path, "file_name": "notes.txt", "owner": 11}
    _write(folder / "attachment.json", {"zerver_attachment": [attachment]})
    rows = [_zulip_message(number, ids, path) for number in range(messages)]
    for start in range(0, messages, PAGE):
        page = rows[start : start + PAGE]
        held = [
            {"user_profile": user, "message": row["id"], "flags_mask": 0 if user == 12 else 1}
            for row in page
            for user in (ids if row["recipient"] == 31 else ids[:2])
        ]
        name = f"messages-{start // PAGE + 1:06}.json"
        _write(folder / name, {"zerver_message": page, "zerver_usermessage": held})
    return folder


def _zulip_message(number: int, ids: list[int], path: str) -> dict[str, Any]:
    content = f"This is number {number}, @**Person 12|12**, **well** said."
    if number == 2:
        content = f"See [notes.txt](/user_uploads/{path})"
    return {
        "id": 1000 + number,
        "sender": ids[number % 2],
        "recipient": (31, 31, 31, 32, 33)[number % 5],
        "subject": f"topic {number % 7}",
        "content": content,
        "date_sent": NOON + number,
    }


def slack_export(folder: Path, people: int = 4, messages: int = 10) -> Path:
    folder.mkdir()
    users = [f"U{number}" for number in range(people)]
    _write(
        folder / "users.json",
        [
            {
                "id": user,
                "name": user.lower(),
                "is_owner": user == "U0",
                "profile": {"real_name": f"Person {user}", "email": f"{user}@example.com"},
            }
            for user in users
        ],
    )
    _write(
        folder / "channels.json",
        [{"id": "C1", "name": "kitchen", "created": int(NOON), "members": users}],
    )
    _write(folder / "dms.json", [{"id": "D1", "created": int(NOON), "members": users[:2]}])
    by_place: dict[str, dict[str, list[dict[str, Any]]]] = {"kitchen": {}, "D1": {}}
    for number in range(messages):
        location = "D1" if number % 5 == 4 else "kitchen"
        day = f"2023-11-{14 + number * 10 // messages:02}"
        row: dict[str, Any] = {
            "type": "message",
            "user": users[number % 2],
            "ts": f"{NOON + number:.6f}",
            "text": f"This is number {number}, <@U1>, *well* said &amp; <https://x.org|linked>",
        }
        if number in (0, 1):
            row |= {"thread_ts": f"{NOON:.6f}"}
        if number == 0:
            row |= {"reactions": [{"name": "tada", "users": ["U1", "U2"], "count": 2}]}
        by_place[location].setdefault(day, []).append(row)
    by_place["kitchen"].setdefault("2023-11-14", []).append(
        {"type": "message", "subtype": "channel_join", "user": "U1", "ts": f"{NOON - 5:.6f}"}
    )
    for location, days in by_place.items():
        (folder / location).mkdir()
        for day, rows in days.items():
            _write(folder / location / f"{day}.json", rows)
    return folder


def mattermost_export(folder: Path) -> Path:
    folder.mkdir()
    (folder / "data").mkdir()
    (folder / "data" / "notes.txt").write_bytes(b"salt, pepper")
    (folder / "data" / "soup.png").write_bytes(picture())
    team = {"name": "house", "channels": [{"name": "kitchen"}]}
    at = int(NOON * 1000)
    lines: list[dict[str, Any]] = [
        {"type": "version", "version": 1},
        {"type": "channel", "channel": {"team": "house", "name": "kitchen", "type": "O"}},
        *(
            {
                "type": "user",
                "user": {
                    "username": name,
                    "email": f"{name}@x.org",
                    "teams": [team],
                    "profile_image": "soup.png",
                },
            }
            for name in ("ana", "007")
        ),
        {
            "type": "post",
            "post": {
                "team": "house",
                "channel": "kitchen",
                "user": "ana",
                "message": "Who cooks, @007?",
                "create_at": at + 2000,
                "reactions": [
                    {"user": "007", "emoji_name": "tada"},
                    {"user": "007", "emoji_name": "soup"},
                ],
                "replies": [
                    {
                        "user": "007",
                        "message": "I do",
                        "create_at": at + 3000,
                        "attachments": [{"path": "notes.txt"}],
                    }
                ],
            },
        },
        {
            "type": "direct_post",
            "direct_post": {
                "channel_members": ["ana", "007"],
                "user": "ana",
                "message": "Psst",
                "create_at": at,
            },
        },
        {"type": "emoji", "emoji": {"name": "x"}},
        {"type": "emoji", "emoji": {"name": "soup", "image": "soup.png"}},
        {"type": "scheme"},
    ]
    text = "\n".join(map(json.dumps, lines))
    (folder / "import.jsonl").write_text(text)
    return folder


def rocketchat_export(folder: Path) -> Path:
    folder.mkdir()
    users = [
        {"_id": "u1", "username": "ana", "name": "Ana", "emails": [{"address": "ana@x.org"}]},
        {"_id": "u2", "username": "ben", "name": "Ben", "roles": ["admin"]},
    ]
    rooms = [
        {"_id": "r1", "t": "c", "name": "kitchen"},
        {"_id": "r2", "t": "d", "uids": ["u1", "u2"]},
    ]
    ana, ben = {"_id": "u1"}, {"_id": "u2"}
    notes = {"_id": "f1", "name": "notes.txt", "userId": "u1"}
    small = {"_id": "f2", "name": "thumb-notes.txt", "userId": "u1", "typeGroup": "thumb"}
    lost = {"_id": "f3", "name": "lost.txt", "userId": "u1", "store": "AmazonS3:Uploads"}
    liked = {":soupe:": {"usernames": ["ben"]}, ":tada:": {"usernames": ["ben"]}}
    messages = [
        {"_id": "m2", "rid": "r1", "u": ben, "msg": "I do", "ts": NOON + 2, "tmid": "m1"},
        {"_id": "m1", "rid": "r1", "u": ana, "msg": "Who, @ben?", "ts": NOON + 1, "tcount": 1},
        {"_id": "m3", "rid": "r2", "u": ana, "msg": "Psst", "ts": NOON},
        {
            "_id": "m5",
            "rid": "r1",
            "u": ana,
            "msg": "",
            "ts": NOON + 3,
            "tmid": "m1",
            "files": [notes, small, lost],
            "attachments": [{"description": "The recipe, @ben"}],
            "reactions": liked,
        },
        {"_id": "m4", "rid": "r1", "u": ana, "msg": "", "t": "uj", "ts": NOON},
    ]
    subscriptions = [{"rid": "r1", "u": ana}, {"rid": "r1", "u": ben}]
    portrait = picture(size=(64, 64))
    half = len(portrait) // 2
    for name, rows in (
        ("rocketchat_uploads", [notes, small, lost]),
        ("rocketchat_uploads.chunks", [_piece("f1", 1, b" and salt"), _piece("f1", 0, b"Leeks")]),
        ("rocketchat_avatars", [{"_id": "a1", "userId": "u1"}, {"_id": "a2", "userId": "u2"}]),
        (
            "rocketchat_avatars.chunks",
            [_piece("a1", 0, portrait[:half]), _piece("a1", 1, portrait[half:])],
        ),
        ("rocketchat_custom_emoji", [{"name": "soup", "aliases": ["soupe"], "extension": "png"}]),
        ("custom_emoji.chunks", [_piece("soup.png", 0, portrait)]),
        ("users", users),
        ("rocketchat_room", rooms),
        ("rocketchat_message", messages),
        ("rocketchat_subscription", subscriptions),
    ):
        (folder / f"{name}.bson").write_bytes(b"".join(map(_bson, rows)))
    return folder


def _piece(key: str, number: int, data: bytes) -> dict[str, Any]:
    return {"files_id": key, "n": number, "data": data}


def _bson(document: Any) -> bytes:
    items = document.items() if isinstance(document, dict) else enumerate(document)
    body = b"".join(_bson_value(str(name), value) for name, value in items)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def _bson_value(name: str, value: Any) -> bytes:
    head = name.encode() + b"\0"
    if isinstance(value, str):
        data = value.encode() + b"\0"
        return b"\x02" + head + struct.pack("<i", len(data)) + data
    if isinstance(value, float):  # all our numbers of this kind are times
        return b"\x09" + head + struct.pack("<q", int(value * 1000))
    if isinstance(value, bytes):
        return b"\x05" + head + struct.pack("<i", len(value)) + b"\0" + value
    if isinstance(value, int):
        return b"\x10" + head + struct.pack("<i", value)
    return (b"\x03" if isinstance(value, dict) else b"\x04") + head + _bson(value)


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))
