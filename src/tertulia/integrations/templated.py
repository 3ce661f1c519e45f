"""JSON of any sender, with a topic and a text that the owner of the bot writes as Jinja templates.

The templates are parameters of the webhook's URL. A template comes from a user and runs on the
server, so it is bounded: only a small part of Jinja is allowed (values, conditions, loops and a few
filters; no calls and no arithmetic), all loops together have few iterations, and each lookup,
filter and comparison takes from a budget, by the size of its values.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import line, shortened
from tertulia.integrations.rejections import WebhookRejected
from tertulia.integrations.webhook_message import WebhookMessage

MAX_TEMPLATE_LENGTH = 2000
MAX_TEXT_LENGTH = 9000
MAX_ITERATIONS = 50
MAX_WORK = 20_000  # values that lookups, filters and comparisons may read
CHARACTERS_PER_VALUE = 100  # a longer text counts as several values
MAX_DEPTH = 20
MAX_NESTING = 12  # of expressions and blocks; Jinja takes minutes to compile deep ones
MAX_VALUES = 1000  # of a payload; the rest is left out
MAX_VALUE_LENGTH = 1000

ALLOWED = {
    "And", "Compare", "CondExpr", "Const", "Filter", "For", "Getattr", "Getitem", "If", "Name",
    "Neg", "Not", "Operand", "Or", "Output", "Template", "TemplateData", "Test",
}  # fmt: skip
LOOP_VALUES = {"first", "index", "index0", "last", "length"}
ALLOWED_TESTS = {"defined", "undefined", "none", "string", "number", "mapping", "sequence"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    text = request.query.get("text_template", "")
    if not text.strip():
        raise WebhookRejected("The address needs a text_template.", problem="text-template-missing")
    values = _pruned(request.payload.value)
    shown = _render("text_template", text, values)
    if not shown.strip():
        return None  # a condition in the template leaves this payload out
    topic = _render("topic_template", request.query.get("topic_template", ""), values)
    return WebhookMessage("json", line(topic) or "JSON", shortened(shown.strip(), MAX_TEXT_LENGTH))


def _render(name: str, template: str, values: Mapping[str, Any]) -> str:
    if not template:
        return ""
    if len(template) > MAX_TEMPLATE_LENGTH:
        raise WebhookRejected(
            "{name} has more than {limit} characters.",
            problem="template-too-long",
            name=name,
            limit=MAX_TEMPLATE_LENGTH,
        )
    environment = _environment(_Budget(name))
    pieces: list[str] = []
    length = 0
    try:
        parsed = environment.parse(template)
        _check(name, parsed)
        for piece in environment.from_string(parsed).generate(values):
            pieces.append(piece)
            length += len(piece)
            if length > MAX_TEXT_LENGTH:
                break
    except _mistakes() as mistake:
        reason = shortened(str(mistake), 200)
        raise WebhookRejected(
            "{name} is not a valid template: {detail}",
            problem="template-invalid",
            name=name,
            detail=reason,
        ) from None
    return "".join(pieces)


def _mistakes() -> tuple[type[Exception], ...]:
    """What a wrong template raises: `1e999` is compiled to the name `inf`, and the last three are
    those of a template that nests too deep."""
    mistake = import_module("jinja2").TemplateError
    return mistake, TypeError, ValueError, NameError, SyntaxError, RecursionError, MemoryError


class _Budget:
    """The work that one rendering may do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MAX_WORK

    def spend(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise WebhookRejected(
                "{name} takes too much work.", problem="template-too-costly", name=self._name
            )

    def read(self, value: Any) -> Any:
        """Pay for reading a value with all that it contains."""
        self.spend(1)
        if isinstance(value, str):
            self.spend(len(value) // CHARACTERS_PER_VALUE)
        elif isinstance(value, list):
            for item in value:
                self.read(item)
        elif isinstance(value, Mapping):
            for name, item in value.items():
                self.read(name)
                self.read(item)
        return value

    def paid(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that pays for the value it reads."""
        return lambda value, *args, **named: work(self.read(value), *args, **named)


def _environment(budget: _Budget) -> Any:
    """One for each rendering: all of it shares a number of iterations and a budget."""
    undefined = import_module("jinja2").ChainableUndefined
    environment = json_environment()(
        autoescape=False, finalize=_as_text, undefined=undefined, optimized=False
    )
    environment.budget = budget
    environment.globals.clear()
    environment.filters.clear()
    environment.filters.update(
        {name: budget.paid(work) for name, work in FILTERS.items()},
        bounded=_bounded(MAX_ITERATIONS),
        compared=budget.read,
    )
    return environment


@cache
def json_environment() -> Any:
    """A sandbox in which a dot leads to a key and to nothing of Python."""
    sandbox: Any = import_module("jinja2.sandbox").ImmutableSandboxedEnvironment
    loop_context = import_module("jinja2.runtime").LoopContext

    class JsonEnvironment(sandbox):  # type: ignore[misc]  # it is loaded when first needed
        budget: _Budget | None = None

        def getitem(self, obj: Any, argument: Any) -> Any:
            if self.budget is not None:
                self.budget.spend(1)
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


def _bounded(left: int) -> Callable[[Any], Iterator[Any]]:
    def bounded(items: Any) -> Iterator[Any]:
        nonlocal left
        for item in items if isinstance(items, list | Mapping) else ():
            if left <= 0:
                return
            left -= 1
            yield item

    return bounded


def _check(name: str, parsed: Any) -> None:
    """Refuse all that is not allowed, and bound the loops."""
    nodes = import_module("jinja2.nodes")
    if _is_deeper(parsed, MAX_NESTING):
        raise WebhookRejected(
            "{name}: conditions, loops or filters nest too deep.",
            problem="template-too-deep",
            name=name,
        )
    for node in parsed.find_all(nodes.Node):
        kind = type(node).__name__
        if kind not in ALLOWED:
            raise WebhookRejected(
                "{name}: {word} is not allowed in a template.",
                problem="template-word-not-allowed",
                name=name,
                word=kind,
            )
        if kind == "Test" and node.name not in ALLOWED_TESTS:
            raise WebhookRejected(
                "{name}: the test {word} is not allowed in a template.",
                problem="template-test-not-allowed",
                name=name,
                word=f"{node.name!r}",
            )
    for compared in list(parsed.find_all(nodes.Compare)):
        for side in (compared, *compared.ops):
            side.expr = _filtered(side.expr, "compared")
    for loop in list(parsed.find_all(nodes.For)):
        if loop.recursive:
            raise WebhookRejected(
                "{name}: a recursive loop is not allowed in a template.",
                problem="template-recursive-loop",
                name=name,
            )
        loop.iter = _filtered(loop.iter, "bounded")


def _filtered(expression: Any, name: str) -> Any:
    nodes = import_module("jinja2.nodes")
    return nodes.Filter(expression, name, [], [], None, None, lineno=expression.lineno)


def _is_deeper(node: Any, levels: int) -> bool:
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in node.iter_child_nodes())


def _pruned(payload: Any) -> Mapping[str, Any]:
    """The payload by name, as `payload` and, if it is an object, by its keys. Long texts are cut
    and late values are left out, so that no expression takes long."""
    left = MAX_VALUES

    def prune(value: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if isinstance(value, str):
            return value[:MAX_VALUE_LENGTH]
        if left <= 0 or depth > MAX_DEPTH:
            return None
        if isinstance(value, Mapping):
            return {
                str(name)[:MAX_VALUE_LENGTH]: prune(item, depth + 1)
                for name, item in value.items()
                if left > 0
            }
        if isinstance(value, list):
            return [prune(item, depth + 1) for item in value if left > 0]
        return value

    whole = prune(payload, 0)
    names = whole if isinstance(whole, dict) else {}
    return {**names, "payload": whole}


def _as_text(value: Any) -> str:
    """How a value is shown. Texts of strangers mention no one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return (value + "_" if value.endswith("@") else value).replace("@*", "@_*")
    if isinstance(value, int | float):
        return str(value)
    return "" if not isinstance(value, list | Mapping) else f"({len(value)})"


def _joined(value: Any, between: Any = ", ") -> str:
    items = value[:MAX_ITERATIONS] if isinstance(value, list) else [value]
    return shortened(str(between).join(map(_as_text, items)), MAX_VALUE_LENGTH)


FILTERS: dict[str, Callable[..., Any]] = {
    "default": lambda value, other="": value if value or value == 0 else other,
    "first": lambda value: value[0] if isinstance(value, list) and value else "",
    "last": lambda value: value[-1] if isinstance(value, list) and value else "",
    "length": lambda value: len(value) if isinstance(value, str | list | Mapping) else 0,
    "join": _joined,
    "line": lambda value: line(_as_text(value)),
    "lower": lambda value: _as_text(value).lower(),
    "upper": lambda value: _as_text(value).upper(),
    "truncate": lambda value, length=100: shortened(
        _as_text(value), min(max(int(length), 4), MAX_VALUE_LENGTH)
    ),
}
