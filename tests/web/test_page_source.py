"""Rules for the page's source: its size, its chunks, its texts, and where HTML may enter."""

import re
from collections import Counter

import pytest

from tertulia import locale
from tertulia.integrations.catalogue import INTEGRATIONS
from tertulia.locale import LANGUAGES
from tertulia.locale.po_file import ENGLISH_ONLY
from tertulia.web import chunk_texts
from tertulia.web.assets import STATIC, build, load_chunks, module_reader
from tertulia.web.bundler import bundle, imports, minify

CHUNKS = load_chunks()
FOLDERS = "core", "state", "sync", "views", "dialogs", "admin"


def source(path):
    return (STATIC / path).read_text(encoding="utf-8")


def test_the_page_stays_small():
    """Compressed: every visit loads at most 80 kB (48 of them before the first messages), dialogs
    are 60 kB, styles 15 kB, and the code of a call 12 kB."""
    built = [each for language in LANGUAGES for each in build(language)]
    sizes = {each.name.rsplit("-", 1)[0]: len(each.compressed) for each in built}

    for language in LANGUAGES:
        assert sizes[f"initial-{language}"] < 48_000
        assert sizes[f"initial-{language}"] + sizes[f"interactive-{language}"] < 80_000
    assert sizes["dialogs-en"] < 60_000
    assert sizes["admin-en"] < 60_000
    assert sizes["style"] < 15_000
    assert sizes["calls-en"] < 12_000


def test_every_module_is_in_one_chunk():
    listed = Counter(module for modules in CHUNKS.modules.values() for module in modules)
    files = {
        f"{folder}/{path.name}" for folder in FOLDERS for path in (STATIC / folder).glob("*.js")
    }

    assert listed == Counter({"main.js", "startup.js", *files, chunk_texts.INITIAL})


def test_the_initial_chunk_holds_only_what_the_first_view_imports():
    needed = bundle(module_reader("en"), ["main.js"]).modules

    assert set(CHUNKS.modules["initial"]) == set(needed)


LAYERS = {
    "core": {"core"},
    "state": {"core", "state"},
    "sync": {"core", "state", "sync"},
    "views": {"core", "state", "sync", "views"},
    "dialogs": {"core", "state", "sync", "views", "dialogs"},
    "admin": {"core", "state", "sync", "views", "dialogs", "admin"},
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_point_to_core(folder):
    for path in (STATIC / folder).glob("*.js"):
        for _, target in imports(path.read_text(encoding="utf-8")):
            needed = (path.parent / target).resolve().relative_to(STATIC).parts[0]
            assert needed in LAYERS[folder], f"{folder}/{path.name} imports {target}"


DOM = re.compile(r"\bdocument\.|\bHTML\w*Element\b|querySelector|\bh\(|core/html\.js")


def test_state_modules_do_not_use_the_dom():
    found = [
        path.name for path in (STATIC / "state").glob("*.js") if DOM.search(minify(source(path)))
    ]

    assert found == []


DECLARED = re.compile(r"^  (\w+): ", re.MULTILINE)
EMITTED = re.compile(r'\bemit\(\s*"(\w+)"')
HANDLED = re.compile(r'\bon\(\s*(?:"(\w+)"|\[([^\]]*)\])')


def test_every_signal_is_emitted_and_handled():
    """The type check knows the names; it does not see a signal that has only one side."""
    interface = (
        source("core/signal_types.d.ts").partition("interface Signals {")[2].partition("\n}")[0]
    )
    declared = set(DECLARED.findall(interface))
    code = "\n".join(source(path) for path in STATIC.rglob("*.js"))
    emitted = set(EMITTED.findall(code))
    handled = {
        name
        for single, several in HANDLED.findall(code)
        for name in ([single] if single else re.findall(r'"(\w+)"', several))
    }

    assert emitted == declared
    assert handled == declared


HTML_SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|DOMParser|document\.write|createContextualFragment|srcdoc"
    r"|setHTMLUnsafe|parseHTMLUnsafe|\beval\b|new Function|createPolicy|setAttribute\(\"on"
)


SUBSCRIPTION = re.compile(
    r'import \{[^}]*\bon\b[^}]*\} from "[./]*core/signals\.js"'
    r"|(?:document|window|matchMedia\(\w+\))\.(?:add|remove)EventListener|(?<![.\w])(?:add|remove)EventListener"
)


@pytest.mark.parametrize("folder", ["views", "dialogs", "admin"])
def test_what_lives_longer_than_a_view_is_listened_to_through_a_scope(folder):
    found = [
        f"{path.name}: {each[0]}"
        for path in (STATIC / folder).glob("*.js")
        for each in SUBSCRIPTION.finditer(minify(path.read_text(encoding="utf-8")))
    ]

    assert found == []


def test_html_enters_through_one_module():
    found = {
        str(path.relative_to(STATIC))
        for path in STATIC.rglob("*.js")
        if HTML_SINKS.search(minify(path.read_text(encoding="utf-8")))
    }

    assert found == {"core/html.js"}


KEYS = locale.catalogue("en").texts


NAMES_IN_HINT = re.compile(r"`[^`]*`|\*[^*]*\*")  # code, and what a service calls its pages


def setup_hints(language):
    prefix = "hooks.setup."
    texts = locale.catalogue(language).texts
    return {
        name.removeprefix(prefix): text for name, text in texts.items() if name.startswith(prefix)
    }


def test_every_service_has_a_setup_hint():
    assert setup_hints("en").keys() == INTEGRATIONS.keys()


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
def test_every_setup_hint_is_translated_with_the_same_names(language):
    translated = setup_hints(language)

    for service, english in setup_hints("en").items():
        text = translated[service]
        assert Counter(NAMES_IN_HINT.findall(text)) == Counter(NAMES_IN_HINT.findall(english)), text
        assert NAMES_IN_HINT.sub("", text) != NAMES_IN_HINT.sub("", english), text


# Words for channel, topic and mention that are not in the glossary of a language.
FOREIGN_WORDS = {
    "ar": "منشن|ستريم",
    "de": "Channel|Stream|Topic|Mention",
    "es": "tópico|hilo|chat room",
    "fr": "chaîne|salon|fil de discussion",
    "ja": "ストリーム|チャネル|スレッド|言及",
    "pt": "sala de|fio de|hashtag",
}


@pytest.mark.parametrize("language", sorted(FOREIGN_WORDS))
def test_a_language_has_one_word_for_a_thing(language):
    for name, text in locale.catalogue(language).texts.items():
        if name.startswith(ENGLISH_ONLY):
            continue
        for form in [text] if isinstance(text, str) else text:
            assert not re.search(FOREIGN_WORDS[language], form), f"{name}: {form}"


# Two texts in one template, or a text with something added: languages order words differently.
TWO_IN_TEMPLATE = re.compile(r"`[^`]*\$\{t\((?:[^`]|`[^`]*`)*?\$\{t\(")
ADDED = re.compile(r"\bt\([^()]*\)\s+\+|\+\s+t\(")


def test_no_sentence_is_made_of_several_texts():
    for path in (*STATIC.glob("*.js"), *STATIC.glob("*/*.js")):
        code = path.read_text(encoding="utf-8")
        assert not ADDED.search(code), path.name
        for line in code.splitlines():
            assert not TWO_IN_TEMPLATE.search(line), f"{path.name}: {line.strip()}"


NAMED = re.compile(r'"([a-z]+\.[a-z][\w.-]*)"')
COMPUTED = re.compile(r"`([a-z]+\.[^`]*\$\{[^`]*)`")


def test_every_text_that_a_module_names_is_in_the_catalogue():
    kinds = {key.partition(".")[0] for key in KEYS}
    modules = {path for paths in CHUNKS.modules.values() for path in paths} - {chunk_texts.INITIAL}
    found = {name for path in modules for name in NAMED.findall(source(path))}

    names = {each for each in found if each.partition(".")[0] in kinds and each[-3:] != ".js"}
    assert len(names) > 900
    assert names - KEYS.keys() == set()


def test_every_computed_key_may_become_one_of_the_catalogue():
    modules = {path for paths in CHUNKS.modules.values() for path in paths} - {chunk_texts.INITIAL}
    computed = {each for path in modules for each in COMPUTED.findall(source(path))}

    assert len(computed) > 80
    for each in computed:
        assert chunk_texts.keys_in([f"`{each}`"], KEYS), each
