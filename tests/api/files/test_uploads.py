"""Uploaded files: uploading, access, and deletion."""

import io
import re
from urllib.parse import quote

import pytest
from PIL import ExifTags, Image
from tests.support.files import File, fetches, form, own, sends_form, uploads
from tests.support.people import Chat
from tests.support.pictures import animation, picture

from tertulia.domain.files.attachments import PIECE_BYTES


def error_page(text: str, language: str = "en", direction: str = "ltr") -> bytes:
    head = f'<meta charset="utf-8"><title>{text}</title>'
    return f'<!doctype html><html lang="{language}" dir="{direction}">{head}<p>{text}</p>'.encode()


FORBIDDEN = error_page("You are not authorized to view this file.")
GONE = error_page("This file does not exist or has been deleted.")
LARGE = bytes(range(256)) * 1024 * 9 + b"the end"  # a little more than nine pieces


@pytest.fixture
def channels():
    return ["kitchen"]


def may_read(person, file: File) -> bool:
    reply = fetches(person, file)
    assert (reply.status, reply.body) in ((200, b"low tide"), (403, FORBIDDEN))
    return reply.status == 200


# --- uploading ---


def test_an_upload_is_announced_and_listed(ana, ben):
    queue, others = ana.listens_for(), ben.listens_for()

    file = uploads(ana)

    event = queue.next()
    attachment = event["attachment"]
    assert file.url.startswith(f"/user_uploads/{ana.chat.realm.id}/")
    assert file.url.endswith("/notes.txt")
    assert event == {
        "type": "attachment",
        "op": "add",
        "attachment": {
            "id": attachment["id"],
            "name": "notes.txt",
            "path_id": file.path_id,
            "size": 8,
            "create_time": attachment["create_time"],
            "message_ids": [],
        },
        "upload_space_used": 8,
    }
    response = ana.get("/attachments").succeeds()
    assert (response["attachments"], response["upload_space_used"]) == ([attachment], 8)
    assert own(ben) == []
    assert others.silent()


def test_a_download_equals_the_upload(ana):
    for data in (b"", b"x", LARGE[:PIECE_BYTES], LARGE):
        file = uploads(ana, "tide.bin", data, "application/octet-stream")
        assert fetches(ana, file).body == data


def test_a_chunked_form_is_read_too(ana):
    body = form(("tide.bin", LARGE))
    pieces = [body[at : at + 100_001] for at in range(0, len(body), 100_001)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])

    response = sends_form(ana.with_headers(Transfer_Encoding="chunked"), chunks).succeeds()

    assert fetches(ana, File(response["url"], "tide.bin")).body == LARGE


@pytest.mark.parametrize("size", [1, len(LARGE)])
def test_exactly_one_file_is_required(ana, size):
    data = LARGE[:size]

    ana.post("/user_uploads").fails("You must specify a file to upload")
    sends_form(ana, form()).fails("You must specify a file to upload")
    sends_form(ana, form(("a.txt", data), ("b.txt", b"2"))).fails(
        "You may only upload one file at a time"
    )
    sends_form(ana, form(("a.txt", data))[:-8]).fails(
        "The form data cannot be read: it ends too early"
    )
    sends_form(ana.chat.stranger, form(("a.txt", data))).asks_to_log_in()
    assert own(ana) == []


def test_a_too_large_file_is_refused_and_the_limit_is_in_register(start_server):
    ana = Chat.found(start_server(max_upload_mib=1)).person("ana")

    sends_form(ana, form(("x", b"x" * (1 << 20)))).succeeds()
    refused = [sends_form(ana, form(("x", b"x" * size))) for size in ((1 << 20) + 1, 3 << 20)]

    for each in refused:
        each.fails("Uploaded file is larger than the allowed limit of 1 MiB")
    assert ana.registers(fetch_event_types=["realm"])["max_file_upload_size_mib"] == 1
    assert len(own(ana)) == 1


@pytest.mark.parametrize(
    "given, name, at",
    [
        ("notes.txt", "notes.txt", "notes.txt"),
        ("../../etc/passwd.txt", "passwd.txt", "passwd.txt"),
        ("C:\\tides\\high.txt", "high.txt", "high.txt"),
        ("report v2.pdf", "report v2.pdf", "report-v2.pdf"),
        ("README", "README", "README"),
        ("..", "..", "uploaded-file"),
        ("x/", "uploaded-file", "uploaded-file"),
        ("Überfahrt (2).ß", "Überfahrt (2).ß", "Überfahrt-2.ß"),
        ("潮 <b>&.txt", "潮 <b>&.txt", "潮-b.txt"),
        ("\u202egpj.exe", "gpj.exe", "gpj.exe"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_a_file_name_becomes_part_of_the_url(ana, given, name, at):
    file = uploads(ana, given.replace("\\", "\\\\"), b"x", "text/plain")

    assert (file.name, file.url.rpartition("/")[2]) == (name, at)
    assert own(ana)[0]["name"] == name
    assert fetches(ana, file).body == b"x"


# --- access ---


def test_an_unlinked_file_is_readable_by_its_owner_only(chat, ana, ben):
    file = uploads(ana)

    assert may_read(ana, file)
    assert not may_read(ben, file)
    ben.get(f"/user_uploads/{file.path_id}").fails(
        "You are not authorized to view this file.", code="FORBIDDEN", status=403
    )
    chat.stranger.get(f"/user_uploads/{file.path_id}").asks_to_log_in()
    unknown = fetches(chat.stranger, file)
    assert (unknown.status, unknown.headers["WWW-Authenticate"]) == (401, 'Basic realm="zulip"')


def test_readers_of_a_message_may_read_its_files(chat, ana, ben):
    cleo, guest = chat.person("cleo"), chat.person("gus", role="guest")
    file = uploads(ana)
    queue = ana.listens_for()

    message = ana.says(f"see {file.link}", to="kitchen > tides")

    event, first = queue.next(), queue.next()
    assert (event["type"], event["op"]) == ("attachment", "update")
    assert event["attachment"]["message_ids"] == [message.id]
    assert first["type"] != "attachment"
    assert [may_read(each, file) for each in (ben, cleo, guest)] == [True, True, False]
    assert own(ana)[0]["message_ids"] == [message.id]


def test_files_in_direct_messages_are_for_participants(chat, ana, ben):
    cleo, file = chat.person("cleo", role="owner"), uploads(ana)

    ana.says(file.link, to=[ben])

    assert may_read(ben, file)
    assert not may_read(cleo, file)


def test_a_protected_history_protects_its_files(ana, ben):
    ana.joins("den", invite_only=True, history_public_to_subscribers=False)
    before = uploads(ana)
    ana.says(before.link, to="den > tides")
    ana.post(
        "/users/me/subscriptions", subscriptions=[{"name": "den"}], principals=[ben.id]
    ).succeeds()
    after = uploads(ana)
    ana.says(after.link, to="den > tides")

    assert not may_read(ben, before)
    assert may_read(ben, after)
    ben.leaves("den")
    assert not may_read(ben, after)


@pytest.mark.usefixtures("ana")
def test_a_moved_message_takes_its_files_along(chat, ben):
    owner = chat.person("olga", role="owner", channels=["kitchen"])
    owner.joins("den", invite_only=True)
    file = uploads(owner)
    message = owner.says(file.link, to="kitchen > tides")
    assert may_read(ben, file)

    owner.patch(f"/messages/{message.id}", stream_id=chat.channel("den").id).succeeds()

    assert not may_read(ben, file)
    assert may_read(owner, file)


def test_other_organizations_cannot_read_a_file(chat, ana):
    file = uploads(ana)
    ana.says(file.link, to="kitchen > tides")
    far = Chat.found(chat.server).person("far", role="owner")

    assert (fetches(far, file).status, fetches(far, file).body) == (404, GONE)
    stolen = far.says(file.link, to=[far])
    assert fetches(far, file).status == 404
    assert own(ana)[0]["message_ids"] != [stolen.id]


def test_a_link_alone_gives_no_access(ana, ben):
    """Sending, editing or scheduling a link does not give access to its file."""
    file = uploads(ana)

    message = ben.says(f"mine: {file.link}", to="kitchen > tides")
    ben.patch(f"/messages/{message.id}", content=f"still {file.link}").succeeds()
    note = ben.says(file.link, to=[ben])
    has = [{"operator": "has", "operand": "attachment"}]

    assert not may_read(ben, file)
    assert own(ana)[0]["message_ids"] == []
    found = ben.get("/messages", anchor="newest", num_before=10, narrow=has).succeeds()
    assert note.id not in [each["id"] for each in found["messages"]]


def test_a_reader_of_a_file_may_share_it(chat, ana, ben):
    cleo, file = chat.person("cleo"), uploads(ana)
    first = ana.says(file.link, to=[ben])
    queue = ana.listens_for("attachment")

    second = ben.says(file.link, to=[cleo])

    assert may_read(cleo, file)
    assert queue.next()["attachment"]["message_ids"] == [first.id, second.id]


def test_links_are_recognized_in_every_spelling(ana, ben):
    umlaut, far = uploads(ana, "Über uns.txt"), uploads(ana)
    site = f"http://{ana.chat.host}"

    ana.says(f"[x]({umlaut.url.replace('Ü', '%C3%9C')})", to="kitchen > tides")
    ana.says(f"look: {site}{far.url}", to="kitchen > tides")

    assert may_read(ben, umlaut)
    assert may_read(ben, far)


def test_spectators_may_read_files_of_web_public_messages(start_server):
    chat = Chat.found(start_server(web_public_streams_enabled=True), "")
    chat.set("enable_spectator_access", True)
    ana = chat.person("ana", role="owner")
    ana.joins("square", is_web_public=True)
    ana.joins("house")
    shown, hidden = uploads(ana), uploads(ana)
    ana.says(shown.link, to="square > tides")
    ana.says(hidden.link, to="house > tides")

    assert may_read(chat.stranger, shown)
    assert not may_read(chat.stranger, hidden)


# --- temporary links ---


def test_a_temporary_link_works_for_a_minute(own_chat):
    ana = own_chat.person("ana")
    file = uploads(ana, "Über uns.txt")

    link = ana.get(quote(f"/user_uploads/{file.path_id}")).succeeds()["url"]

    temporary = File(link, file.name)
    assert link.endswith("/Über-uns.txt")
    assert fetches(own_chat.stranger, temporary).body == b"low tide"
    own_chat.server.clock.move(seconds=61)
    assert fetches(own_chat.stranger, temporary).status == 403


def test_a_file_that_cannot_be_shown_is_explained_in_the_language_of_the_browser(chat, ana):
    file = uploads(ana)
    german = chat.stranger.with_headers(Accept_Language="de-AT,en;q=0.5")

    refused = fetches(chat.person("ben"), file, Accept_Language="ar")
    invalid = german.raw("GET", "/user_uploads/temporary/00/notes.txt")

    assert refused.body == error_page("لا يُسمح لك برؤية هذا الملف.", "ar", "rtl")
    assert invalid.body == error_page("Dieser Link ist nicht mehr gültig.", "de")


def test_a_temporary_link_cannot_be_forged(chat, ana):
    file, other = uploads(ana), uploads(ana)
    link = ana.get(f"/user_uploads/{file.path_id}").succeeds()["url"]
    token = link.split("/")[3]
    swapped = token.replace(file.path_id.encode().hex(), other.path_id.encode().hex())

    for each in (swapped, token[:-2], "00", "xyz", "3a3a"):
        reply = chat.stranger.raw("GET", f"/user_uploads/temporary/{each}/notes.txt")
        assert (reply.status, reply.body) == (403, error_page("This link is no longer valid."))


# --- downloading ---


def test_a_text_is_displayed_without_running_anything(ana):
    headers = fetches(ana, uploads(ana)).headers

    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Content-Disposition"] == 'inline; filename="notes.txt"'
    assert headers["Cache-Control"] == "private, immutable"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "name, content_type",
    [
        ("page.html", "text/html"),
        ("drawing.svg", "image/svg+xml"),
        ("page.txt", "application/xhtml+xml"),
        ("code.js", "text/javascript"),
        ("page.html", "application/octet-stream"),
        ("photo.png", "image/png"),
        ("x.png", 'image/png"; x="'),
    ],
)
def test_active_or_mislabelled_content_is_only_downloaded(ana, name, content_type):
    headers = fetches(ana, uploads(ana, name, b"<script>alert(1)</script>", content_type)).headers

    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"] == f'attachment; filename="{name}"'


def test_the_type_is_guessed_from_the_name_if_missing(ana):
    response = sends_form(ana, form(("song.mp3", b"la"), kind=None)).succeeds()

    reply = fetches(ana, File(response["url"], "song.mp3"))

    assert reply.headers["Content-Type"] == "audio/mpeg"


def test_a_file_name_of_any_script_survives_the_download(ana):
    file = uploads(ana, "Über uns\x07.txt")

    reply = fetches(ana, file, "?download")

    assert reply.headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''%C3%9Cber%20uns.txt"
    )


def test_ranges_and_revalidation_are_supported(ana):
    file = uploads(ana, "tide.bin", LARGE)
    whole = fetches(ana, file)

    def part(wanted):
        reply = fetches(ana, file, Range=wanted)
        return reply.status, reply.headers["Content-Range"], reply.body

    size = len(LARGE)
    assert part("bytes=0-9") == (206, f"bytes 0-9/{size}", LARGE[:10])
    assert part("bytes=262140-786440") == (
        206,
        f"bytes 262140-786440/{size}",
        LARGE[262140:786441],
    )
    assert part(f"bytes={size - 3}-") == (206, f"bytes {size - 3}-{size - 1}/{size}", b"end")
    assert part("bytes=-3") == (206, f"bytes {size - 3}-{size - 1}/{size}", b"end")
    assert part(f"bytes={size}-") == (416, f"bytes */{size}", b"")
    for nonsense in ("bytes=-", "bytes=9-3", "bytes=0-1,5-6", "lines=1-2"):
        assert fetches(ana, file, Range=nonsense).body == LARGE

    again = fetches(ana, file, If_None_Match=whole.headers["ETag"])
    head = ana.raw("HEAD", file.url)
    assert (again.status, again.body) == (304, b"")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(size))


# --- linking and deletion ---


def test_an_edit_changes_the_linked_files(ana, ben):
    first, second, third = uploads(ana, "1.txt"), uploads(ana, "2.txt"), uploads(ana, "3.txt")
    message = ana.says(f"{first.link} {second.link}", to="kitchen > tides")
    queue = ana.listens_for()

    response = ana.patch(
        f"/messages/{message.id}", content=f"{second.link} {third.link}"
    ).succeeds()

    (detached,) = response["detached_uploads"]
    assert (detached["path_id"], detached["message_ids"]) == (first.path_id, [])
    received = queue.all()
    assert [each["type"] for each in received] == ["attachment", "update_message"]
    assert received[0]["attachment"]["path_id"] == third.path_id
    assert [may_read(ben, each) for each in (first, second, third)] == [False, True, True]


def test_a_narrow_finds_messages_with_a_file(ana, ben):
    file = uploads(ana)
    message = ana.says(file.link, to="kitchen > tides")
    ana.says("[gone](/user_uploads/1/ab/cd/gone.txt)", to="kitchen > tides")
    has = [{"operator": "has", "operand": "attachment"}]

    def found():
        response = ben.get("/messages", anchor="newest", num_before=10, narrow=has).succeeds()
        return [each["id"] for each in response["messages"]]

    assert found() == [message.id]
    ana.patch(f"/messages/{message.id}", content="nothing").succeeds()
    assert found() == []


def test_a_file_is_deleted_with_the_last_message_that_links_it(ana, ben):
    file, kept = uploads(ana), uploads(ana, "kept.txt")
    first = ana.says(file.link + kept.link, to="kitchen > tides")
    second = ben.says(file.link, to="kitchen > tides")
    ana.says(kept.link, to=[ben])
    queue = ana.listens_for("attachment")

    ana.delete(f"/messages/{first.id}").succeeds()
    assert [each["op"] for each in queue.all()] == ["update", "update"]
    assert fetches(ben, file).status == 200
    ben.delete(f"/messages/{second.id}").succeeds()

    assert queue.next()["op"] == "remove"
    assert queue.silent()
    assert (fetches(ana, file).status, fetches(ana, file).body) == (404, GONE)
    response = ana.get("/attachments").succeeds()
    assert [each["name"] for each in response["attachments"]] == ["kept.txt"]
    assert response["upload_space_used"] == 8
    ana.get(f"/user_uploads/{file.path_id}").fails(
        "This file does not exist or has been deleted.", code="NOT_FOUND", status=404
    )


def test_an_owner_can_delete_a_linked_file(ana, ben):
    file = uploads(ana)
    message = ana.says(file.link, to="kitchen > tides")
    (listed,) = own(ana)
    queue = ana.listens_for("attachment")

    ben.delete(f"/attachments/{listed['id']}").fails("Invalid attachment")
    ana.delete(f"/attachments/{listed['id']}").succeeds()

    assert queue.next() == {
        "type": "attachment",
        "op": "remove",
        "attachment": {"id": listed["id"]},
        "upload_space_used": 0,
    }
    ana.delete(f"/attachments/{listed['id']}").fails("Invalid attachment")
    assert fetches(ben, file).status == 404
    ana.delete(f"/messages/{message.id}").succeeds()


def test_bots_and_guests_upload_too(chat, ana):
    bot = chat.person("bot", bot="generic", owner=ana)
    guest = chat.person("gus", role="guest", channels=["kitchen"])

    for each in (bot, guest):
        file = uploads(each)
        each.says(file.link, to="kitchen > tides")
        assert may_read(ana, file)


# --- pictures ---


def rendered(person, content):
    return person.sees(person.says(content, to="kitchen > tides"))["content"]


@pytest.mark.parametrize(
    "name, data, about",
    [
        ("boat.png", picture(size=(12, 9)), 'image/png" data-original-dimensions="12x9"'),
        ("boat.jpg", picture("JPEG", (9, 12)), 'image/jpeg" data-original-dimensions="9x12"'),
        ("boat.bmp", picture("BMP", (9, 12)), 'image/bmp" data-original-dimensions="9x12"'),
        ("boat.webp", picture("WEBP", (9, 12)), 'image/webp" data-original-dimensions="9x12"'),
    ],
)
def test_a_picture_is_shown_below_its_link(ana, name, data, about):
    file = uploads(ana, name, data, "application/octet-stream")
    src = f"/user_uploads/thumbnail/{file.path_id}/840x560.webp"

    assert rendered(ana, f"see [boat]({file.url})") == (
        f'<p>see <a href="{file.url}">boat</a></p>\n'
        f'<div class="message_inline_image"><a href="{file.url}" title="boat">'
        f'<img data-original-content-type="{about} src="{src}"></a></div>'
    )
    assert rendered(ana, f"![boat]({file.url})") == (
        f'<p><img alt="boat" class="inline-image" data-original-content-type="{about}'
        f' data-original-src="{file.url}" src="{src}"></p>'
    )


def test_an_animation_is_distinguished_from_a_picture(ana):
    file = uploads(ana, "boat.gif", animation(), "image/gif")

    assert '<img data-animated="true" data-original-content-type="image/gif"' in rendered(
        ana, file.link
    )


def test_other_files_and_foreign_pictures_are_only_linked(ana, ben):
    broken = uploads(ana, "boat.png", b"no picture", "image/png")
    foreign = uploads(ana, "boat.png", picture(), "image/png")

    for person, file in ((ana, broken), (ben, foreign)):
        assert rendered(person, file.link) == f'<p><a href="{file.url}">boat.png</a></p>'
        assert rendered(person, f"!{file.link}") == f"<p>!{file.link}</p>"


def test_the_size_of_a_large_picture_is_read(ana):
    large = uploads(ana, "boat.png", picture(size=(3000, 2000)) + LARGE, "image/png")

    assert 'dimensions="3000x2000"' in rendered(ana, large.link)


# --- thumbnails ---


def shown_small(person, file: File):
    """The thumbnail of a preview, as a browser requests it."""
    (src,) = re.findall(r'src="([^"]+)"', rendered(person, file.link))
    return person.raw("GET", src), src


def test_a_picture_is_shown_as_a_thumbnail(chat, ana, ben):
    file = uploads(ana, "boat.png", picture(size=(1680, 560)), "image/png")

    reply, src = shown_small(ana, file)

    small = Image.open(io.BytesIO(reply.body))
    assert src == f"/user_uploads/thumbnail/{file.path_id}/840x560.webp"
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/webp")
    assert (small.format, small.size) == ("WEBP", (840, 280))
    assert ben.raw("GET", src).body == reply.body
    assert chat.stranger.raw("GET", src).status == 401
    assert chat.person("gus", role="guest").raw("GET", src).status == 403
    assert ana.raw("GET", src.replace("840x560", "9x9")).status == 404


def test_a_rotated_photo_is_turned(ana):
    turned = Image.Exif()
    turned[ExifTags.Base.Orientation] = 6
    out = io.BytesIO()
    Image.new("RGB", (4000, 2000)).save(out, "JPEG", exif=turned)
    file = uploads(ana, "boat.jpg", out.getvalue(), "image/jpeg")

    reply, _ = shown_small(ana, file)

    assert 'dimensions="2000x4000"' in rendered(ana, file.link)
    assert Image.open(io.BytesIO(reply.body)).size == (280, 560)


def test_a_photo_with_two_versions_is_one_picture(ana):
    out = io.BytesIO()
    small = [Image.new("RGB", (400, 200))]
    Image.new("RGB", (4000, 2000)).save(out, "MPO", save_all=True, append_images=small)
    file = uploads(ana, "boat.jpg", out.getvalue(), "image/jpeg")

    reply, _ = shown_small(ana, file)

    about = '<img data-original-content-type="image/jpeg" data-original-dimensions="4000x2000"'
    assert about in rendered(ana, file.link)
    assert Image.open(io.BytesIO(reply.body)).size == (840, 420)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
def test_all_colour_modes_are_supported(ana, mode):
    out = io.BytesIO()
    kind = "JPEG" if mode == "CMYK" else "PNG"
    Image.new(mode, (900, 900)).save(out, kind)
    file = uploads(ana, f"boat.{kind.lower()}", out.getvalue(), "image/x")

    reply, _ = shown_small(ana, file)

    assert Image.open(io.BytesIO(reply.body)).size == (560, 560)


def test_animations_and_unsupported_pictures_are_shown_as_they_are(ana):
    moving, broken = animation(), picture(size=(900, 900))[:200]

    for name, data in (("boat.gif", moving), ("boat.png", broken)):
        reply, src = shown_small(ana, uploads(ana, name, data, "application/octet-stream"))
        assert (reply.status, reply.body) == (200, data)
        assert src.endswith("840x560-anim.webp" if data is moving else "840x560.webp")


def test_thumbnails_are_reported_and_deleted_with_the_file(ana, ben):
    boat, notes = uploads(ana, "boat.png", picture(), "image/png"), uploads(ana)
    _, src = shown_small(ana, boat)

    def status(person, file):
        return person.get(f"/thumbnail/status/{file.path_id}")

    assert status(ana, boat).succeeds()["has_thumbnail"] is True
    assert status(ana, notes).succeeds()["has_thumbnail"] is False
    status(ben, notes).fails("Invalid attachment")
    ana.delete(f"/attachments/{own(ana)[1]['id']}").succeeds()
    status(ana, boat).fails("Invalid attachment")
    assert ana.raw("GET", src).status == 404
