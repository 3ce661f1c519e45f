"""Avatars: uploaded ones, generated ones, and Gravatar."""

import hashlib
import io

import pytest
from PIL import Image
from tests.support.pictures import animation, picture, uploads_to

from tertulia import domain

MINE = "/users/me/avatar"
GRAVATAR = "https://secure.gravatar.com/avatar"


def avatar_of(viewer, person):
    return viewer.get(f"/users/{person.id}", client_gravatar=False).succeeds()["user"]["avatar_url"]


def drawn(reply):
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/png")
    return Image.open(io.BytesIO(reply.body))


@pytest.fixture
def channels():
    return ["kitchen"]


def test_an_uploaded_avatar_is_announced_and_shown_to_all(chat, ana, ben):
    soup = ana.says("Soup's on", to="kitchen > lunch")
    queue = ben.listens_for("realm_user")

    url = uploads_to(ana, MINE, picture("JPEG", (60, 40)), kind="image/jpeg").succeeds()[
        "avatar_url"
    ]

    medium = url.replace(".png", "-medium.png")
    assert url.endswith(".png?v=2")
    assert queue.all() == [
        {
            "type": "realm_user",
            "op": "update",
            "person": {
                "user_id": ana.id,
                "avatar_source": "U",
                "avatar_url": url,
                "avatar_url_medium": medium,
                "avatar_version": 2,
            },
        }
    ]
    assert ben.sees(soup)["avatar_url"] == avatar_of(ben, ana) == url
    state = ana.registers(fetch_event_types=["realm_user"])
    assert (state["avatar_source"], state["avatar_url_medium"]) == ("U", medium)
    shown = chat.stranger.raw("GET", url)
    assert (drawn(shown).size, drawn(chat.stranger.raw("GET", medium)).size) == (
        (100, 100),
        (500, 500),
    )
    assert "immutable" in shown.headers["Cache-Control"]
    assert shown.headers["X-Content-Type-Options"] == "nosniff"


def test_an_avatar_is_replaced_and_removed(chat, ana, ben):
    first = uploads_to(ana, MINE, picture()).succeeds()["avatar_url"]
    second = uploads_to(ana, MINE, animation(), kind="image/gif").succeeds()["avatar_url"]
    queue = ben.listens_for("realm_user")

    assert chat.stranger.raw("GET", first).status == 404
    assert drawn(chat.stranger.raw("GET", second)).format == "PNG"

    without = ana.delete(MINE).succeeds()["avatar_url"]

    event = queue.next()["person"]
    assert (event["avatar_source"], event["avatar_url"], event["avatar_version"]) == (
        "J",
        without,
        4,
    )
    assert ana.delete(MINE).succeeds()["avatar_url"] == without
    assert queue.silent()
    assert chat.stranger.raw("GET", second).status == 404
    assert drawn(chat.stranger.raw("GET", without)).size == (100, 100)


def test_invalid_avatars_are_refused(chat, ana, monkeypatch):
    monkeypatch.setattr(domain.files.images, "MAX_PIXELS", 10_000)
    before = avatar_of(ana, ana)

    for files, kind, msg, code in [
        ([], "image/png", "You must upload exactly one avatar.", "BAD_REQUEST"),
        ([picture()] * 2, "image/png", "You must upload exactly one avatar.", "BAD_REQUEST"),
        ([b"hello"], "text/plain", "Invalid image format", "BAD_IMAGE"),
        (
            [b"hello"],
            "image/png",
            "Could not decode image; did you upload an image file?",
            "BAD_IMAGE",
        ),
        ([picture(size=(101, 100))], "image/png", "Image size exceeds limit.", "BAD_IMAGE"),
        (
            [b"x" * ((5 << 20) + 1)],
            "image/png",
            "Uploaded file is larger than the allowed limit of 5 MiB",
            "BAD_REQUEST",
        ),
    ]:
        uploads_to(ana, MINE, *files, kind=kind).fails(msg, code=code)
    ana.post(MINE).fails("You must upload exactly one avatar.")

    assert avatar_of(ana, ana) == before
    for path in ("x.png", "x.gif", "../x.png", "%00.png", f"{ana.id}.gif", "1234567-large.png"):
        assert chat.stranger.raw("GET", f"/user_avatars/{chat.realm.id}/{path}").status == 404


def test_an_organization_may_forbid_changes_of_avatars(chat, ana):
    boss = chat.person("boss", role="admin")
    chat.set("avatar_changes_disabled", True)

    uploads_to(ana, MINE, picture()).fails("Avatar changes are disabled in this organization.")
    ana.delete(MINE).fails("Avatar changes are disabled in this organization.")
    uploads_to(boss, MINE, picture()).succeeds()
    boss.delete(MINE).succeeds()


def test_gravatar_uses_the_public_address(chat, ana, ben):
    chat.set("default_avatar_source", "G")
    ana.delete(MINE).succeeds()
    assert chat.person("cleo").record.avatar_source == "G"

    def digest(email):
        return hashlib.md5(email.encode()).hexdigest()

    hidden = avatar_of(ben, ana)
    assert hidden == f"{GRAVATAR}/{digest(ana.api_email)}?d=identicon&version=2"
    ana.patch("/settings", email_address_visibility=1).succeeds()
    assert avatar_of(ben, ana) == f"{GRAVATAR}/{digest(ana.email)}?d=identicon&version=2"
    assert ben.get(f"/users/{ana.id}").succeeds()["user"]["avatar_url"] is None
    medium = ana.registers(fetch_event_types=["realm_user"])["avatar_url_medium"]
    assert medium == f"{GRAVATAR}/{digest(ana.email)}?d=identicon&version=2&s=500"


def test_an_avatar_is_found_by_id_or_address(chat, ana, ben):
    url = uploads_to(ana, MINE, picture()).succeeds()["avatar_url"]
    medium = url.replace(".png", "-medium.png")

    for who, location in [
        (ana.id, url),
        (ana.api_email, url),
        (f"{ana.id}/medium", medium),
        (f"{ana.api_email}/medium", medium),
    ]:
        found = ben.raw("GET", f"/avatar/{who}")
        assert (found.status, found.headers["Location"]) == (302, location)
        assert found.headers["Cache-Control"] == "private, no-cache"
    hidden, unknown = ben.raw("GET", f"/avatar/{ana.email}"), ben.raw("GET", "/avatar/x@y.example")
    assert (hidden.status, hidden.body) == (unknown.status, unknown.body) == (404, unknown.body)
    assert ben.raw("GET", f"/avatar/{9**30}").status == 404
    stranger = chat.stranger.raw("GET", f"/avatar/{ana.id}")
    assert (stranger.status, stranger.json["code"]) == (401, "UNAUTHORIZED")


def test_bots_can_have_avatars(chat, ana, ben):
    queue = ben.listens_for("realm_user")
    named = "full_name=Tide&short_name=tide"

    made = uploads_to(ana, f"/bots?{named}", picture()).succeeds()
    url_path = f"/bots/{made['user_id']}"
    second = uploads_to(ana, url_path, picture(color="blue"), method="PATCH").succeeds()[
        "avatar_url"
    ]

    added, *updates = [event["person"] for event in queue.all()]
    assert added["user_id"] == made["user_id"]
    assert [each["avatar_source"] for each in updates] == ["U", "U"]
    assert [each["avatar_url"] for each in updates] == [made["avatar_url"], second]
    assert drawn(chat.stranger.raw("GET", second)).size == (100, 100)
    assert ana.get("/bots").succeeds()["bots"][0]["avatar_url"] == second
    for path, method in (("/bots?full_name=Ebb&short_name=ebb", "POST"), (url_path, "PATCH")):
        twice = uploads_to(ana, path, picture(), picture(), method=method)
        twice.fails("You may only upload one file at a time")
    uploads_to(ben, url_path, picture(), method="PATCH").fails("Insufficient permission")
    assert len(ana.get("/bots").succeeds()["bots"]) == 1
