"""Moving out: what leaves, for whom, and that it can come back."""

import io
import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.support import pictures
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import uploads
from tests.support.people import Chat, Person
from tests.support.pictures import picture
from tests.support.server import SECRET
from tests.support.waiting import eventually

from tertulia import storage
from tertulia.database.tx import Tx


def exports(chat: Chat, file: Path, *flags: str) -> CommandResult:
    terminal = Terminal(chat.server.folder, chat.server.url)
    words = ("export", str(file), "--org", chat.realm.subdomain, *flags)
    result = terminal.runs(*words, TERTULIA_SECRET=SECRET)
    assert result.code == 0, result.err
    return result


def read(file: Path, name: str):
    with tarfile.open(file) as archive:
        (member,) = [each for each in archive.getnames() if each.endswith(name)]
        contents = archive.extractfile(member)
        assert contents is not None
        return json.loads(contents.read())


def texts(file: Path) -> list[str]:
    return [row["content"] for row in read(file, "messages-000001.json")["zerver_message"]]


@pytest.fixture
def lively(in_kitchen, ana, ben):
    """Things are said in the open, behind a door, and between two people."""
    ana.joins("cellar", invite_only=True)
    ana.says("in the open", to="kitchen > lunch")
    ana.says("behind a door", to="cellar > wine")
    ana.says("between us", to=[ben])


@pytest.mark.parametrize(
    "export_type, leaves",
    [
        ("public", ["in the open"]),
        ("full_with_consent", ["in the open", "between us"]),
        ("full_without_consent", ["in the open", "behind a door", "between us"]),
    ],
)
def test_each_export_type_contains_only_its_messages(
    chat, lively, ben, tmp_path, export_type, leaves
):
    ben.patch("/settings", allow_private_data_export=True).succeeds()

    exports(chat, tmp_path / "out.tar.gz", "--type", export_type)

    assert texts(tmp_path / "out.tar.gz") == leaves


@pytest.mark.parametrize(
    "export_type, included, conversations",
    [
        ("public", [], []),
        ("full_with_consent", ["ben"], [["ana", "ben"]]),
        (
            "full_without_consent",
            ["ana", "ben", "cat"],
            [["ana", "ben"], ["ana", "cat"]],
        ),
    ],
)
def test_private_data_of_users_without_consent_is_not_exported(
    chat, lively, ana, ben, tmp_path, export_type, included, conversations
):
    cat = chat.person("cat", channels=["kitchen"])
    names = {ana.id: "ana", ben.id: "ben", cat.id: "cat"}
    ben.patch("/settings", allow_private_data_export=True).succeeds()
    ana.says("not for Ben", to=[cat])
    for who, other in ((ana, ben), (ben, cat), (cat, ana)):
        who.post(f"/users/me/muted_users/{other.id}").succeeds()
        who.post("/users/me/alert_words", alert_words=["soup"]).succeeds()
        who.post(
            "/user_topics", stream_id=chat.channel("kitchen").id, topic="lunch", visibility_policy=1
        ).succeeds()
    notes = uploads(ana, "notes.txt", b"salt, pepper")
    ana.says(f"See {notes.link}", to=[cat])
    shared = ana.says(f"See {notes.link}", to="kitchen > lunch")

    file = tmp_path / "out.tar.gz"
    exports(chat, file, "--type", export_type)

    tables = read(file, "realm.json")
    for table in ("zerver_muteduser", "zerver_alertword", "zerver_usertopic"):
        assert sorted({names[row["user_profile"]] for row in tables[table]}) == included, table
    held = read(file, "messages-000001.json")["zerver_usermessage"]
    assert sorted({names[row["user_profile"]] for row in held}) == included
    groups = [row["id"] for row in tables["zerver_recipient"] if row["type"] != 2]
    members = [
        sorted(
            names[row["user_profile"]]
            for row in tables["zerver_subscription"]
            if row["recipient"] == group
        )
        for group in groups
    ]
    assert sorted(members) == conversations
    assert len(tables["zerver_huddle"]) == len(conversations)
    is_whole = export_type == "full_without_consent"
    assert ("cellar" in [row["name"] for row in tables["zerver_stream"]]) == is_whole
    assert len(tables["zerver_userprofile"]) == 3
    (attachment,) = read(file, "attachment.json")["zerver_attachment"]
    assert shared.id in attachment["messages"]
    assert len(attachment["messages"]) == (2 if is_whole else 1)


def test_an_exported_organization_is_imported_unchanged(chat, lively, ana, ben, tmp_path):
    notes = uploads(ana, "notes.txt", b"salt, pepper")
    linked = ana.says(f"See {notes.link}", to="kitchen > lunch")
    ben.post(f"/messages/{linked.id}/reactions", emoji_name="tada").succeeds()
    exports(chat, tmp_path / "out.tar.gz")

    there = Terminal(tmp_path / "there")
    result = there.runs("import", str(tmp_path / "out.tar.gz"))

    assert result.code == 0, result.err
    for line in ("2  people", "4  messages", "1  reactions", "1  files"):
        assert line in result.out, result.out
    assert "import_source" not in result.out
    assert there.runs("check").out.endswith("No problems found.\n")
    again = tmp_path / "again.tar.gz"
    there.runs("export", str(again))
    ours, theirs = (read(file, "messages-000001.json") for file in (tmp_path / "out.tar.gz", again))
    for mine, other in zip(ours["zerver_message"], theirs["zerver_message"], strict=True):
        for key in ("id", "sender", "subject", "content", "date_sent", "has_attachment"):
            assert mine[key] == other[key]
    assert sorted(map(str, ours["zerver_usermessage"])) == sorted(
        map(str, theirs["zerver_usermessage"])
    )


def test_exported_channels_keep_their_privacy(start_server, tmp_path):
    chat = Chat.found(start_server(web_public_streams_enabled=True), "")
    chat.set("enable_spectator_access", True)
    owner = chat.person("ana", role="owner")
    owner.joins("square", is_web_public=True)
    owner.joins("cellar", invite_only=True)
    owner.joins("attic", invite_only=True, history_public_to_subscribers=False)
    file, again = tmp_path / "out.tar.gz", tmp_path / "again.tar.gz"
    exports(chat, file)

    there = Terminal(tmp_path / "there")
    assert there.runs("import", str(file)).code == 0
    there.runs("export", str(again))

    assert doors(again) == doors(file)
    assert [name for name, door in doors(again).items() if door[1]] == ["square"]


def doors(file: Path) -> dict[str, list[bool]]:
    columns = ("invite_only", "is_web_public", "history_public_to_subscribers")
    rows = read(file, "realm.json")["zerver_stream"]
    return {row["name"]: [row[each] for each in columns] for row in rows}


def has_everything(chat, ana, ben) -> None:
    """Emoji, pictures, groups, profiles, statuses, and what people mute and follow."""
    admin = chat.person("cat", role="admin")
    pictures.uploads(admin, "soup", picture()).succeeds()
    pictures.uploads_to(ana, "/users/me/avatar", picture(size=(300, 200))).succeeds()
    message = ana.says("Soup?", to="kitchen > lunch")
    ben.post(f"/messages/{message.id}/reactions", emoji_name="soup").succeeds()
    ben.post("/users/me/status", status_text="eating", emoji_name="soup").succeeds()
    admin.post(
        "/user_groups/create", name="cooks", description="Who cook", members=[ana.id, ben.id]
    ).succeeds()
    food = admin.post("/realm/profile_fields", name="Food", field_type=1).succeeds()["id"]
    friends = admin.post("/realm/profile_fields", name="Friends", field_type=6).succeeds()["id"]
    data = [{"id": food, "value": "*soup*"}, {"id": friends, "value": [ben.id]}]
    ana.patch("/users/me/profile_data", data=data).succeeds()
    kitchen = chat.channel("kitchen").id
    ana.post("/user_topics", stream_id=kitchen, topic="lunch", visibility_policy=3).succeeds()
    ana.post(f"/users/me/muted_users/{ben.id}").succeeds()
    ana.post("/users/me/alert_words", alert_words=["soup"]).succeeds()


def exported_profiles(file: Path):
    """What an export tells of all that, by names: numbers may have changed."""
    tables = read(file, "realm.json")
    emails = {row["id"]: row["email"] for row in tables["zerver_userprofile"]}
    emoji = {str(row["id"]): row["name"] for row in tables["zerver_realmemoji"]}
    groups = {row["usergroup_ptr"]: row["name"] for row in tables["zerver_namedusergroup"]}
    fields = {row["id"]: row["name"] for row in tables["zerver_customprofilefield"]}
    return {
        "emoji": sorted(emoji.values()),
        "avatars": sorted(
            emails[row["user_profile_id"]] for row in read(file, "avatars/records.json")
        ),
        "groups": sorted(
            (groups[row["user_group"]], emails[row["user_profile"]])
            for row in tables["zerver_usergroupmembership"]
            if row["user_group"] in groups  # others are the values of permissions
        ),
        "answers": sorted(
            (emails[row["user_profile"]], fields[row["field"]], row["rendered_value"])
            for row in tables["zerver_customprofilefieldvalue"]
        ),
        "statuses": [
            (emails[row["user_profile"]], row["status_text"], emoji[row["emoji_code"]])
            for row in tables["zerver_userstatus"]
        ],
        "reactions": [
            (emails[row["user_profile"]], emoji[row["emoji_code"]])
            for row in tables["zerver_reaction"]
            if row["reaction_type"] == "realm_emoji"
        ],
        "topics": [
            (emails[row["user_profile"]], row["topic_name"], row["visibility_policy"])
            for row in tables["zerver_usertopic"]
            if emails[row["user_profile"]].startswith("ana")
        ],
        "muted": [
            (emails[row["user_profile"]], emails[row["muted_user"]])
            for row in tables["zerver_muteduser"]
        ],
        "words": [(emails[row["user_profile"]], row["word"]) for row in tables["zerver_alertword"]],
    }


@pytest.mark.on_one
@pytest.mark.parametrize("is_beside_another", [False, True])
def test_exported_personal_data_is_imported_unchanged(
    chat, lively, ana, ben, tmp_path, is_beside_another
):
    has_everything(chat, ana, ben)
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    exports(chat, first)

    there = Terminal(tmp_path / "there")
    location = ("--subdomain", "moved") if is_beside_another else ()
    if is_beside_another:
        there.creates_organization()
    foreseen = there.runs("import", str(first), "--dry-run", *location)
    result = there.runs("import", str(first), *location)
    there.runs("export", str(second), *(("--org", "moved") if is_beside_another else ()))

    assert result.code == 0, result.err
    for kind in (
        *("custom emoji", "pictures of people", "groups", "topics muted or followed"),
        *("muted people", "alert words", "statuses"),
    ):
        assert f"1  {kind}\n" in result.out.replace("2  topics", "1  topics"), result.out
        assert f"1  {kind}\n" in foreseen.out.replace("2  topics", "1  topics"), foreseen.out
    assert "2  profile fields\n" in result.out
    assert "Not imported" not in result.out
    assert exported_profiles(second) == exported_profiles(first)
    assert there.runs("check").out.endswith("No problems found.\n")


def test_exports_contain_no_secrets(chat, lively, ana, tmp_path):
    exports(chat, tmp_path / "out.tar.gz")
    exports(chat, tmp_path / "ana.tar.gz", "--person", ana.email)

    for file in ("out.tar.gz", "ana.tar.gz"):
        with tarfile.open(tmp_path / file) as archive:
            for member in archive:
                contents = archive.extractfile(member)
                assert contents is not None
                text = contents.read().decode()
                assert "password" not in text
                assert "key_sealed" not in text
    assert (tmp_path / "out.tar.gz").stat().st_mode & 0o777 == 0o600


def test_a_personal_export_contains_the_data_of_its_user_only(chat, lively, ana, ben, tmp_path):
    ben.says("what Ben said", to="kitchen > lunch")
    ana.post("/saved_snippets", title="soup", content="with salt").succeeds()
    uploads(ana, "notes.txt", b"salt, pepper")

    exports(chat, tmp_path / "ana.tar.gz", "--person", ana.email)

    found = read(tmp_path / "ana.tar.gz", "person.json")
    assert [row["content"] for row in found["message"]] == [
        "in the open",
        "behind a door",
        "between us",
    ]
    assert [row["content"] for row in found["saved_snippet"]] == ["with salt"]
    assert "what Ben said" not in json.dumps(found)
    with tarfile.open(tmp_path / "ana.tar.gz") as archive:
        assert any(each.endswith("notes.txt") for each in archive.getnames())


def test_a_personal_export_has_no_deleted_messages_holds_or_mutes(chat, lively, ana, ben, tmp_path):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    held = ana.says("Burn the papers", to="kitchen > lunch")
    owner.post("/realm/legal_holds", reason="Case 4711", held_user_ids=[ana.id]).succeeds()
    ana.patch(f"/messages/{held.id}", content="Something else").succeeds()
    ana.delete(f"/messages/{held.id}").succeeds()
    ben.post(f"/users/me/muted_users/{ana.id}").succeeds()

    exports(chat, tmp_path / "ana.tar.gz", "--person", ana.email)

    text = json.dumps(read(tmp_path / "ana.tar.gz", "person.json"))
    for hidden in ("Burn the papers", "Something else", "Case 4711", "muted_user"):
        assert hidden not in text


def makes_exports(chat: Chat) -> None:
    """The server's own job runs, too: the second one waits for the first."""
    chat.server.run_job("exports")
    eventually(lambda: not chat.read(_are_being_made))


def _are_being_made(tx: Tx) -> bool:
    """Also exports of single users, which the list of exports leaves out."""
    return tx.one(f"{storage.due_jobs.EXPORT} AND realm_id = :realm") is not None


def test_an_administrator_requests_an_export_and_downloads_it(chat, lively, ana):
    owner = chat.person("owner", role="owner")
    queue = owner.listens_for("realm_export", "message")

    number = owner.post("/export/realm", export_type="public").succeeds()["id"]
    requested = queue.next()["exports"][-1]
    makes_exports(chat)

    assert (requested["id"], requested["pending"], requested["export_url"]) == (number, True, None)
    (export,) = owner.get("/export/realm").succeeds()["exports"]
    assert (export["pending"], export["acting_user_id"]) == (False, owner.id)
    path = export["export_url"].partition("/user_uploads/")[2]
    fetched = owner.raw("GET", f"/user_uploads/{path}")
    assert (fetched.status, fetched.body[:2]) == (200, b"\x1f\x8b")
    assert ana.raw("GET", f"/user_uploads/{path}").status == 403

    owner.delete(f"/export/realm/{number}").succeeds()
    assert owner.raw("GET", f"/user_uploads/{path}").status == 404
    owner.delete(f"/export/realm/{number}").fails("Export already deleted")


@pytest.mark.parametrize("as_html", [False, True])
def test_an_export_is_for_its_requester_while_they_are_administrator(chat, lively, ana, as_html):
    """Not for others by a link to it, nor for who is no administrator any more."""
    owner = chat.person("owner", role="owner")
    adam = chat.person("adam", role="admin", channels=["kitchen"])
    adam.post("/export/realm", as_html=as_html).succeeds()
    makes_exports(chat)
    (export,) = adam.get("/export/realm").succeeds()["exports"]
    path = "/user_uploads/" + export["export_url"].partition("/user_uploads/")[2]
    adam.says(f"[all of it]({path})", to=[adam, ana])

    def statuses() -> list[int]:
        direct = [who.raw("GET", path).status for who in (adam, ana, owner)]
        return [*direct, adam.get(path).status]

    assert statuses() == [200, 403, 403, 200]
    adam.post("/export/realm").succeeds()
    owner.patch(f"/users/{adam.id}", role=400).succeeds()
    assert statuses() == [403, 403, 403, 403]
    makes_exports(chat)
    (_, second) = owner.get("/export/realm").succeeds()["exports"]
    assert second["failed_timestamp"] is not None


def test_an_export_is_in_no_other_export(chat, lively, ana, tmp_path):
    adam = chat.person("adam", role="admin", channels=["kitchen"])
    for as_html in (False, True):
        adam.post("/export/realm", as_html=as_html).succeeds()
    makes_exports(chat)
    for export in adam.get("/export/realm").succeeds()["exports"]:
        path = export["export_url"].partition("/user_uploads/")[2]
        adam.says(f"[all of it](/user_uploads/{path})", to="kitchen > lunch")

    exports(chat, tmp_path / "all.tar.gz")
    exports(chat, tmp_path / "adam.tar.gz", "--person", adam.email)
    exports(chat, tmp_path / "pages", "--html")

    names = [path.name for path in (tmp_path / "pages").rglob("*")]
    for file in ("all.tar.gz", "adam.tar.gz"):
        with tarfile.open(tmp_path / file) as archive:
            names += archive.getnames()
    assert not [name for name in names if "tertulia-export-" in name]


def test_exports_are_for_administrators_and_limited_per_week(chat, lively, ana):
    owner = chat.person("owner", role="owner")

    refused = ana.post("/export/realm")
    owner.post("/export/realm", export_type="full_without_consent").fails(
        "Exports of all public and private data are not enabled for this organization."
    )
    for _ in range(5):
        owner.post("/export/realm").succeeds()

    assert refused.json["code"] == "UNAUTHORIZED_PRINCIPAL"
    owner.post("/export/realm").fails("Exceeded rate limit.")


def test_export_consents_are_listed(chat, lively, ana, ben):
    owner = chat.person("owner", role="owner")
    ben.patch("/settings", allow_private_data_export=True).succeeds()

    response = owner.get("/export/realm/consents").succeeds()["export_consents"]

    assert {each["user_id"]: each["consented"] for each in response} == {
        ana.id: False,
        ben.id: True,
        owner.id: False,
    }


# --- one channel ---


def pages(chat: Chat, who: Person) -> dict[str, str]:
    """The pages of the newest export, by path in the archive."""
    makes_exports(chat)
    export = who.get("/export/realm").succeeds()["exports"][-1]
    assert export["failed_timestamp"] is None
    return pages_in(who, export["export_url"].partition("/user_uploads/")[2])


def pages_in(who: Person, path: str) -> dict[str, str]:
    fetched = who.raw("GET", f"/user_uploads/{path}")
    assert fetched.status == 200
    found = {}
    with zipfile.ZipFile(io.BytesIO(fetched.body)) as archive:
        for name in archive.namelist():
            if name.endswith((".html", ".txt")):
                found[name.partition("/")[2]] = archive.read(name).decode()
    return found


def test_an_administrator_exports_the_organization_as_pages_and_deletes_them(chat, lively, ana):
    adam = chat.person("adam", role="admin")

    number = adam.post("/export/realm", as_html=True).succeeds()["id"]
    written = pages(chat, adam)

    assert "index.html" in written
    assert any("in the open" in text for text in written.values())
    assert all("behind a door" not in text for text in written.values())
    (export,) = adam.get("/export/realm").succeeds()["exports"]
    assert export["is_html"]
    assert export["export_url"].endswith(".zip")
    ana.post("/export/realm", as_html=True).fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )
    adam.delete(f"/export/realm/{number}").succeeds()
    path = export["export_url"].partition("/user_uploads/")[2]
    assert adam.raw("GET", f"/user_uploads/{path}").status == 404


def test_an_administrator_exports_one_channel_as_pages(chat, lively, ana):
    adam = chat.person("adam", role="admin")
    notes = uploads(ana, "notes.txt", b"salt, pepper")
    ana.says(f"See {notes.link}", to="kitchen > lunch")
    ana.joins("hall")
    ana.says("elsewhere", to="hall > door")
    kitchen = chat.channel("kitchen").id

    number = adam.post(f"/streams/{kitchen}/export").succeeds()["id"]
    written = pages(chat, adam)

    (topic,) = (path for path in written if re.fullmatch(rf"channels/{kitchen}/t\d+.html", path))
    assert "in the open" in written[topic]
    assert all("elsewhere" not in text and "behind a door" not in text for text in written.values())
    assert "salt, pepper" in [text for path, text in written.items() if path.startswith("files/")]
    assert [path for path in written if path.startswith("channels/")] == [
        f"channels/{kitchen}/index.html",
        topic,
    ]
    (export,) = adam.get("/export/realm").succeeds()["exports"]
    assert (export["id"], export["stream_id"]) == (number, kitchen)
    entry = adam.get("/realm/audit_log").succeeds()["entries"][0]
    assert (entry["act"], entry["object"]) == (
        f"POST /streams/{kitchen}/export",
        f"channel/{kitchen}",
    )


def test_a_private_channel_is_exported_as_far_as_its_people_consent(chat, lively, ana, ben):
    owner = chat.person("owner", role="owner")
    cellar = chat.channel("cellar").id
    path = f"/streams/{cellar}/export"
    owner.post(path).fails("This channel is private. Choose an export that contains private data.")
    owner.post(path, export_type="full_without_consent").fails(
        "Exports of all public and private data are not enabled for this organization."
    )

    owner.post(path, export_type="full_with_consent").succeeds()
    without = pages(chat, owner)
    ana.patch("/settings", allow_private_data_export=True).succeeds()
    owner.post(path, export_type="full_with_consent").succeeds()
    with_consent = pages(chat, owner)

    assert list(without) == ["index.html"]
    topic = next(path for path in with_consent if path.startswith(f"channels/{cellar}/t"))
    assert "behind a door" in with_consent[topic]
    assert all("between us" not in text for text in with_consent.values())


def test_the_export_of_a_channel_is_for_administrators_and_counts_as_an_export(chat, lively, ana):
    owner = chat.person("owner", role="owner")
    path = f"/streams/{chat.channel('kitchen').id}/export"

    refused = ana.post(path)
    unknown = owner.post("/streams/999999/export")
    for _ in range(5):
        owner.post(path).succeeds()

    assert refused.json["code"] == "UNAUTHORIZED_PRINCIPAL"
    assert unknown.json["msg"] == "Invalid channel ID"
    owner.post(path).fails("Exceeded rate limit.")


def own_pages(chat: Chat, who: Person) -> dict[str, str]:
    """The pages of the export that a user was notified of last, by path in the archive."""
    makes_exports(chat)
    found = who.get("/messages", anchor="newest", num_before=1, num_after=0).succeeds()
    path = re.findall(r'href="/user_uploads/([^"]+)"', found["messages"][-1]["content"])[0]
    return pages_in(who, path)


def test_a_user_exports_what_they_wrote_and_received_as_pages(chat, lively, ana, ben):
    cat = chat.person("cat", channels=["attic"])
    cat.says("elsewhere", to="attic > boxes")

    ben.post(f"/users/{ben.id}/export").succeeds()
    text = "\n".join(own_pages(chat, ben).values())

    assert "in the open" in text
    assert "between us" in text
    assert "behind a door" not in text
    assert "elsewhere" not in text
    admin = chat.person("adam", role="admin")
    assert admin.get("/export/realm").succeeds()["exports"] == []


def test_a_personal_export_lacks_what_was_moved_to_a_channel_hidden_from_the_user(
    chat, lively, ana, ben
):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    received = ana.says("received and moved", to="kitchen > secret")
    written = ben.says("written and moved", to="kitchen > secret")
    kept = ben.says("written and kept", to="kitchen > lunch")
    owner.joins("vault-of-owner", invite_only=True)
    target = chat.channel("vault-of-owner").id
    owner.patch(
        f"/messages/{received.id}", stream_id=target, topic="hidden", propagate_mode="change_all"
    ).succeeds()

    ben.post(f"/users/{ben.id}/export").succeeds()
    text = "\n".join(own_pages(chat, ben).values())

    assert kept.content in text
    for hidden in (received.content, written.content, "vault-of-owner"):
        assert hidden not in text


def test_the_file_of_a_personal_export_is_for_its_requester_only(chat, lively, ana, ben):
    owner = chat.person("owner", role="owner")
    ben.post(f"/users/{ben.id}/export").succeeds()
    own_pages(chat, ben)
    (file,) = ben.get("/attachments").succeeds()["attachments"]

    for other in (ana, owner):
        assert other.raw("GET", f"/user_uploads/{file['path_id']}").status in (403, 404)


def test_an_owner_exports_messages_of_a_user_who_agrees_or_where_owners_may_read_all(
    chat, lively, ana, ben
):
    owner = chat.person("owner", role="owner")
    admin = chat.person("adam", role="admin")
    path = f"/users/{ben.id}/export"

    ana.post(path).fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")
    admin.post(path).fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")
    owner.post("/users/999999/export").fails("No such user")
    owner.post(path).fails("This user does not agree to exports of private data.")
    ben.patch("/settings", allow_private_data_export=True).succeeds()
    owner.post(path).succeeds()
    text = "\n".join(own_pages(chat, owner).values())
    ben.patch("/settings", allow_private_data_export=False).succeeds()
    chat.set("owner_full_content_access", True)
    owner.post(path).succeeds()

    assert "between us" in text
    entry = owner.get("/realm/audit_log").succeeds()["entries"][0]
    assert (entry["act"], entry["object"]) == (f"POST {path}", f"user/{ben.id}")


def test_a_user_may_request_five_personal_exports_a_week(chat, lively, ben, ana):
    for _ in range(5):
        ben.post(f"/users/{ben.id}/export").succeeds()

    ben.post(f"/users/{ben.id}/export").fails("Exceeded rate limit.")
    ana.post(f"/users/{ana.id}/export").succeeds()
