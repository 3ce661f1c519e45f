"""Spectators: who has not logged in sees the channels that are open to the world, and no more."""

from playwright.sync_api import expect
from tests.support.people import Chat


def test_a_spectator_reads_web_public_channels(start_server, browse):
    chat = Chat.found(start_server(web_public_streams_enabled=True), "")
    chat.set("enable_spectator_access", True)
    ana = chat.person("ana", role="owner", channels=["inside"])
    ana.joins("square", is_web_public=True)
    ana.says("Come in", to="square > welcome")
    ana.says("Not for all", to="inside > secrets")

    stranger = browse(None, chat).goes("#recent")
    expect(stranger.nav().get_by_role("link", name="square")).to_be_visible()
    stranger.page.get_by_role("link", name="welcome").first.click()

    expect(stranger.message("Come in")).to_be_visible()
    expect(stranger.page.get_by_role("textbox", name="Message to")).to_have_count(0)
    expect(stranger.page.get_by_text("inside")).to_have_count(0)
    line = stranger.page.get_by_role("note")
    expect(line).to_contain_text("You are reading as a visitor.")
    expect(line.get_by_role("link", name="Log in to write")).to_be_visible()
    stranger.message("Come in").focus()
    stranger.page.keyboard.press(":")
    expect(stranger.page.locator(".toast").get_by_role("link", name="Log in")).to_be_visible()
    expect(stranger.page.get_by_role("dialog")).to_have_count(0)
    stranger.goes("#feed")
    expect(stranger.message("Come in")).to_be_visible()
