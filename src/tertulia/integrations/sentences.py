"""Services whose messages are sentences about a payload: a table of templates, `services/*.toml`.

An entry is read like this:

    [pingdom]
    title = "Pingdom"
    event = "current_state | required | lower"   # an expression: the name that filters know
    let.name = "check_name or check_id"          # a name for an expression
    words.sign = { UP = ":check:" }              # a map of our words: `sign[current_state]`

    [[pingdom.messages]]                         # the first that fits is sent
    events = ["up", "down"]                      # or a map from each event to its `phrase`
    when = "check_params"                        # a condition
    topic = "{{ name }}"
    text = "{{ sign[event] }} {{ name | link(check_params.url) }}"
    quote = "description"                        # after the text, quoted; without it a full stop
    facts.Type = "check_type"                    # a list of what is known; empty ones are left out
    items = "{{ probe }}\\n{{ place }}"            # a list, one item on each line

An event that no message names is refused as unknown. A message with an empty text is not sent.

`sentence_templates.py` says what a template is.
"""

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import msgspec

from tertulia.integrations import phrases, signatures
from tertulia.integrations.payload import MAX_ITEMS, WebhookRequest
from tertulia.integrations.sentence_templates import Markdown, compiled
from tertulia.integrations.signatures import Check
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An HMAC in one of these headers, or a header that contains the secret itself."""

    headers: tuple[str, ...]
    prefix: str = ""
    digest: str = "sha256"
    is_token: bool = False

    @property
    def check(self) -> Check:
        if self.is_token:
            return signatures.token(*self.headers)
        return signatures.hexadecimal(*self.headers, prefix=self.prefix, digest=self.digest)


class MessageTemplates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    topic: str
    text: str
    events: list[str] | dict[str, str] = []
    when: str = ""
    event: str = ""  # the name of the event, if it is not the one that chose this message
    quote: str = ""
    facts: dict[str, str] = {}
    items: str = ""
    limit: int = MAX_ITEMS  # of the items; the others are counted
    branch: str = ""
    is_private: str = ""
    to_owner: bool = False

    def source(self, number: int) -> Iterator[tuple[str, str]]:
        """The templates of the parts, by their names."""
        facts = [f"{{{{ ({value}) | fact({name!r}) }}}}\n" for name, value in self.facts.items()]
        parts = {
            "topic": self.topic,
            "text": self.text,
            "lines": "".join(facts),
            "items": self.items,
            "when": self.when and f"{{% if {self.when} %}}1{{% endif %}}",
            "event": self.event and f"{{{{ ({self.event}) | raw }}}}",
            "quote": self.quote and f"{{{{ ({self.quote}) | raw }}}}",
            "branch": self.branch and f"{{{{ ({self.branch}) | raw }}}}",
            "is_private": self.is_private and f"{{% if {self.is_private} %}}1{{% endif %}}",
        }
        return ((f"{name}_{number}", source) for name, source in parts.items() if source)


class ServiceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    title: str
    event: str
    messages: tuple[MessageTemplates, ...]
    signature: Signature | str | None = None
    let: dict[str, str] = {}
    words: dict[str, dict[str, str]] = {}
    quiet: tuple[str, ...] = ()  # events that are not worth a message
    has_fixed_events: bool = False
    reads_query: bool = False  # whether the address may have what the payload lacks

    @property
    def check(self) -> Check | None:
        if isinstance(self.signature, Signature):
            return self.signature.check
        return None if self.signature is None else signatures.NAMED[self.signature]

    @property
    def event_names(self) -> list[str] | None:
        listed = [name for message in self.messages for name in message.events]
        return listed if self.has_fixed_events else None

    def is_slow(self) -> bool:
        """Whether its templates are yet to be compiled, which takes some 10 ms."""
        return "_compiled" not in self.__dict__

    def to_message(self, request: WebhookRequest) -> WebhookMessage | None:
        payload = request.payload.value
        if self.reads_query:
            payload = {**request.query, **(payload if isinstance(payload, dict) else {})}
        values = {
            "payload": payload,
            "header": request.headers,
            "query": request.query,
            **self._words,
        }
        context = self._compiled.new_context(values, shared=True)

        def part(name: str) -> str:
            block = self._compiled.blocks.get(name)
            return "" if block is None else "".join(block(context)).strip()

        event = values["event"] = part("event")
        if event in self.quiet:
            return None
        for number, message in enumerate(self.messages):
            if message.events and event not in message.events:
                continue
            if isinstance(message.events, dict):
                values["phrase"] = Markdown(message.events[event])
            if not message.when or part(f"when_{number}"):
                return _written(message, number, event, part)
        raise UnknownEvent(event)

    @cached_property
    def _words(self) -> dict[str, dict[str, str]]:
        return {
            name: {key: Markdown(text) for key, text in words.items()}
            for name, words in self.words.items()
        }

    @cached_property
    def _compiled(self) -> Any:
        """A Jinja template with one block for each part of each message."""
        sources = {"event": f"{{{{ ({self.event}) | raw }}}}"}
        for number, message in enumerate(self.messages):
            sources.update(message.source(number))
        blocks = (f"{{% block {name} %}}{each}{{% endblock %}}" for name, each in sources.items())
        return compiled("".join(blocks), self.let, self.words)


@cache
def services() -> dict[str, ServiceEntry]:
    """Every entry, by its name."""
    folder = files("tertulia.integrations").joinpath("services")
    return {
        name: service
        for each in sorted(folder.iterdir(), key=lambda each: each.name)
        for name, service in msgspec.toml.decode(
            each.read_bytes(), type=dict[str, ServiceEntry]
        ).items()
    }


def _written(
    message: MessageTemplates, number: int, event: str, part: Callable[[str], str]
) -> WebhookMessage | None:
    text = part(f"text_{number}")
    if not text:
        return None
    if message.quote:
        text = phrases.with_quote(text, part(f"quote_{number}"))
    items = [line for line in part(f"items_{number}").split("\n") if line]
    if len(items) > message.limit:
        others = phrases.count(len(items) - message.limit, "other")
        items[message.limit :] = [f"and {others}"]
    facts = [line for line in part(f"lines_{number}").split("\n") if line]
    if message.facts and not facts and text.endswith(":"):
        text = f"{text[:-1]}."
    return WebhookMessage(
        part(f"event_{number}") or event,
        part(f"topic_{number}"),
        "\n\n".join(filter(None, [text, phrases.bullets(facts), phrases.bullets(items)])),
        branch=part(f"branch_{number}") or None,
        is_private=bool(part(f"is_private_{number}")),
        to_owner=message.to_owner,
    )
