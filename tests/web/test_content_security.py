"""Nothing that a user writes runs in the page, and the page contacts no other site."""

import ipaddress
import re

import pytest
from playwright.sync_api import expect
from tests.support.browser_user import address
from tests.support.fake_webhooks import Receiver
from tests.support.people import Chat
from tests.support.pictures import picture

from tertulia import actions, storage
from tertulia.domain.messages.message import Draft

HOME = ipaddress.ip_network("127.0.0.0/8")

# What would be dangerous if it came through the renderer, which lets nothing of it through.
RAW = """<img src=x onerror="window.ran = 1"><script>window.ran = 2</script>
<svg onload="window.ran=3"></svg>
<iframe srcdoc="<script>parent.ran = 4</script>"></iframe><a href="javascript:window.ran=5">x</a>
<form action="https://evil.example"><button>y</button></form><style>body{display:none}</style>
<object data="data:text/html,<script>1</script>"></object><p style="position:fixed;inset:0">z</p>
<math><mtext><style><img src=x onerror=window.ran=6></style></mtext></math>
<base href="//evil.example">
<img src="https://evil.example/pixel.png"> the end"""

WRITTEN = [
    "<script>window.ran = 1</script>",
    "[x](javascript:window.ran=1)",
    "![x](https://evil.example/a.png)",
    '<img src=x onerror="window.ran=1">',
    "@**<img src=x onerror=window.ran=1>**",
    "```<script>\nwindow.ran = 1\n```",
    "$$\\href{javascript:window.ran=1}{x}$$",
    ":<img src=x onerror=window.ran=1>:",
]


def test_rendered_messages_run_no_script_in_the_page(page_chat, browse):
    ana, eve = page_chat.people("ana", "eve", channels=["kitchen"])
    for words in WRITTEN:
        eve.says(words, to="kitchen > <img src=x onerror=window.ran=1>")
    page_chat.write(_insert_raw_message, eve.id)
    at_anas = browse(ana)
    requested: list[str] = []
    at_anas.page.on("request", lambda request: requested.append(request.url))

    at_anas.goes("#feed")
    expect(at_anas.message("the end")).to_be_visible()
    link = at_anas.message("the end").get_by_role("link", name="x", exact=True)
    if link.count():
        link.first.click(force=True)

    assert at_anas.page.evaluate("window.ran") is None
    assert [url for url in requested if not url.startswith(address(page_chat))] == []
    expect(at_anas.page.get_by_role("main")).to_be_visible()
    at_anas.errors[:] = [each for each in at_anas.errors if "Content Security Policy" not in each]


@pytest.mark.on_one
def test_media_of_other_sites_is_a_link_unless_proxied(page_chat, browse, start_server):
    with_proxy = Chat.found(start_server(external_pictures=True, external_picture_networks=(HOME,)))
    site = Receiver((200, picture("JPEG", (300, 200))))
    for chat in (page_chat, with_proxy):
        ana = chat.person("ana", channels=["kitchen"])
        ana.says(f"{site.url}.jpg", to="kitchen > pictures")
        ana.says(f"{site.url}.mp4 the end", to="kitchen > pictures")
        at_anas = browse(ana, chat).goes("#feed")
        expect(at_anas.message("the end")).to_contain_text("A video at 127.0.0.1")

        shown = at_anas.page.locator(".talk .message_inline_image img")
        if chat is page_chat:
            expect(at_anas.page.get_by_text("A picture at 127.0.0.1")).to_be_visible()
            assert site.requests == []
            continue
        expect(shown).to_have_js_property("naturalWidth", 300)
        shown.click()
        large = at_anas.page.locator("dialog.viewer img")
        expect(large).to_have_js_property("naturalWidth", 300)
    assert [request.path for request in site.requests] == ["/hook.jpg"]
    site.close()


def test_the_content_security_policy_allows_only_what_the_page_uses(page_chat, browse):
    ana = page_chat.person("ana")
    at_anas = browse(ana)

    response = at_anas.page.goto(address(page_chat))

    policy = response.headers["content-security-policy"]
    assert "unsafe" not in policy
    for rule in ("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"):
        assert rule in policy
    refused = at_anas.page.evaluate(
        "() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); }"
        " catch (error) { return error.name; } }"
    )
    assert refused == "TypeError"
    at_anas.errors[:] = [each for each in at_anas.errors if "TrustedHTML" not in each]


def test_the_embedded_state_cannot_close_its_script_element(page_chat, browse):
    ana = page_chat.person("ana", channels=["</script><script>window.ran=1</script>"])
    at_anas = browse(ana).goes("#inbox")

    expect(at_anas.nav().get_by_text("</script><script>")).to_be_visible()
    assert at_anas.page.evaluate("window.ran") is None
    assert re.search(r"Inbox", at_anas.page.title())


def _insert_raw_message(tx, user_id):
    sender = storage.people.users.find(tx, user_id)
    assert sender is not None
    draft = Draft("raw", RAW, 0, "test", False)
    actions.messages.send.to_channel(tx, sender, "kitchen", "raw", draft)
