"""Makes one file of many ES modules, without a bundler.

That works because our modules keep to a part of the language: `import { a, b } from "./x.js";` with
nothing renamed, `export` before a function, a class, a const or a let, and no name used at the top
of two modules. Whatever else there is is refused, so that what is joined means what the modules
mean by themselves. Comments go on the way, and so does the room between things.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Read = Callable[[str], str]  # the text of a module, by its path

_IMPORT = re.compile(
    r'^import \{\s*([\w$]+(?:,\s*[\w$]+)*,?)\s*\} from "(\.[\w./-]+\.js)";$', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class |const |let )", re.MULTILINE)
_DEFINED = re.compile(
    r"^(export )?(?:(?:async )?function\*?|class|const|let|var) (?:([\w$]+)|([\[{].*?[\]}]) =)",
    re.MULTILINE,
)
_ANY_IMPORT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_PIECE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[`{}/]""", re.DOTALL
)
_TEMPLATE = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*", re.DOTALL)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_BEFORE_PATTERN = re.compile(r"(?:^|[(,=:\[!&|?{};+\n>]|\breturn|\bof)\s*$")
_ROOM = re.compile(r"\s")
_WIDE_ROOM = re.compile(r"[ \t]{2,}")
_NEW_LINE = re.compile(r"[ \t]*\n\s*")
_NEEDLESS_SPACE = re.compile(r"(?<=[{}()\[\],;:=<>*&|!]) | (?=[{}()\[\],;:=<>*&|!])")
_NEEDLESS_NEW_LINE = re.compile(r"(?<=[{(\[,;])\n")


class CannotJoin(Exception):
    """A module says something that joining would change."""


@dataclass(slots=True)
class JoinedModules:
    """Modules in the order in which they must run, and what they define."""

    text: str
    modules: list[str]


@dataclass(slots=True)
class _Joining:
    read: Read
    done: list[str] = field(default_factory=list)
    under_way: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    exports: dict[str, set[str]] = field(default_factory=dict)
    defined: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    outside: dict[str, set[str]] = field(default_factory=dict)  # by address, what is wanted from it


def join(
    read: Read, entries: list[str], *, elsewhere: dict[str, str] | None = None
) -> JoinedModules:
    """The modules that the entries need, as the text of one module.

    `elsewhere` says which folders have been joined by themselves already, and the addresses of the
    results: what is imported from there is imported from those files.
    """
    joining = _Joining(read, elsewhere=elsewhere or {})
    for entry in entries:
        _add(joining, entry)
    imports = [
        f'import {{{",".join(sorted(names))}}} from "{address}";'
        for address, names in joining.outside.items()
    ]
    exported = sorted(set().union(*joining.exports.values()))
    lines = [*imports, *joining.texts, f"export {{{','.join(exported)}}};"]
    return JoinedModules("\n".join(lines) + "\n", joining.done)


def _add(joining: _Joining, path: str) -> None:
    if path in joining.done:
        return
    if path in joining.under_way:
        circle = " -> ".join([*joining.under_way[joining.under_way.index(path) :], path])
        raise CannotJoin(f"modules import each other in a circle: {circle}")
    joining.under_way.append(path)
    told = _uncommented(joining.read(path), lambda code: code)
    for names, source in _imports(told):
        needed = _resolved(path, source)
        if address := joining.elsewhere.get(needed.partition("/")[0]):
            joining.outside.setdefault(address, set()).update(names)
            continue
        _add(joining, needed)
        for name in names - joining.exports[needed]:
            raise CannotJoin(f"{path} imports {name}, which {needed} does not export")
    joining.exports[path] = _define(joining, path, told)
    for odd in _ANY_IMPORT.findall(_EXPORT.sub("", _IMPORT.sub("", told))):
        raise CannotJoin(f"{path} says `{odd}`, which joining does not know")
    joining.texts.append(squeezed(_EXPORT.sub("", _IMPORT.sub("", told))).strip("\n"))
    joining.under_way.pop()
    joining.done.append(path)


def _imports(text: str) -> Iterator[tuple[set[str], str]]:
    for names, source in _IMPORT.findall(text):
        yield {name.strip() for name in names.split(",") if name.strip()}, source


def _define(joining: _Joining, path: str, text: str) -> set[str]:
    """Note what a module defines; returns what of that it exports."""
    exported = set()
    for is_exported, single, several in _DEFINED.findall(text):
        for name in [single] if single else re.findall(r"[\w$]+(?=\s*[,\]}=])", several):
            if joining.defined.setdefault(name, path) != path:
                raise CannotJoin(f"{name} is defined in {joining.defined[name]} and in {path}")
            if is_exported:
                exported.add(name)
    return exported


def _resolved(path: str, source: str) -> str:
    parts = path.split("/")[:-1]
    for step in source.split("/"):
        if step == "..":
            parts.pop()
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def squeezed(text: str) -> str:
    """Without comments, and as close together as it means the same; what stands in quotes is left
    alone. Lines stay apart where their end may mean something."""
    return re.sub(r"\n{2,}", "\n", _uncommented(text, _tight)).lstrip("\n")


def _uncommented(text: str, change: Callable[[str], str]) -> str:
    """Without comments; all that is not in quotes is changed on the way."""
    pieces: list[str] = []
    depths: list[int] = []  # how many braces are open in each `${` that is open
    at = 0
    while found := _PIECE.search(text, at):
        pieces.append(change(text[at : found.start()]))
        piece, at = found.group(), found.end()
        if piece.startswith(("//", "/*")):
            continue
        if piece == "/":
            pattern = _PATTERN.match(text, found.start())
            before = "".join(pieces[-3:])
            if pattern and _BEFORE_PATTERN.search(before):
                piece, at = pattern.group(), pattern.end()
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


def _tight(code: str) -> str:
    if not _ROOM.search(code):
        return code
    code = _NEW_LINE.sub("\n", _WIDE_ROOM.sub(" ", code))
    return _NEEDLESS_NEW_LINE.sub("", _NEEDLESS_SPACE.sub("", code))
