"""JSON of any sender, with a topic and a text that the owner of the bot writes as Jinja templates.

The templates are parameters of the webhook's URL. A template comes from a user and runs on the
server, so it is bounded: only a small part of Jinja is allowed (values, conditions, loops and a few
filters; no calls and no arithmetic), all loops together have few iterations, and each lookup,
filter and comparison takes from a budget, by the size of its values. The filters are those of our
own templates (`sentence_templates.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import line, shortened
from tertulia.integrations.sentence_templates import FILTERS, apply_filter, name_path, sandbox
from tertulia.integrations.webhook_message import WebhookMessage, WebhookRejected
from tertulia.memo import memoized

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
    "And", "Compare", "CondExpr", "Const", "Filter", "For", "Getattr", "Getitem", "If",
    "Keyword", "Name", "Neg", "Not", "Operand", "Or", "Output", "Template", "TemplateData", "Test",
}  # fmt: skip
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
    spending = _budget.set(_Budget(name))
    pieces: list[str] = []
    length = 0
    try:
        for piece in _compiled(name, template).generate(values):
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
    finally:
        _budget.reset(spending)
    return "".join(pieces)


@memoized("webhook_templates", 128)
def _compiled(name: str, template: str) -> Any:
    environment = _environment()
    parsed = environment.parse(template)
    _check(name, parsed)
    return environment.from_string(parsed)


def _mistakes() -> tuple[type[Exception], ...]:
    """What a wrong template raises: `1e999` is compiled to the name `inf`, and the last three are
    those of a template that nests too deep."""
    mistake = import_module("jinja2").TemplateError
    return (
        mistake,
        TypeError,
        ValueError,
        OverflowError,
        NameError,
        SyntaxError,
        RecursionError,
        MemoryError,
    )


class _Budget:
    """The work that one rendering may do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MAX_WORK
        self._iterations_left = MAX_ITERATIONS

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

    def bounded(self, items: Any) -> Iterator[Any]:
        for item in items if isinstance(items, list | Mapping) else ():
            if self._iterations_left <= 0:
                return
            self._iterations_left -= 1
            yield item


_budget: ContextVar[_Budget] = ContextVar("budget")  # of the rendering


@cache
def _environment() -> Any:
    class BudgetedEnvironment(sandbox()):  # type: ignore[misc]
        def getitem(self, obj: Any, argument: Any) -> Any:
            _budget.get().spend(1)
            return super().getitem(obj, argument)

    ours = {
        "bounded": lambda items: _budget.get().bounded(items),
        "compared": lambda value: _budget.get().read(value),
    }
    return BudgetedEnvironment(
        _as_text, {name: _paid(work) for name, work in FILTERS.items()} | ours
    )


def _paid(work: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that pays for the value it reads and for the one it makes."""

    def paid(value: Any, *args: Any, **named: Any) -> Any:
        budget = _budget.get()
        return budget.read(work(budget.read(value), *args, **named))

    return paid


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
    for filtered in parsed.find_all(nodes.Filter):
        name_path(filtered, before="payload.")
    for compared in list(parsed.find_all(nodes.Compare)):
        for side in (compared, *compared.ops):
            side.expr = apply_filter(side.expr, "compared")
    for loop in list(parsed.find_all(nodes.For)):
        if loop.recursive:
            raise WebhookRejected(
                "{name}: a recursive loop is not allowed in a template.",
                problem="template-recursive-loop",
                name=name,
            )
        loop.iter = apply_filter(loop.iter, "bounded")


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
