"""Reads a catalogue, a PO file of gettext.

An entry has a key (`msgctxt`), the English text (`msgid`) and the translation (`msgstr`), which is
empty in English. The rule of plurals is an expression in the header, `Plural-Forms`; the page
evaluates the same expression.

A server starts without a step that compiles catalogues, and without a library that reads them. A
test compares this reader with Babel's.
"""

import re
from collections.abc import Iterator
from gettext import c2py
from pathlib import Path
from typing import NamedTuple

Text = str | tuple[str, ...]  # a tuple has the plural forms of a text with a number

_HEADER = re.compile(r'^msgid ""\nmsgstr "(.*)"$', re.MULTILINE)
_PLURAL_FORMS = re.compile(r"nplurals=(\d+); *plural=([^;]+)")
_ENTRY = re.compile(
    r"^(#,.*\bfuzzy\b.*\n(?:#\|.*\n)*)?"
    r'msgctxt "(.*)"\nmsgid "(.*)"\n(?:msgid_plural "(.*)"\n)?((?:msgstr.*\n?)+)',
    re.MULTILINE,
)
_TRANSLATION = re.compile(r'^msgstr\S* "(.*)"$', re.MULTILINE)
# Texts of the API description, which is in English.
ENGLISH_ONLY = "api."

_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class TextEntry(NamedTuple):
    key: str
    source: Text
    translation: Text  # empty if it is missing, or a tool has marked it as uncertain


class TextCatalogue:
    """The texts of one language by their keys."""

    def __init__(self, path: Path, english: "TextCatalogue | None" = None) -> None:
        """`english` has the texts that the file lacks, or has translated from other words."""
        file = read(path)
        header = _HEADER.search(file)
        assert header is not None, path
        fields = dict(line.split(": ", 1) for line in _unescaped(header[1]).splitlines())
        count, self.plural_rule = _PLURAL_FORMS.findall(fields["Plural-Forms"])[0]
        self.form_count = int(count)
        self.form_of = c2py(self.plural_rule)
        self.tag = fields["Language"].replace("_", "-")  # as browsers call the language
        self.missing: list[str] = []  # keys of texts that are in English
        if english is None:
            self.texts = {each.key: each.source for each in entries(file)}
            return
        done = {
            each.key: each.translation
            for each in entries(file)
            if each.translation and each.source == english.texts.get(each.key)
        }
        self.missing = [
            key for key in english.texts if key not in done and not key.startswith(ENGLISH_ONLY)
        ]
        self.texts = {
            key: done.get(key) or self._with_forms(english, text)
            for key, text in english.texts.items()
        }

    def _with_forms(self, english: "TextCatalogue", text: Text) -> Text:
        """An English text, with as many plural forms as this language has."""
        if isinstance(text, str):
            return text
        samples = {self.form_of(number): number for number in range(200)}
        return tuple(text[english.form_of(samples[form])] for form in range(self.form_count))


def read(path: Path) -> str:
    """The file with each string on one line."""
    return path.read_text(encoding="utf-8").replace('"\n"', "")


def entries(file: str) -> Iterator[TextEntry]:
    for fuzzy, key, one, other, rest in _ENTRY.findall(file):
        forms = tuple(map(_unescaped, _TRANSLATION.findall(rest)))
        is_done = not fuzzy and all(forms)
        if other:
            yield TextEntry(key, (_unescaped(one), _unescaped(other)), forms if is_done else ())
        else:
            yield TextEntry(key, _unescaped(one), forms[0] if is_done else "")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)
