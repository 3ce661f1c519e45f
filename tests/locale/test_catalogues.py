"""The catalogues: valid PO files, with the same placeholders, and every text in use."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import tertulia
from tertulia import locale
from tertulia.external.mail.layouts import LAYOUTS
from tertulia.locale import ENGLISH, LANGUAGES, PLACEHOLDER
from tertulia.locale.lookup import FOLDER
from tertulia.locale.po_file import entries, read

SOURCE = Path(tertulia.__file__).parent
TEXTS = locale.catalogue(ENGLISH).texts


def placeholders(text):
    return {name for form in forms_of(text) for name in PLACEHOLDER.findall(form)}


def forms_of(text):
    return (text,) if isinstance(text, str) else text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_read_as_babel_reads_it(language):
    path = FOLDER / f"{language}.po"
    with path.open("rb") as file:
        expected = read_po(file, abort_invalid=True)

    own = {each.key: each for each in entries(read(path))}

    messages = {str(each.context): each for each in expected if each.id}
    assert own.keys() == messages.keys()
    for key, message in messages.items():
        assert own[key].source == message.id
        if all(forms_of(message.string)) and not message.fuzzy:
            assert own[key].translation == message.string
    assert expected.num_plurals == locale.catalogue(language).form_count


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {ENGLISH}))
def test_a_translation_has_the_placeholders_of_the_english_text(language):
    catalogue = locale.catalogue(language)

    for key, text in catalogue.texts.items():
        # A plural form may have the number in words.
        may_lack = set() if isinstance(text, str) else {"count"}
        assert placeholders(text) | may_lack == placeholders(TEXTS[key]) | may_lack, key
        assert isinstance(text, str) or len(text) == catalogue.form_count, key


# The number stands apart from the words, or is followed by a sign for a unit.
COUNTED_IN_ONE_FORM = {
    "answer.done",
    "answer.seconds",
    "answer.stopped-by-you",
    "card.more",
    "form.option",
    "form.remove",
    "row.show-lines",
    "row.show-reactions",
    "side.all-channels",
    "summary.explain",
}


def test_a_text_with_a_count_has_plural_forms():
    plain = {key for key, text in TEXTS.items() if isinstance(text, str) and "{count}" in text}

    assert plain <= COUNTED_IN_ONE_FORM


# What the server shows: calls in Python and in templates.
def server_calls():
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in {"t", "_t"}:
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    names = {each.arg for each in node.keywords}
                    yield path.name, key.value, names
    for path in SOURCE.rglob("templates/**/*.*"):
        for key, rest in CALL_IN_TEMPLATE.findall(path.read_text(encoding="utf-8")):
            yield path.name, key, set(re.findall(r"(\w+)=", rest))


CALL_IN_TEMPLATE = re.compile(r'\bt\("([\w.-]+)"(?!\s*~)((?:[^()]|\([^()]*\))*)\)')


def _name(function):
    return getattr(function, "id", None) or getattr(function, "attr", None)


def test_the_server_shows_texts_of_the_catalogue_with_their_values():
    calls = list(server_calls())

    assert len(calls) > 300
    for where, key, names in calls:
        assert key in TEXTS, f"{where}: no text has the key {key}"
        assert names == placeholders(TEXTS[key]) | (
            set() if isinstance(TEXTS[key], str) else {"count"}
        ), f"{where}: {key}"


def test_every_mail_has_its_texts():
    for kind, parts in LAYOUTS.items():
        keys = {each for part in parts for each in _strings(part) if each.startswith("mail.")}
        assert keys | {f"mail.{kind}.subject"} <= TEXTS.keys()


def _strings(part):
    return (part,) if isinstance(part, str) else part


LITERAL = re.compile(r"""["'`]([a-z]+\.[\w.-]*[\w-])["'`]""")
# A key whose end is computed: f"mail.{kind}…", `role.${…}`, "operator.part-" ~ …
COMPUTED = re.compile(r"""["'`]([a-z]+\.[\w.-]*)(?:\$?\{|["'] ~)""")


def test_every_text_is_used():
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html"), *SOURCE.rglob("*.js")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    literal, beginnings = set(LITERAL.findall(code)), tuple(set(COMPUTED.findall(code)))

    assert [key for key in TEXTS if key not in literal and not key.startswith(beginnings)] == []
