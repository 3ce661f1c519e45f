"""Rules for the page's source: its size, its chunks, its texts, and where HTML may enter."""

import posixpath
import re
from collections import Counter

import pytest

from tertulia.domain.organization.languages import TRANSLATED
from tertulia.integrations.catalogue import INTEGRATIONS
from tertulia.web.assets import STATIC, TRANSLATIONS, build, load_chunks, module_reader
from tertulia.web.bundler import bundle, minify

CHUNKS = load_chunks()
FOLDERS = "core", "state", "sync", "views", "dialogs", "admin"


def source(path):
    return (STATIC / path).read_text(encoding="utf-8")


def test_the_page_stays_small():
    """Compressed: every visit loads at most 80 kB (48 of them before the first messages), dialogs
    are 60 kB, styles 15 kB."""
    built = [each for language in TRANSLATED for each in build(language)]
    sizes = {each.name.rsplit("-", 1)[0]: len(each.compressed) for each in built}

    for language in TRANSLATED:
        assert sizes[f"initial-{language}"] < 48_000
        assert sizes[f"initial-{language}"] + sizes[f"interactive-{language}"] < 80_000
    assert sizes["dialogs-en"] < 60_000
    assert sizes["admin-en"] < 60_000
    assert sizes["style"] < 15_000


def test_every_module_is_in_one_chunk():
    listed = Counter(module for modules in CHUNKS.modules.values() for module in modules)
    files = {
        f"{folder}/{path.name}" for folder in FOLDERS for path in (STATIC / folder).glob("*.js")
    }

    assert listed == Counter({"main.js", "startup.js", *files, *CHUNKS.texts})


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
IMPORT = re.compile(r'^import .* from "([^"]+)";$', re.MULTILINE)


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_point_to_core(folder):
    for path in (STATIC / folder).glob("*.js"):
        for target in IMPORT.findall(path.read_text(encoding="utf-8")):
            needed = (path.parent / target).resolve().relative_to(STATIC).parts[0]
            assert needed in LAYERS[folder], f"{folder}/{path.name} imports {target}"


DOM = re.compile(r"\bdocument\.|\bHTML\w*Element\b|querySelector|\bh\(|core/html\.js")


def test_state_modules_do_not_use_the_dom():
    found = [
        path.name for path in (STATIC / "state").glob("*.js") if DOM.search(minify(source(path)))
    ]

    assert found == []


DECLARED = re.compile(r"^  (\w+): ", re.MULTILINE)
EMITTED = re.compile(r'\bemit\("(\w+)"')
HANDLED = re.compile(r'\bon\((?:"(\w+)"|\[([^\]]*)\])')


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


def test_html_enters_through_one_module():
    found = {
        str(path.relative_to(STATIC))
        for path in STATIC.rglob("*.js")
        if HTML_SINKS.search(minify(path.read_text(encoding="utf-8")))
    }

    assert found == {"core/html.js"}


TEXT_FILES = tuple(CHUNKS.texts.values())


def texts(language, files=TEXT_FILES):
    text = "".join(
        (TRANSLATIONS / language / f"{name}.js").read_text(encoding="utf-8") for name in files
    )
    return dict(re.findall(r'^  "([^"]+)": (.*),$', text, re.MULTILINE))


# The plural forms that a language distinguishes for whole numbers below a million (CLDR).
PLURALS = {
    "ar": {"zero", "one", "two", "few", "many", "other"},
    "ja": {"other"},
}
PLURAL_FORM = re.compile(r'(\w+): "')


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_language_has_every_text_with_the_same_placeholders(language):
    english, translated = texts("en"), texts(language)

    assert translated.keys() == english.keys()
    placeholders = re.compile(r"\{(\w+)\}")
    for name, text in english.items():
        found = set(placeholders.findall(translated[name]))
        # Some plural forms say the number in words.
        is_plural = text.startswith("{")
        missing = set(placeholders.findall(text)) - found
        assert not missing, (name, missing)
        assert found <= set(placeholders.findall(text)) | ({"count"} if is_plural else set()), name
        if is_plural:
            forms = set(PLURAL_FORM.findall(translated[name]))
            assert forms == PLURALS.get(language, {"one", "other"}), name


NAMES_IN_HINT = re.compile(r"`[^`]*`|\*[^*]*\*")  # code, and what a service calls its pages


def setup_hints(language):
    prefix = "hooks.setup."
    found = texts(language, ["oversight"]).items()
    return {
        name.removeprefix(prefix): text[1:-1] for name, text in found if name.startswith(prefix)
    }


def test_the_english_setup_hints_are_those_of_the_catalogue():
    plain = {name: text.replace("*", "") for name, text in setup_hints("en").items()}

    assert plain == {each.name: each.setup_hint for each in INTEGRATIONS.values()}


@pytest.mark.parametrize("language", sorted({*TRANSLATED} - {"en"}))
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
    for name, text in texts(language).items():
        assert not re.search(FOREIGN_WORDS[language], text), f"{name}: {text}"


# Two texts in one template, or a text with something added: languages order words differently.
CONCATENATED = re.compile(r"`[^`]*\$\{t\((?:[^`]|`[^`]*`)*?\$\{t\(|\bt\([^()]*\) \+|\+ t\(")


def test_no_sentence_is_made_of_several_texts():
    for path in (*STATIC.glob("*.js"), *STATIC.glob("*/*.js")):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not CONCATENATED.search(line), f"{path.name}: {line.strip()}"


TEXT_NAME = re.compile(r'"([a-z]+\.[a-z][\w.-]*)"')
TEXT_PREFIX = re.compile(r"`([a-z]+\.[\w.-]*)\$\{")  # the rest of the name is computed


def text_names(*chunks):
    """The names of texts in the modules of some chunks, and the beginnings of computed names."""
    paths = [path for chunk in chunks for path in CHUNKS.modules[chunk] if path not in CHUNKS.texts]
    code = "\n".join(source(path) for path in paths)
    return set(TEXT_NAME.findall(code)), tuple(set(TEXT_PREFIX.findall(code)))


# Chunks in the order in which they load, with the text files that each may use first.
TEXTS_OF_CHUNKS = {
    ("initial",): ["initial"],
    ("interactive",): ["interactive"],
    ("lists",): ["lists"],
    ("composer",): ["composer"],
    ("dialogs", "emoji"): ["dialogs", "settings"],
    ("catchup",): ["catch_up"],
    ("start",): ["start"],
    ("answers",): ["answers"],
    ("errors",): ["errors"],
    tuple(CHUNKS.names[CHUNKS.names.index("admin") :]): ["admin", "oversight"],
}


ALWAYS_LOADED = {"initial", "interactive"}


def loaded_with(chunks):
    """The chunks that are there when some chunks run: the first ones, and those they import."""
    homes = {path: name for name, modules in CHUNKS.modules.items() for path in modules}
    found, todo = set(ALWAYS_LOADED), list(chunks)
    while todo:
        chunk = todo.pop()
        found.add(chunk)
        for path in set(CHUNKS.modules[chunk]) - set(CHUNKS.texts):
            for target in IMPORT.findall(source(path)):
                home = homes[posixpath.normpath(posixpath.join(posixpath.dirname(path), target))]
                if home not in found:
                    todo.append(home)
    return found


def test_a_chunk_uses_only_texts_that_are_loaded_with_it():
    kinds = {name.partition(".")[0] for name in texts("en")}
    for chunk in CHUNKS.names:
        loaded = loaded_with([chunk])
        files = [
            file
            for chunks, files in TEXTS_OF_CHUNKS.items()
            if loaded.intersection(chunks)
            for file in files
        ]
        used, _ = text_names(chunk)
        of_texts = {name for name in used if name.partition(".")[0] in kinds}
        missing = {name for name in of_texts - set(texts("en", files)) if name[-3:] != ".js"}
        assert not missing, f"{chunk} uses texts of chunks that may not be loaded: {missing}"


def test_every_text_is_in_the_chunk_that_uses_it():
    """Texts of the later chunks alone do not make the first visit larger."""
    assert [name for files in TEXTS_OF_CHUNKS.values() for name in files] == [*TEXT_FILES]
    kinds = {name.partition(".")[0] for name in texts("en")}
    known: set[str] = set()
    earlier: set[str] = set()
    earlier_prefixes: tuple[str, ...] = ()
    for chunks, files in TEXTS_OF_CHUNKS.items():
        own = set(texts("en", files))
        used, prefixes = text_names(*chunks)

        for name in used:
            if name.partition(".")[0] in kinds and not name.endswith(".js"):
                assert name in known | own, f"{chunks} have no text {name}"
        for name in own:
            assert name in used or name.startswith(prefixes), f"{chunks} do not use {name}"
            assert name not in earlier, f"an earlier chunk uses {name}"
            assert not name.startswith(earlier_prefixes), f"an earlier chunk may use {name}"
        known |= own
        earlier |= used
        earlier_prefixes += prefixes
