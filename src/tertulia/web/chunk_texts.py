"""Which texts each chunk of the page contains: those whose keys its modules name.

A module names a key, `t("row.star")`, or computes a part of it, `` t(`role.${name}`) ``. A chunk
has no text that is already there when it runs: in the first two chunks, or in one that it imports.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping

from tertulia import locale
from tertulia.locale.po_file import Text, TextCatalogue
from tertulia.web import bundler

ALWAYS_LOADED = ("initial", "interactive")
# The module that holds the language, its rule of plurals and the texts of the initial chunk.
INITIAL = "core/texts.js"

_LITERAL = re.compile(r'"([a-z]+\.[^"\\\n]+)"')
_COMPUTED = re.compile(r"`([a-z]+\.(?:[\w.-]|\$\{[^{}`]*\})*)`")
_HOLE = re.compile(r"\$\{[^{}]*\}")

Read = Callable[[str], str]
Modules = Mapping[str, list[str]]


def keys_by_chunk(modules: Modules, read: Read) -> dict[str, list[str]]:
    """The keys of each chunk, in the order of the catalogue."""
    known = locale.catalogue(locale.ENGLISH).texts
    homes = {path: name for name, paths in modules.items() for path in paths}
    used, imported = {}, {}
    for name, paths in modules.items():
        sources = {path: read(path) for path in paths}
        used[name] = keys_in(sources.values(), known)
        imported[name] = {
            homes[posixpath.normpath(posixpath.join(posixpath.dirname(path), target))]
            for path, source in sources.items()
            for _, target in bundler.imports(source)
        }
    found = {}
    for name in modules:
        own = used[name].difference(*(used[each] for each in _loaded_before(name, imported)))
        found[name] = [key for key in known if key in own]
    return found


def _loaded_before(chunk: str, imported: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [chunk] if chunk in ALWAYS_LOADED else [chunk, *ALWAYS_LOADED]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += imported[name]
    return found - {chunk}


def keys_in(sources: Iterable[str], known: Iterable[str]) -> set[str]:
    """The keys of texts that modules name, and all that a computed key may become."""
    code = "\n".join(sources)
    literal = set(_LITERAL.findall(code))
    computed = [
        ".+".join(map(re.escape, _HOLE.split(each))) for each in set(_COMPUTED.findall(code))
    ]
    may_be = re.compile("|".join(computed) or "(?!)")
    return {key for key in known if key in literal or may_be.fullmatch(key)}


def initial_module(catalogue: TextCatalogue, language: str, keys: Iterable[str]) -> str:
    """The source of `core/texts.js`."""
    return (
        f"export const language = {_script(language)};\n\n"
        f"export const texts = {_table(catalogue, keys)};\n\n"
        "export function pluralForm(n) {\n"
        f"  return Number({catalogue.plural_rule});\n"
        "}\n"
    )


def later_module(catalogue: TextCatalogue, keys: Iterable[str]) -> str:
    """The source of a module that adds the texts of a later chunk."""
    return (
        f'import {{ addTexts }} from "../core/i18n.js";\n\naddTexts({_table(catalogue, keys)});\n'
    )


def _table(catalogue: TextCatalogue, keys: Iterable[str]) -> str:
    return _script({key: catalogue.texts[key] for key in keys})


def _script(value: str | dict[str, Text]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
