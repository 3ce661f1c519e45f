"""HTML archives: a folder that a browser opens without a server."""

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.axe import violations
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import uploads
from tests.support.people import Chat
from tests.support.pictures import picture
from tests.support.server import SECRET


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
        for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
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
    assert f"channels/{kitchen}/t1.html#m{lively.id}" in html
    assert "in the garden" in html
    assert "<details><summary>Earlier version" in html
    assert "🎉<b>1</b>" in html
    assert re.search(r"yes</bdi> <small>1 vote<", html)
    (file,) = (tmp_path / "out" / "files").rglob("soup.png")
    assert file.read_bytes() == picture()


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
    expect(page.get_by_role("status")).to_have_text(f"{len(topics)} pages found")
