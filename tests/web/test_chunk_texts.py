"""Which texts each chunk of the page contains."""

from tertulia.web.chunk_texts import keys_by_chunk, keys_in

KNOWN = ("role.owner", "role.guest", "form.poll", "form.poll-add", "form.todo-add", "row.star")


def chunks(**sources):
    """Chunks of one module each, `NAME/x.js`; the first two are always loaded."""
    sources = {"initial": "", "interactive": "", **sources}
    modules = {name: [f"{name}/x.js"] for name in sources}
    return keys_by_chunk(modules, lambda path: sources[path.partition("/")[0]])


def test_a_chunk_has_the_texts_that_its_modules_name():
    found = chunks(dialogs='t("row.star"); t("row.more");')

    assert found["dialogs"] == ["row.more", "row.star"]


def test_a_computed_key_stands_for_all_that_it_may_become():
    assert keys_in(["t(`role.${name}`)"], KNOWN) == {"role.owner", "role.guest"}
    assert keys_in(["t(`form.${kind}-add`)"], KNOWN) == {"form.poll-add", "form.todo-add"}


def test_a_chunk_lacks_texts_that_are_loaded_before_it():
    found = chunks(
        interactive='t("row.star");',
        lists='t("row.more");',
        dialogs='import { a } from "../lists/x.js";\nt("row.star"); t("row.more"); t("row.edit");',
    )

    assert found["dialogs"] == ["row.edit"]


def test_chunks_that_load_alone_have_the_same_text():
    found = chunks(lists='t("row.star");', composer='t("row.star");')

    assert found["lists"] == found["composer"] == ["row.star"]
