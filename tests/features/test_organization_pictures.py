"""An organization's icon and logos: uploaded by administrators, public."""

import io

import pytest
from PIL import Image
from tests.support.pictures import animation, picture, uploads_to

from tertulia import domain

KINDS = {
    "icon": "/realm/icon",
    "logo": "/realm/logo?night=false",
    "night_logo": "/realm/logo?night=true",
}
USUAL = {
    "icon": ("G", "/static/icon.png"),
    "logo": ("D", "/static/logo.svg"),
    "night_logo": ("D", "/static/logo.svg"),
}


@pytest.fixture
def people(chat):
    return chat, chat.person("boss", role="admin"), chat.person("ben")


def shown_to(person):
    """Source and URL of each kind."""
    state, site = person.registers(fetch_event_types=["realm"]), f"http://{person.chat.host}"
    found = {
        kind: (state[f"realm_{kind}_source"], state[f"realm_{kind}_url"].removeprefix(site))
        for kind in KINDS
    }
    icon = person.chat.stranger.get("/server_settings").succeeds()["realm_icon"]
    assert icon == state["realm_icon_url"] == site + found["icon"][1]
    return found


def change(kind, source, url):
    data = {f"{kind}_source": source, f"{kind}_url": url}
    return {"type": "realm", "op": "update_dict", "property": kind, "data": data}


def size(chat, url):
    reply = chat.stranger.raw("GET", url)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/png")
    assert "immutable" in reply.headers["Cache-Control"]
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    return Image.open(io.BytesIO(reply.body)).size


@pytest.mark.parametrize("shown", KINDS)
def test_a_picture_is_announced_shown_replaced_and_removed(people, shown):
    chat, boss, ben = people
    assert shown_to(ben) == USUAL
    queue = ben.listens_for("realm")

    response = uploads_to(boss, KINDS[shown], picture("JPEG", (1600, 400)), kind="image/jpeg")

    source, first = shown_to(ben)[shown]
    assert shown_to(ben) == USUAL | {shown: ("U", first)}
    assert response.succeeds().get("icon_url", first).endswith(first)
    assert queue.all() == [change(shown, source, first)]
    assert ben.get(KINDS[shown]).headers["Location"] == f"http://{chat.host}{first}"
    assert size(chat, first) == ((100, 100) if shown == "icon" else (400, 100))

    uploads_to(boss, KINDS[shown], animation(), kind="image/gif").succeeds()

    _, second = shown_to(ben)[shown]
    assert queue.all() == [change(shown, "U", second)]
    assert size(chat, second) == ((100, 100) if shown == "icon" else (20, 20))
    assert chat.stranger.raw("GET", first).status == 404

    for _ in range(2):
        response = boss.delete(KINDS[shown])

    assert response.succeeds().get("icon_url", USUAL[shown][1]).endswith(USUAL[shown][1])
    assert shown_to(ben) == USUAL
    assert queue.all() == [change(shown, *USUAL[shown])]
    assert chat.stranger.raw("GET", second).status == 404


def test_light_and_dark_logos_are_separate(people):
    _, boss, ben = people
    for path in KINDS.values():
        uploads_to(boss, path, picture()).succeeds()
    before = shown_to(ben)
    assert len({url for _, url in before.values()}) == 3

    boss.delete("/realm/logo", night=True).succeeds()

    assert shown_to(ben) == before | {"night_logo": USUAL["night_logo"]}


def test_only_administrators_change_pictures(people):
    _, boss, ben = people
    uploads_to(boss, "/realm/icon", picture()).succeeds()
    before = shown_to(ben)

    for path in KINDS.values():
        for response in (uploads_to(ben, path, picture()), ben.delete(path)):
            response.fails("Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL")

    assert shown_to(ben) == before


def test_invalid_pictures_are_refused(people, monkeypatch):
    monkeypatch.setattr(domain.files.images, "MAX_PIXELS", 10_000)
    chat, boss, ben = people
    too_large = "Uploaded file is larger than the allowed limit of 5 MiB"

    for kind, path in KINDS.items():
        one = f"You must upload exactly one {kind.removeprefix('night_')}."
        for files, media_type, msg, code in [
            ([], "image/png", one, "BAD_REQUEST"),
            ([picture()] * 2, "image/png", one, "BAD_REQUEST"),
            ([b"<svg/>"], "image/svg+xml", "Invalid image format", "BAD_IMAGE"),
            (
                [b"x"],
                "image/png",
                "Could not decode image; did you upload an image file?",
                "BAD_IMAGE",
            ),
            ([picture(size=(101, 100))], "image/png", "Image size exceeds limit.", "BAD_IMAGE"),
            ([b"x" * ((5 << 20) + 1)], "image/png", too_large, "BAD_REQUEST"),
        ]:
            uploads_to(boss, path, *files, kind=media_type).fails(msg, code=code)
    uploads_to(boss, "/realm/logo", picture()).fails("Missing 'night' argument")

    assert shown_to(ben) == USUAL
    for name in ("x.png", "icon.png", "x.gif", "%00.png", "..%2Fx.png"):
        assert chat.stranger.raw("GET", f"/user_avatars/{chat.realm.id}/realm/{name}").status == 404
