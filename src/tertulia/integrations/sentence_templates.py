"""The templates of `sentences.py`, and the sandbox and filters that they share with the templates
of users (`templated.py`).

They are ours, so they need no budget: only their loops have a bound. A name is a path into the
payload; `payload`, `header`, `query`, `event` and `phrase` are the rest. Numbers and booleans are
texts, `or` takes the first text that is not empty, and `required` refuses a payload without one.
What a template shows becomes one line that mentions no one, unless a filter made it safe.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

from tertulia.integrations import phrases
from tertulia.integrations.payload import MAX_ITEMS, as_text
from tertulia.integrations.webhook_message import NoSuchHeader, UnexpectedPayload

MAX_ITERATIONS = 1000  # of one loop
MAX_DOCUMENT_PARTS = 20  # on each level of a document
LOOP_VALUES = {"first", "index", "index0", "last", "length"}
OUR_NAMES = {"payload", "header", "query", "event", "phrase"}
# Currencies without a smaller unit.
WITHOUT_CENTS = {
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv",
    "xaf", "xof", "xpf",
}  # fmt: skip

_INTEGER = re.compile("-?[0-9]+")
_PLACE = re.compile(r"\{(\w+)\}")


def compiled(source: str, let: Mapping[str, str], words: Mapping[str, Any]) -> Any:
    """A Jinja template. `let` names expressions, `words` has further names of the context."""
    environment = _environment()
    ours = {*OUR_NAMES, *words}
    expressions: dict[str, Any] = {}
    for name, expression in let.items():
        (output,) = environment.parse(f"{{{{ {expression} }}}}").body
        expressions[name] = _resolved(output.nodes[0], expressions, ours)
    return environment.from_string(_resolved(environment.parse(source), expressions, ours))


class Markdown(str):
    """A text that a filter has made safe; others become one line that mentions no one."""

    __slots__ = ()


@cache
def sandbox() -> Any:
    """A sandbox in which a dot leads to a key and to nothing of Python."""
    sandboxed: Any = import_module("jinja2.sandbox").ImmutableSandboxedEnvironment
    loop_context = import_module("jinja2.runtime").LoopContext

    class JsonEnvironment(sandboxed):  # type: ignore[misc]  # it is loaded when first needed
        def __init__(self, finalize: Callable[[Any], str], filters: Mapping[str, Any]) -> None:
            undefined = import_module("jinja2").ChainableUndefined
            super().__init__(
                autoescape=False, finalize=finalize, undefined=undefined, optimized=False
            )
            self.globals.clear()
            self.filters = dict(filters)

        def getitem(self, obj: Any, argument: Any) -> Any:
            if isinstance(obj, dict) and isinstance(argument, str) and argument in obj:
                return obj[argument]
            if isinstance(obj, list) and isinstance(argument, int):
                is_inside = -len(obj) <= argument < len(obj)
                return obj[argument] if is_inside else self.undefined(name="item")
            if isinstance(obj, loop_context) and argument in LOOP_VALUES:
                return getattr(obj, argument)
            return self.undefined(obj=obj, name=str(argument)[:50])

        def getattr(self, obj: Any, attribute: str) -> Any:
            return self.getitem(obj, attribute)

    return JsonEnvironment


@cache
def _environment() -> Any:
    missing = import_module("jinja2").ChainableUndefined()

    class TextEnvironment(sandbox()):  # type: ignore[misc]
        def getitem(self, obj: Any, argument: Any) -> Any:
            if type(obj) is dict and type(argument) is str:  # almost always
                found = obj.get(argument, missing)
                return (
                    found if type(found) in _KEPT else missing if found is None else _value(found)
                )
            found = super().getitem(obj, argument)
            return _value(found) if isinstance(obj, dict | list) else found

        getattr = getitem

    return TextEnvironment(_shown, FILTERS)


def apply_filter(expression: Any, name: str) -> Any:
    nodes = import_module("jinja2.nodes")
    return nodes.Filter(expression, name, [], [], None, None, lineno=expression.lineno)


def name_path(filtered: Any, before: str = "") -> None:
    """Tell the filters that refuse a payload which path it lacks."""
    if filtered.name in ("object", "required") and not filtered.args:
        path = f"{before}{_path(filtered.node).lstrip('.')}"
        filtered.args = [import_module("jinja2.nodes").Const(path)]


def _path(expression: Any) -> str:
    """The path that an expression reads."""
    nodes = import_module("jinja2.nodes")
    if isinstance(expression, nodes.Getattr):
        return f"{_path(expression.node)}.{expression.attr}".removeprefix("payload.")
    if isinstance(expression, nodes.Getitem):
        return f"{_path(expression.node)}.{getattr(expression.arg, 'value', '')}"
    if isinstance(expression, nodes.Name):
        return str(expression.name)
    inner = getattr(expression, "right" if isinstance(expression, nodes.Or) else "node", None)
    return _path(inner) if inner else ""


def _resolved(node: Any, let: Mapping[str, Any], ours: set[str]) -> Any:
    """Put the expression of a `let` in place of its name, and lead other names into the payload."""
    nodes = import_module("jinja2.nodes")

    def change(each: Any, local: set[str]) -> Any:
        if isinstance(each, nodes.Name):
            if each.name in let:
                return let[each.name]
            if each.ctx == "load" and each.name not in local:
                return nodes.Getattr(nodes.Name("payload", "load"), each.name, "load").set_lineno(
                    each.lineno
                )
            return each
        if isinstance(each, nodes.For):
            local = {*local, each.target.name, "loop"}
        for name, value in list(each.iter_fields()):
            if isinstance(value, nodes.Node):
                setattr(each, name, change(value, local))
            elif isinstance(value, list):
                changed = [change(v, local) if isinstance(v, nodes.Node) else v for v in value]
                setattr(each, name, changed)
        if isinstance(each, nodes.For):
            each.iter = apply_filter(each.iter, "bounded")
        elif isinstance(each, nodes.Or):
            paths = nodes.Getattr | nodes.Getitem
            if isinstance(each.left, nodes.Or) and isinstance(each.left.right, paths):
                each.left.right = apply_filter(each.left.right, "text")
            elif isinstance(each.left, paths):
                each.left = apply_filter(each.left, "text")
        elif isinstance(each, nodes.Concat):
            each.nodes = [
                part if isinstance(part, nodes.Const) else apply_filter(part, "raw")
                for part in each.nodes
            ]
        elif isinstance(each, nodes.Filter):
            name_path(each)
        return each

    return change(node, ours)


_KEPT = {Markdown, dict, list}


def _value(found: Any) -> Any:
    """What a path leads to: a text, or an object or list."""
    if type(found) in _KEPT:
        return found
    return as_text(found) if isinstance(found, str | bool | int | float) else found


def _words(value: Any) -> str:
    return value if isinstance(value, Markdown) else as_text(value)


def _shown(value: Any) -> str:
    return value if isinstance(value, Markdown) else phrases.line(as_text(value))


def _required(value: Any, path: str) -> Any:
    found = _words(value)
    if not found and str(path).startswith("header."):
        raise NoSuchHeader(path.removeprefix("header.").title())
    if not found:
        raise UnexpectedPayload(path)
    return found


def _object(value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        raise UnexpectedPayload(path)
    return value


def _names(value: Any, attribute: str = "", look: Callable[[str], str] = phrases.line) -> str:
    items = value[:MAX_ITEMS] if isinstance(value, list) else [value]
    if attribute:
        items = [each.get(attribute) for each in items if isinstance(each, dict)]
    return phrases.name_list(look(text) for each in items if (text := as_text(each)))


def _joined(value: Any, between: str = ", ") -> str:
    items = value[:MAX_ITEMS] if isinstance(value, list) else [value]
    return str(between).join(map(_words, items))


def _plain(value: Any) -> str:
    """A text, or the texts of a document of nested `content`, as Atlassian sends them."""
    if not isinstance(value, dict):
        return _words(value)
    inside = value.get("content")
    inner = map(_plain, inside[:MAX_DOCUMENT_PARTS] if isinstance(inside, list) else ())
    return " ".join(filter(None, [as_text(value.get("text")), *inner]))


def _money(amount: Any, currency: Any) -> str:
    """An amount in the smallest unit of its currency."""
    number, name = _words(amount), phrases.line(_words(currency).upper())
    if not _INTEGER.fullmatch(number) or not name:
        return ""
    if name.lower() in WITHOUT_CENTS:
        return f"{number} {name}"
    sign, cents = ("-" if number.startswith("-") else ""), number.lstrip("-").zfill(3)
    return f"{sign}{cents[:-2]}.{cents[-2:]} {name}"


def _fact(value: Any, label: str) -> str:
    shown = _shown(value)
    return f"**{label}**: {shown}" if shown else ""


def _filled(phrase: Any, **values: Any) -> str:
    """The phrase with values in place of their names in braces."""
    return _PLACE.sub(lambda place: _shown(values.get(place[1], "")), _words(phrase))


def _wrapped(value: Any, before: str = "", after: str = "") -> str:
    shown = _shown(value)
    return f"{before}{shown}{after}" if shown else ""


def _safe(work: Callable[..., str]) -> Callable[..., str]:
    return lambda *args, **named: Markdown(work(*args, **named))


def _of_text(work: Callable[..., str]) -> Callable[..., str]:
    """A filter that changes a text and does not make it safe."""

    def changed(value: Any, *args: Any) -> str:
        found = work(_words(value), *args)
        return Markdown(found) if isinstance(value, Markdown) else found

    return changed


FILTERS: dict[str, Callable[..., Any]] = {
    "after": _of_text(lambda text, mark: text.partition(mark)[2]),
    "after_last": _of_text(lambda text, mark: text.rpartition(mark)[2]),
    "before": _of_text(lambda text, mark: text.partition(mark)[0]),
    "before_last": _of_text(lambda text, mark: text.rpartition(mark)[0]),
    "branch": _of_text(lambda ref: ref.removeprefix("refs/heads/").removeprefix("refs/tags/")),
    "bounded": lambda items: (
        map(_value, islice(items, MAX_ITERATIONS)) if isinstance(items, list | dict) else ()
    ),
    "capitalize": _of_text(str.capitalize),
    "code": _safe(lambda value: phrases.code(text) if (text := _words(value)) else ""),
    "codes": _safe(lambda value: _names(value, look=phrases.code)),
    "default": lambda value, other="": value if value or value == 0 else other,
    "digits": _of_text(lambda text: text if text.isdecimal() else ""),
    "fact": _safe(_fact),
    "fill": _safe(_filled),
    "first": lambda value: value[0] if isinstance(value, list) and value else "",
    "humanize": _safe(lambda value: phrases.humanize(_words(value))),
    "join": _joined,
    "last": lambda value: value[-1] if isinstance(value, list) and value else "",
    "length": lambda value: len(value) if isinstance(value, str | list | dict) else 0,
    "line": _safe(lambda value, length=phrases.LINE_LENGTH: phrases.line(_words(value), length)),
    "link": _safe(lambda value, address: phrases.link(_words(value), _words(address))),
    "lower": _of_text(str.lower),
    "money": _safe(_money),
    "names": _safe(_names),
    "object": _object,
    "plain": _plain,
    "quote_url": _of_text(phrases.quote_url),
    "quoted": _safe(lambda value: phrases.quoted(_words(value))),
    "raw": _safe(_words),
    "replace": _of_text(str.replace),
    "required": _required,
    "start": _of_text(lambda text, length: text[:length]),
    "text": _of_text(str.strip),
    "strong": _safe(lambda value: phrases.strong(text) if (text := _words(value)) else ""),
    "truncate": _of_text(lambda text, length=100: phrases.shortened(text, max(int(length), 4))),
    "upper": _of_text(str.upper),
    "without": _of_text(str.removeprefix),
    "without_end": _of_text(str.removesuffix),
    "wrap": _safe(_wrapped),
}
