"""Messages that an older renderer rendered are rendered again."""

from tests.support.people import Chat, Person

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.markdown import VERSION


def grows_old(tx: Tx, *message_ids: int) -> None:
    """Pretend that an older version rendered these messages."""
    tx.execute(
        "UPDATE message SET rendered = 'old', render_version = 0, has_link = FALSE"
        " WHERE id IN :ids",
        ids=list(message_ids),
    )
    storage.organization.realms.set_render_version(tx, 0)


def test_old_renderings_are_replaced(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    old = [ana.says(f"**soup** {n} https://a.example", to="kitchen > lunch").id for n in range(120)]
    direct = ana.says("@**Ben** *psst*", to=[ben]).id
    kept = ana.says("*fresh*", to="kitchen > lunch").id
    chat.write(grows_old, *old, direct)
    queue = ben.listens_for()

    chat.server.run_job("rerendering")

    assert ben.sees(old[0])["content"].startswith("<p><strong>soup</strong> 0 <a href")
    assert ben.sees(old[-1])["content"].startswith("<p><strong>soup</strong> 119 <a href")
    assert "<em>psst</em>" in ben.sees(direct)["content"]
    assert ben.sees(direct)["flags"] == ["mentioned"]
    assert ben.sees(kept)["content"] == "<p><em>fresh</em></p>"
    assert chat.read(lambda tx: links_in(tx, old)) == len(old)
    assert chat.read(storage.organization.realms.render_version) == VERSION
    assert queue.silent()


def test_previews_of_links_stay(chat: Chat, in_kitchen: None, ana: Person) -> None:
    number = ana.says("**soup** https://a.example", to="kitchen > lunch").id
    preview = '<div class="message_embed"><div class="data-container">Soup</div></div>'
    chat.write(grows_old, number)
    chat.write(storage.messages.table.set_html, number, f"<p>old</p>{preview}")

    chat.server.run_job("rerendering")

    assert ana.sees(number)["content"].startswith("<p><strong>soup</strong>")
    assert ana.sees(number)["content"].endswith(preview)


def test_no_message_is_rendered_twice(chat: Chat, in_kitchen: None, ana: Person) -> None:
    number = ana.says("**soup**", to="kitchen > lunch").id
    chat.server.run_job("rerendering")
    chat.write(lambda tx: tx.execute("UPDATE message SET rendered = 'x' WHERE id = :n", n=number))

    chat.server.run_job("rerendering")

    assert ana.sees(number)["content"] == "x"


def links_in(tx: Tx, message_ids: list[int]) -> int:
    found: int = tx.value(
        "SELECT count(*) AS value FROM message WHERE has_link AND id IN :ids", ids=message_ids
    )
    return found
