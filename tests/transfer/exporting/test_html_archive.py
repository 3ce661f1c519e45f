"""HTML archives: a folder that a browser opens without a server."""

import json
import os
import re
import signal
import tracemalloc
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support import pictures
from tests.support.axe import violations
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import uploads
from tests.support.html_validity import MARKUP, html_errors
from tests.support.people import Chat
from tests.support.pictures import picture
from tests.support.server import SECRET
from tools.sample_organization.organization import Size, generate

from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.external.stores.file_stores import FileStores
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.html_archive import search_index, writer
from tertulia.transfer.html_archive.search_index import SearchIndex
from tertulia.transfer.html_archive.writer import HtmlArchive


def archives(chat: Chat, folder: Path, *flags: str) -> CommandResult:
    terminal = Terminal(chat.server.folder, chat.server.url)
    words = ("export", "--html", str(folder), "--org", chat.realm.subdomain, *flags)
    result = terminal.runs(*words, TERTULIA_SECRET=SECRET)
    assert result.code == 0, result.err
    return result


def all_html(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.html")))


def broken_links(folder: Path) -> list[str]:
    broken = []
    for page in folder.rglob("*.html"):
        for link in re.findall(r'\s(?:href|src)="([^"]*)"', page.read_text()):
            path, _, anchor = unescape(link).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (page.parent / path).resolve() if path else page
            is_there = target.is_file() and target.is_relative_to(folder.resolve())
            if not is_there or (anchor and f'id="{anchor}"' not in target.read_text()):
                broken.append(f"{page.name}: {link}")
    return broken


@pytest.fixture
def lively(in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True)
    first = ana.says("in the open", to="kitchen > lunch")
    ana.says("behind a door", to="cellar > wine")
    ana.says("between us", to=[ben])
    return first


@pytest.mark.parametrize(
    "export_type, texts",
    [
        ("public", {"in the open"}),
        ("full_with_consent", {"in the open", "between us"}),
        ("full_without_consent", {"in the open", "behind a door", "between us"}),
    ],
)
def test_an_archive_has_what_the_rules_of_exports_allow(
    chat, lively, ben, tmp_path, export_type, texts
):
    ben.patch("/settings", allow_private_data_export=True).succeeds()

    archives(chat, tmp_path / "out", "--type", export_type)

    html = all_html(tmp_path / "out")
    known = {"in the open", "behind a door", "between us"}
    assert {text for text in known if text in html} == texts
    assert ("cellar" in html) == ("behind a door" in texts)
    words = "".join(path.read_text() for path in (tmp_path / "out" / "search").glob("*.js"))
    assert ("behind" in words) == ("behind a door" in texts)


def test_an_archive_of_a_person_has_what_they_wrote_and_received(chat, lively, ben, tmp_path):
    chat.person("cat", channels=["attic"]).says("elsewhere", to="attic > boxes")

    archives(chat, tmp_path / "out", "--person", ben.email)

    html = all_html(tmp_path / "out")
    assert "in the open" in html
    assert "between us" in html
    assert "behind a door" not in html
    assert "elsewhere" not in html


def test_inline_images_custom_emoji_and_absolute_addresses_of_the_server_are_archived(
    chat, lively, ana, tmp_path
):
    image = uploads(ana, "soup.png", picture(), "image/png")
    pictures.uploads(ana, "broth", picture()).succeeds()
    ana.says(f"![soup]({image.url})", to="kitchen > lunch")
    ana.says(f"[absolute](http://{chat.host}{image.url}) :broth:", to="kitchen > lunch")

    archives(chat, tmp_path / "out")

    html = (
        tmp_path / "out" / f"channels/{chat.channel('kitchen').id}/t{lively.id}.html"
    ).read_text()
    (file,) = (tmp_path / "out" / "files").rglob("soup.png")
    (emoji,) = (tmp_path / "out" / "emoji").iterdir()
    path = file.relative_to(tmp_path / "out")
    assert f' src="../../{path}"' in html
    assert f'href="../../{path}">absolute<' in html
    assert f'src="../../emoji/{emoji.name}"' in html
    assert not broken_links(tmp_path / "out")


@pytest.mark.parametrize("policy, is_shown", [("all", True), ("moves", False), ("none", False)])
def test_an_archive_of_a_person_has_earlier_versions_if_the_organization_shows_them(
    chat, lively, ana, ben, tmp_path, policy, is_shown
):
    ana.patch(f"/messages/{lively.id}", content="in the garden").succeeds()
    chat.set("message_edit_history_visibility_policy", policy)

    archives(chat, tmp_path / "out", "--person", ben.email)

    html = all_html(tmp_path / "out")
    assert "in the garden" in html
    assert ("in the open" in html) == is_shown


def test_an_archive_of_a_guest_names_only_people_whom_they_may_know(chat, lively, ana, tmp_path):
    guest = chat.person("gus", role="guest", channels=["kitchen"])
    ana.says(f"Good bye from @_**{ana.name}**", to="kitchen > lunch")
    ana.leaves("kitchen")
    chat.permit("can_access_all_users_group", "members")

    archives(chat, tmp_path / "out", "--person", guest.email)

    html = all_html(tmp_path / "out")
    words = "".join(path.read_text() for path in (tmp_path / "out" / "search").glob("*.js"))
    assert "Good bye" in html
    assert "Unknown user" in html
    assert not re.search(r"\bana\b", html + words, re.I)


def test_files_polls_edits_and_reactions_are_archived_and_links_resolve(
    chat, lively, ana, ben, tmp_path
):
    image = uploads(ana, "soup.png", picture(), "image/png")
    ana.says(f"[soup.png]({image.url})", to="kitchen > lunch")
    poll = ana.says("/poll Soup?\nyes\nno", to="kitchen > votes")
    vote = '{"type":"vote","key":"canned,0","vote":1}'
    ben.post("/submessage", message_id=poll.id, msg_type="widget", content=vote).succeeds()
    ana.patch(f"/messages/{lively.id}", content="in the garden").succeeds()
    ben.post(f"/messages/{lively.id}/reactions", emoji_name="tada").succeeds()
    kitchen = chat.channel("kitchen").id
    ana.says(f"#**kitchen>lunch** #**kitchen>lunch@{lively.id}**", to="kitchen > votes")
    chat.fill(ana, "kitchen > lunch", 120)

    archives(chat, tmp_path / "out")

    html = all_html(tmp_path / "out")
    assert not broken_links(tmp_path / "out")
    assert f"channels/{kitchen}/t{lively.id}.html#m{lively.id}" in html
    assert "in the garden" in html
    assert "<details><summary>Earlier version" in html
    assert "🎉<b>1</b>" in html
    assert re.search(r"yes</bdi> <small>1 vote<", html)
    (file,) = (tmp_path / "out" / "files").rglob("soup.png")
    assert file.read_bytes() == picture()


def test_the_address_of_a_private_file_in_a_public_text_does_not_export_it(
    chat, in_kitchen, ana, ben, tmp_path
):
    ana.joins("cellar", invite_only=True)
    secret, shared = uploads(ana, "secret.txt", b"wine"), uploads(ana, "shared.txt", b"soup")
    ana.says(f"{secret.link} {shared.link}", to="cellar > wine")
    ana.says(shared.link, to="kitchen > lunch")
    ben.says(f"Look: {secret.link}", to="kitchen > lunch")

    archives(chat, tmp_path / "public", "--type", "public")
    archives(chat, tmp_path / "ben", "--person", ben.email)

    for folder in ("public", "ben"):
        assert [path.name for path in (tmp_path / folder / "files").rglob("*.txt")] == [
            "shared.txt"
        ]
        assert broken_links(tmp_path / folder) == []


def test_every_page_of_an_archive_is_valid_whatever_people_write(chat, lively, ana, ben, tmp_path):
    image = uploads(ana, "a & <b>.png", picture(), "image/png")
    for text in (*MARKUP, "from a \x1b[31mterminal\x0b", f"[a picture]({image.url})"):
        last = ana.says(text, to='kitchen > <All> & "kinds"')
        ana.says(text, to=[ben])
    ana.patch(f"/messages/{last.id}", content="and *edited*").succeeds()
    ben.post(f"/messages/{last.id}/reactions", emoji_name="tada").succeeds()

    archives(chat, tmp_path / "out")

    pages = list((tmp_path / "out").rglob("*.html"))
    assert len(pages) > 5
    for page in pages:
        assert not html_errors(page.read_text()), page
    assert not broken_links(tmp_path / "out")


def test_a_file_is_archived_though_no_file_system_has_names_as_long(
    chat, in_kitchen, ana, tmp_path
):
    names = ("\u4f1a" * 90 + ".txt", "a." + "\u4f1a" * 90)
    files = [uploads(ana, name, name.encode(), "text/plain") for name in names]
    for file in files:
        ana.says(f"[here]({file.url})", to="kitchen > lunch")

    archives(chat, tmp_path / "out")

    written = [path for path in (tmp_path / "out" / "files").rglob("*") if path.is_file()]
    assert {path.read_bytes().decode() for path in written} == set(names)
    assert {path.suffix for path in written} > {".txt"}
    assert all_html(tmp_path / "out").count('href="../../files/') == 2
    assert broken_links(tmp_path / "out") == []


@pytest.mark.parametrize(
    "command", [("export", "--html"), ("export",), ("discover", "--reason", "x")]
)
def test_a_terminated_export_leaves_nothing(chat, lively, tmp_path, monkeypatch, command):
    monkeypatch.setattr(Progress, "show", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        terminal = Terminal(chat.server.folder, chat.server.url)
        words = (*command, str(tmp_path / "out"), "--org", chat.realm.subdomain)
        ended = terminal.runs(*words, TERTULIA_SECRET=SECRET)
    finally:
        signal.signal(signal.SIGTERM, before)

    assert ended.code == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("export", "--html"), ("discover", "--reason", "x")])
def test_only_what_a_killed_command_left_is_replaced(chat, lively, tmp_path, command):
    terminal = Terminal(chat.server.folder, chat.server.url)
    foreign, left = tmp_path / "foreign", tmp_path / "left"
    (tmp_path / "foreign.part").mkdir()
    (tmp_path / "foreign.part" / "letter.txt").write_text("Dear Ana")
    (tmp_path / "left.part" / "static").mkdir(parents=True)
    (tmp_path / "left.part" / "old.html").write_text("half")

    words = ("--org", chat.realm.subdomain)
    refused = terminal.runs(*command, str(foreign), *words, TERTULIA_SECRET=SECRET)
    repeated = terminal.runs(*command, str(left), *words, TERTULIA_SECRET=SECRET)

    assert refused.code == 1
    assert "foreign.part already exists, and is not from an export." in refused.err
    assert (tmp_path / "foreign.part" / "letter.txt").read_text() == "Dear Ana"
    assert repeated.code == 0, repeated.err
    assert not (left / "old.html").exists()
    assert not (tmp_path / "left.part").exists()


def test_an_existing_folder_is_not_overwritten(chat, lively, tmp_path):
    (tmp_path / "out").mkdir()
    terminal = Terminal(chat.server.folder, chat.server.url)
    words = ("export", "--html", str(tmp_path / "out"), "--org", chat.realm.subdomain)

    result = terminal.runs(*words, TERTULIA_SECRET=SECRET)

    assert result.code == 1
    assert "already exists" in result.err


@pytest.mark.on_one
def test_the_search_of_an_archive_works_without_a_server(
    chat, lively, ana, tmp_path, chromium: Browser
):
    ana.says("Die Glühbirne am Projektor", to="kitchen > lamps")
    ana.says("东京的夜晚", to="kitchen > travel")
    archives(chat, tmp_path / "out")
    page = chromium.new_page()
    page.goto(f"file://{tmp_path}/out/index.html")

    for query, topics in [
        ("gluhb projek", ["kitchen › lamps"]),
        ("京的", ["kitchen › travel"]),
        ("behind", ["cellar › wine"]),
        ("nothing like it", []),
    ]:
        search(page, query, topics)
    assert not violations(page, "archive")
    search(page, "behind", ["cellar › wine"])
    page.get_by_role("link", name="cellar › wine").click()
    expect(page.get_by_text("behind a door")).to_be_visible()
    assert not violations(page, "topic")
    page.close()


def search(page: Page, query: str, topics: list[str]) -> None:
    page.get_by_role("searchbox").fill(query)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found a")).to_have_text(topics)
    counted = "1 page found" if len(topics) == 1 else f"{len(topics)} pages found"
    expect(page.get_by_role("status")).to_have_text(counted)


@pytest.mark.on_both
def test_links_to_impossible_addresses_do_not_stop_an_archive(chat, in_kitchen, ana, tmp_path):
    for address in (
        f"#narrow/channel/{'9' * 5000}/topic/x",
        f"#narrow/channel/1/topic/x/near/{'9' * 30}",
        f"/user_uploads/{'9' * 30}/x.txt",
        "/user_uploads/1/%ED%A0%80/x.txt",
        "/user_uploads/thumbnail/1/x",
        f"/user_uploads/1/{'x' * 300}/x.txt",
    ):
        ana.says(f"[here]({address})", to="kitchen > lunch")

    archives(chat, tmp_path / "out")

    assert all_html(tmp_path / "out").count(">here</a>") == 6
    assert broken_links(tmp_path / "out") == []


def test_links_to_messages_lead_to_the_page_that_has_them(chat, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "PAGE_MESSAGES", 2)
    ana = chat.person("ana", channels=["kitchen"])
    channel = chat.channel("kitchen").id
    said = [ana.says(f"message {number}", to="kitchen > lunch") for number in range(5)]
    for each in said:
        ana.says(f"[link](#narrow/channel/{channel}/topic/lunch/near/{each.id})", to="kitchen > x")

    with file_snapshot.open_snapshot(
        chat.server.database.blocking, FileStores(Config(data=tmp_path))
    ) as files:
        chosen = ArchivedMessages("full_without_consent")
        chat.read(lambda tx: HtmlArchive(tx, chosen, tmp_path / "out", files, print).write())

    html, first = all_html(tmp_path / "out"), said[0].id
    pages = [f"t{first}.html", f"t{first}-2.html", f"t{first}-3.html"]
    for number, each in enumerate(said):
        assert f'href="../../channels/{channel}/{pages[number // 2]}#m{each.id}"' in html
    assert broken_links(tmp_path / "out") == []


def peak_bytes(folder: Path, messages: int) -> int:
    """Python's memory while an organization of that many messages is archived, at most."""
    folder.mkdir()
    database = BlockingDatabase.at(f"sqlite:///{folder / 'tertulia.db'}")
    database.migrate()
    generate(database, Vault(SECRET.encode()), "Large", Size(8, 3, messages), seed=1)

    def write(tx: Tx, files: FileSnapshot) -> None:
        chosen = ArchivedMessages("full_without_consent")
        HtmlArchive(tx, chosen, folder / "out", files, lambda done: None).write()

    with file_snapshot.open_snapshot(database, FileStores(Config(data=folder))) as files:
        tracemalloc.start()
        database.of(1).read(write, files)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


@pytest.mark.thorough
def test_memory_of_an_archive_does_not_grow_with_its_messages(tmp_path, monkeypatch):
    monkeypatch.setattr(search_index, "MAX_BUFFERED", 1_000)
    monkeypatch.setattr(search_index, "MAX_PART_BYTES", 1 << 12)
    peak_bytes(tmp_path / "first", 100)  # loads templates and fills memos

    small, large = (peak_bytes(tmp_path / str(count), count) for count in (500, 2_000))

    assert large < 1.4 * small


def test_a_long_file_of_the_search_index_is_divided_and_has_each_word_once(tmp_path, monkeypatch):
    monkeypatch.setattr(search_index, "MAX_PART_BYTES", 100)
    index = SearchIndex(tmp_path / "search")
    for number in range(50):
        index.add(f"{number}.html", f"Page {number}", [f"kale kangaroo kayak karma{number}"])

    index.finish()

    text = (tmp_path / "search" / f"{search_index.shard_of('kale')}.js").read_text()
    found = json.loads(text.partition("]=")[2].removesuffix(";\n"))
    assert len(found) == text.count(":[")
    assert found["kale"] == found["kayak"] == list(range(50))
    assert found["karma7"] == [7]
    assert {path.suffix for path in (tmp_path / "search").iterdir()} == {".js"}


def test_a_missing_file_is_named_and_the_rest_is_archived(chat, lively, ana, tmp_path):
    lost, kept = (uploads(ana, name, name.encode()) for name in ("lost.txt", "kept.txt"))
    ana.says(f"{lost.link} {kept.link}", to="kitchen > lunch")
    chat.write(
        lambda tx: tx.execute(
            "DELETE FROM upload_piece WHERE upload_id IN (SELECT upload_id FROM attachment"
            " WHERE realm_id = :realm AND name = 'lost.txt')"
        )
    )

    result = archives(chat, tmp_path / "out")

    assert lost.path_id in result.err
    assert kept.path_id not in result.err
    assert [path.name for path in (tmp_path / "out" / "files").rglob("*.txt")] == ["kept.txt"]
    assert not broken_links(tmp_path / "out")
