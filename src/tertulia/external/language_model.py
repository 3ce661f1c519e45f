"""Asks the operator's language model, which has the API of OpenAI."""

from typing import Any

import msgspec

from tertulia.config import Config
from tertulia.errors import BadRequest
from tertulia.external import safe_http
from tertulia.external.safe_http import ALL_NETWORKS, RequestFailed
from tertulia.fair_queue import FairQueue, Person

SECONDS = 60.0
MAX_RESPONSE_BYTES = 1 << 20
MAX_ANSWER_CHARACTERS = 10_000
MAX_ANSWER_TOKENS = 1000

QUEUE = FairQueue("language_model", slots=8, slots_per_person=1, max_waiting=2)


class _CompletionMessage(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _CompletionMessage


class _Completion(msgspec.Struct):
    choices: list[_Choice]


async def complete(config: Config, person: Person, task: str, text: str) -> str:
    """The answer of the model as plain text. Raises BadRequest, with the reason in words."""
    request: dict[str, Any] = {
        "messages": [{"role": "system", "content": task}, {"role": "user", "content": text}],
        "max_tokens": MAX_ANSWER_TOKENS,
    }
    if config.summary_model:
        request["model"] = config.summary_model
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if config.summary_key:
        headers["Authorization"] = f"Bearer {config.summary_key}"
    try:
        async with QUEUE.slot(person):
            answer = await safe_http.post(
                f"{config.summary_url.rstrip('/')}/chat/completions",
                msgspec.json.encode(request),
                headers,
                seconds=SECONDS,
                max_bytes=MAX_RESPONSE_BYTES,
                allowed=ALL_NETWORKS,
                person=person,
            )
    except RequestFailed as trouble:
        why = type(trouble).__name__
        raise BadRequest(
            f"Error connecting to the language model: {why}", problem="service-unreachable"
        ) from None
    if answer.status in (401, 403):
        raise BadRequest(
            "Error authenticating to the language model", problem="service-refused-credentials"
        )
    if not 200 <= answer.status < 300:
        raise BadRequest(
            f"The language model returned an unexpected error: {answer.status}",
            problem="language-model-error",
        )
    return _text(answer.body)


def _text(body: bytes) -> str:
    try:
        choices = msgspec.json.decode(body, type=_Completion).choices
    except (msgspec.MsgspecError, RecursionError):
        choices = []
    text = (choices[0].message.content or "") if choices else ""
    text = "".join(each for each in text if each.isprintable() or each == "\n").strip()
    if not text:
        raise BadRequest("The language model returned no text", problem="language-model-empty")
    return text[:MAX_ANSWER_CHARACTERS]
