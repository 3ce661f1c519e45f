"""Custom emoji: images that an organization names."""

import io

import pytest
from PIL import Image
from tests.support.pictures import animation, frames_of, huge, picture, uploads


def emoji_of(person):
    return person.get("/realm/emoji").succeeds()["emoji"]


@pytest.fixture
def channels():
    return ["kitchen"]


CAPABLE = {"notification_settings_null": True, "individual_emoji_changes": True}


def test_a_new_emoji_is_announced_to_all(ana, ben):
    queue = ben.listens_for("realm_emoji", client_capabilities=CAPABLE)
    old_queue = ben.listens_for("realm_emoji")

    uploads(ana, "red_dot", picture()).succeeds()

    (number,) = emoji_of(ben)
    shown = emoji_of(ben)[number]
    assert shown == {
        "id": number,
        "name": "red_dot",
        "source_url": shown["source_url"],
        "deactivated": False,
        "author_id": ana.id,
        "still_url": None,
    }
    assert queue.all() == [{"type": "realm_emoji", "op": "add", "emoji": shown}]
    assert old_queue.all() == [
        {"type": "realm_emoji", "op": "update", "realm_emoji": {number: shown}}
    ]
    assert ben.registers(fetch_event_types=["realm_emoji"])["realm_emoji"] == {number: shown}


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_images_are_reencoded_and_public(chat, ana, form):
    uploads(ana, "dot", picture(form), kind=f"image/{form.lower()}").succeeds()
    (shown,) = emoji_of(ana).values()

    served = chat.stranger.raw("GET", shown["source_url"])

    assert (served.status, served.headers["Content-Type"]) == (200, "image/png")
    drawn = Image.open(io.BytesIO(served.body))
    assert (drawn.format, drawn.size) == ("PNG", (64, 64))
    for path in (f"{shown['source_url']}x", shown["source_url"].replace(".", "%00.")):
        assert chat.stranger.raw("GET", path).status == 404


@pytest.mark.parametrize("content_type", [None, "application/octet-stream"])
def test_the_content_type_of_the_upload_does_not_matter(ana, content_type):
    uploads(ana, "dot", picture(), kind=content_type).succeeds()
    uploads(ana, "text", b"hello", kind=content_type).fails(
        "Could not decode image; did you upload an image file?", code="BAD_IMAGE"
    )


def test_an_animation_has_a_still_version(chat, ana):
    uploads(ana, "blink", animation(), kind="image/gif").succeeds()
    (shown,) = emoji_of(ana).values()

    moving = Image.open(io.BytesIO(chat.stranger.raw("GET", shown["source_url"]).body))
    still = Image.open(io.BytesIO(chat.stranger.raw("GET", shown["still_url"]).body))

    assert (moving.format, frames_of(moving), moving.size) == ("GIF", 3, (64, 64))
    assert (still.format, frames_of(still)) == ("PNG", 1)


def test_nothing_else_of_the_file_is_kept(chat, ana):
    uploads(ana, "dot", picture() + b"<script>alert(1)</script>").succeeds()
    (shown,) = emoji_of(ana).values()

    assert b"script" not in chat.stranger.raw("GET", shown["source_url"]).body


@pytest.mark.parametrize(
    "name, msg",
    [
        (
            "Blue%20Dot",
            "Emoji names must contain only lowercase English letters, digits, spaces, dashes,"
            " and underscores.",
        ),
        ("dot_", "Emoji names must end with either a letter or digit."),
        ("smile", "Only administrators can override default emoji."),
        ("zulip", "Only administrators can override default emoji."),
        ("x" * 101, "emoji_name is too long (limit: 100 characters)"),
    ],
)
def test_invalid_names_are_refused(ana, name, msg):
    uploads(ana, name, picture()).fails(msg)


def test_invalid_images_are_refused(ana):
    uploads(ana, "dot").fails("You must upload exactly one file.")
    uploads(ana, "dot", picture(), picture()).fails("You must upload exactly one file.")
    uploads(ana, "dot", b"hello", kind="text/plain").fails("Invalid image format", code="BAD_IMAGE")
    for data in (b"hello", picture()[:50], b"<svg></svg>", picture("BMP")):
        uploads(ana, "dot", data).fails(
            "Could not decode image; did you upload an image file?", code="BAD_IMAGE"
        )


def test_too_large_images_are_refused(ana):
    uploads(ana, "dot", huge(6000, 6000)).fails("Image size exceeds limit.", code="BAD_IMAGE")
    uploads(ana, "dot", animation(frames=201), kind="image/gif").fails(
        "Image size exceeds limit.", code="BAD_IMAGE"
    )
    uploads(ana, "dot", b"x" * (5 * 1024 * 1024 + 1)).fails(
        "Uploaded file is larger than the allowed limit of 5 MiB"
    )


def test_who_may_add_emoji(chat, ana):
    guest = chat.person("gus", role="guest")
    bot = chat.person("helper", bot="generic", owner=ana)
    boss = chat.person("boss", role="admin")

    uploads(guest, "dot", picture()).fails("Not allowed for guest users")
    uploads(bot, "dot", picture()).fails("This endpoint does not accept bot requests.")
    chat.permit("can_add_custom_emoji_group", "moderators")
    uploads(ana, "dot", picture()).fails("Insufficient permission")
    uploads(boss, "turtle", picture()).succeeds()
    uploads(boss, "turtle", picture()).fails("A custom emoji with this name already exists.")
    assert len(emoji_of(guest)) == 1


def test_a_deactivated_emoji_stays_in_existing_messages(chat, ana, ben):
    boss = chat.person("boss", role="admin", channels=["kitchen"])
    uploads(ana, "dot", picture()).succeeds()
    (number,) = emoji_of(ana)
    soup = ana.says("soup", to="kitchen > lunch")
    ben.post(f"/messages/{soup.id}/reactions", emoji_name="dot").succeeds()
    queue = ben.listens_for("realm_emoji", client_capabilities=CAPABLE)

    ben.delete("/realm/emoji/dot").fails("Must be an organization administrator or emoji author")
    ana.delete("/realm/emoji/dot").succeeds()

    assert queue.all() == [
        {
            "type": "realm_emoji",
            "op": "update_one",
            "emoji_id": number,
            "data": {"deactivated": True},
        }
    ]
    assert emoji_of(ben)[number]["deactivated"] is True
    assert ben.sees(soup)["reactions"][0]["emoji_code"] == number
    for person in (ana, boss):
        person.delete("/realm/emoji/dot").fails("Emoji 'dot' does not exist", status=404)


def test_reacting_with_custom_emoji(ana, ben):
    uploads(ana, "dot", picture()).succeeds()
    uploads(ana, "second_dot", picture()).succeeds()
    dot, dash = emoji_of(ana)
    soup = ana.says("soup", to="kitchen > lunch")

    def reacts(person, name, **more):
        return person.post(f"/messages/{soup.id}/reactions", emoji_name=name, **more)

    reacts(ana, "dot").succeeds()
    reacts(ben, "dot", emoji_code=dot, reaction_type="realm_emoji").succeeds()
    reacts(ben, "dot", emoji_code=dash, reaction_type="realm_emoji").fails(
        "Invalid custom emoji name."
    )
    ana.delete("/realm/emoji/second_dot").succeeds()
    reacts(ben, "second_dot", emoji_code=dash, reaction_type="realm_emoji").fails(
        "This custom emoji has been deactivated."
    )
    reacts(ben, "second_dot").fails("Emoji 'second_dot' does not exist")
    ana.delete("/realm/emoji/dot").succeeds()
    for person, which in ((ana, {"emoji_name": "dot"}), (ben, {"emoji_code": dot})):
        person.delete(f"/messages/{soup.id}/reactions", **which).succeeds()

    assert ana.sees(soup)["reactions"] == []


def test_a_name_can_be_used_again(ana):
    uploads(ana, "dot", picture()).succeeds()
    ana.delete("/realm/emoji/dot").succeeds()

    uploads(ana, "dot", picture(color="blue")).succeeds()

    assert [each["deactivated"] for each in emoji_of(ana).values()] == [True, False]
