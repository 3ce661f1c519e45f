"""A small bundler and minifier for the page's ES modules. It needs no Node.

It accepts a subset of the language: `import { a, b } from "./x.js";` without renaming, `export`
before a function, class, const or let, no import cycles, and no top-level name defined in two
modules of a bundle. Anything else raises BundleError, so a bundle always behaves like its modules.
The minifier removes comments and white space; it renames nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec
from msgspec import field

Read = Callable[[str], str]  # returns the source of the module at a path

_IMPORT = re.compile(
    r'^import \{\s*([\w$]+(?:,\s*[\w$]+)*,?)\s*\} from "(\.[\w./-]+\.js)";$', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class |const |let )", re.MULTILINE)
_DEFINITION = re.compile(
    r"^(export )?(?:(?:async )?function\*?|class|const|let|var) (?:([\w$]+)|([\[{].*?[\]}]) =)",
    re.MULTILINE,
)
_ANY_IMPORT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[`{}/]""", re.DOTALL
)
_TEMPLATE = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*", re.DOTALL)
_REGEXP = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_BEFORE_REGEXP = re.compile(r"(?:^|[(,=:\[!&|?{};+\n>]|\breturn|\bof)\s*$")
_SPACE = re.compile(r"\s")
_SPACES = re.compile(r"[ \t]{2,}")
_LINE_END = re.compile(r"[ \t]*\n\s*")
_REMOVABLE_SPACE = re.compile(r"(?<=[{}()\[\],;:=<>*&|!]) | (?=[{}()\[\],;:=<>*&|!])")
_REMOVABLE_LINE_END = re.compile(r"(?<=[{(\[,;=?:&|>])\n|(?<![,\n\[]),?\n(?=[)\]])|\n(?=[.,?:&|])")


class BundleError(Exception):
    """A module uses something that bundling would change."""


class Bundle(msgspec.Struct):
    text: str
    modules: list[str]  # in the order in which they run


class _Bundling(msgspec.Struct):
    read: Read
    external: Mapping[str, str]
    done: list[str] = field(default_factory=list)
    in_progress: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    exports: dict[str, set[str]] = field(default_factory=dict)
    defined_in: dict[str, str] = field(default_factory=dict)
    imported: dict[str, set[str]] = field(default_factory=dict)  # URL to the names taken from it


def bundle(read: Read, entries: list[str], *, external: Mapping[str, str] | None = None) -> Bundle:
    """Bundle the entries and all modules that they import into the text of one module.

    `external` maps modules of other bundles to the URL of their bundle, to import them from there.
    """
    bundling = _Bundling(read, external or {})
    for entry in entries:
        _add(bundling, entry)
    imports = [
        f'import {{{",".join(sorted(names))}}} from "{url}";'
        for url, names in bundling.imported.items()
    ]
    exported = sorted(set().union(*bundling.exports.values()))
    lines = [*imports, *bundling.texts, f"export {{{','.join(exported)}}};"]
    return Bundle("\n".join(lines) + "\n", bundling.done)


def _add(bundling: _Bundling, path: str) -> None:
    if path in bundling.done:
        return
    if path in bundling.in_progress:
        cycle = " -> ".join([*bundling.in_progress[bundling.in_progress.index(path) :], path])
        raise BundleError(f"import cycle: {cycle}")
    bundling.in_progress.append(path)
    source = _without_comments(bundling.read(path), lambda code: code)
    for names, target in imports(source):
        needed = _resolve(path, target)
        if url := bundling.external.get(needed):
            bundling.imported.setdefault(url, set()).update(names)
            continue
        _add(bundling, needed)
        for name in names - bundling.exports[needed]:
            raise BundleError(f"{path} imports {name}, which {needed} does not export")
    bundling.exports[path] = _define(bundling, path, source)
    code = _EXPORT.sub("", _IMPORT.sub("", source))
    for statement in _ANY_IMPORT.findall(code):
        raise BundleError(f"{path}: unsupported statement `{statement}`")
    bundling.texts.append(minify(code).strip("\n"))
    bundling.in_progress.pop()
    bundling.done.append(path)


def imports(source: str) -> Iterator[tuple[set[str], str]]:
    """The imports of a module: the names and the path that follows `from`."""
    for names, target in _IMPORT.findall(source):
        yield {name.strip() for name in names.split(",") if name.strip()}, target


def _define(bundling: _Bundling, path: str, source: str) -> set[str]:
    """Record the top-level names of a module and return those that it exports."""
    exported = set()
    for is_exported, single, several in _DEFINITION.findall(source):
        for name in [single] if single else re.findall(r"[\w$]+(?=\s*[,\]}=])", several):
            if bundling.defined_in.setdefault(name, path) != path:
                raise BundleError(f"{name} is defined in {bundling.defined_in[name]} and in {path}")
            if is_exported:
                exported.add(name)
    return exported


def _resolve(path: str, target: str) -> str:
    parts = path.split("/")[:-1]
    for step in target.split("/"):
        if step == "..":
            parts.pop()
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def minify(text: str) -> str:
    """Remove comments and white space, except line ends that may separate statements.

    Strings, templates and regular expressions stay as they are.
    """
    return re.sub(r"\n{2,}", "\n", _without_comments(text, _without_spaces)).lstrip("\n")


def _without_comments(text: str, change: Callable[[str], str]) -> str:
    """Remove comments; apply `change` to the code between literals."""
    pieces: list[str] = []
    depths: list[int] = []  # for each open `${`: how many braces are open inside it
    at = 0
    while found := _TOKEN.search(text, at):
        pieces.append(change(text[at : found.start()]))
        piece, at = found.group(), found.end()
        if piece.startswith(("//", "/*")):
            continue
        if piece == "/":
            regexp = _REGEXP.match(text, found.start())
            before = "".join(pieces[-3:])
            if regexp and _BEFORE_REGEXP.search(before):
                piece, at = regexp.group(), regexp.end()
        elif piece == "{" and depths:
            depths[-1] += 1
        elif piece == "}" and depths and depths[-1] > 0:
            depths[-1] -= 1
        elif piece == "`" or (piece == "}" and depths):
            if piece == "}":
                depths.pop()
            rest = _TEMPLATE.match(text, at)
            assert rest is not None
            piece, at = piece + rest.group(), rest.end()
            if text.startswith("${", at):
                depths.append(0)
                piece, at = piece + "${", at + 2
            else:
                piece, at = piece + "`", at + 1
        pieces.append(piece)
    pieces.append(change(text[at:]))
    return "".join(pieces)


def _without_spaces(code: str) -> str:
    if not _SPACE.search(code):
        return code
    code = _LINE_END.sub("\n", _SPACES.sub(" ", code))
    return _REMOVABLE_LINE_END.sub("", _REMOVABLE_SPACE.sub("", code))
