"""Texts of the API description: a sentence for each parameter and each field.

A parameter means the same in every endpoint, so most have one sentence, in `parameters.txt`.
Settings have theirs in the tables of settings. Fields of responses have theirs in
`response_fields.txt`, or share the name and the meaning of a parameter; `state.txt` has the state
that `/register` returns.
"""

from functools import cache
from importlib import resources

from tertulia.http.routing import Route

ABOUT = (
    "The API of this chat server, which is that of Zulip. Parameters come in a form, as a JSON"
    " object or in the address; lists and objects are JSON. Log in with HTTP Basic: an address and"
    " its API key."
)

# Additional request headers, by route.
HEADERS = {
    ("POST", "/messages"): {
        "Idempotency-Key": "A text of up to 200 characters. The same key within a day is the same"
        " message, however often it is sent.",
    }
}


def sentence(route: Route, name: str) -> str:
    """The description of a parameter; a path parameter is named with its braces."""
    return _read("parameters.txt").get(name, "")


def of_field(kind: str, name: str) -> str:
    """The description of a response field; some names mean something else in other responses."""
    texts = _read("response_fields.txt")
    return texts.get(f"{kind}.{name}") or texts.get(name) or _read("parameters.txt").get(name, "")


@cache
def _read(file: str) -> dict[str, str]:
    text = (resources.files("tertulia.api") / file).read_text(encoding="utf-8")
    pairs = (line.partition(": ") for line in text.splitlines() if line)
    return {name: words for name, _, words in pairs}
