"""A row of a message, which Python writes for public pages and JavaScript for the chat."""

from tests.support.browser_user import address
from tests.support.people import Chat

ROWS = """() => [...document.querySelectorAll("article.line")].map((row) => {
  const what = row.querySelector(".what").cloneNode(true);
  const text = (node) => node?.textContent.replaceAll(/\\s+/g, " ").trim() ?? "";
  const take = (selector) => {
    const found = [...what.querySelectorAll(selector)];
    for (const each of found) each.remove();
    return found.map(text);
  };
  take("button:not(.edited, .re), .add, .cap");
  return {
    edited: take(".edited"),
    reactions: take(".re"),
    text: text(what),
    links: [...what.querySelectorAll("a")].map((link) => link.getAttribute("href")),
    blocks: [...what.children].map((block) => block.localName).filter((name) => name !== "ul"),
    name: text(row.querySelector(".who .name")),
    tag: text(row.querySelector(".who .tag")),
    avatar: row.querySelector(".who .av")?.className ?? "",
    letter: text(row.querySelector(".who .av")),
    time: text(row.querySelector(".when")),
    isFirst: row.classList.contains("first"),
    label: row.getAttribute("aria-label").replace(", edited", "").split(", ").slice(-2),
  };
})"""


def test_python_and_javascript_draw_the_same_rows(start_server, browse):
    chat = Chat.found(start_server(web_public_streams_enabled=True), "")
    chat.set("enable_spectator_access", True)
    ana = chat.person("ana", role="owner")
    ana.joins("square", is_web_public=True)
    ben = chat.person("ben", channels=["square"])
    soup = ana.says("**Soup** is on: [list](https://example.org/a) :tada:", to="square > lunch")
    ana.says("* lentils\n* leeks\n\n> with bread", to="square > lunch")
    ben.says("/me is coming", to="square > lunch")
    ben.says("# Menu\n\n```python\nsoup = 1 < 2\n```", to="square > lunch")
    late = ben.says("See @**ana** at #**square>lunch**", to="square > lunch")
    ben.patch(f"/messages/{late.id}", content="See **you** there").succeeds()
    for person in (ana, ben):
        person.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ana.post(f"/messages/{soup.id}/reactions", emoji_name="heart").succeeds()
    place = f"{chat.channel('square').id}-square"

    page = browse(None, chat, timezone_id="UTC").page
    page.goto(address(chat, f"/public/{place}/lunch/"))
    by_python = page.evaluate(ROWS)
    user = browse(None, chat, timezone_id="UTC").goes(f"#narrow/channel/{place}/topic/lunch")
    user.message("there").wait_for()
    by_javascript = user.page.evaluate(ROWS)

    assert len(by_python) == 5
    for python, javascript in zip(by_python, by_javascript, strict=True):
        assert python == javascript
