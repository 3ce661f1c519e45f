"""Notifications to an ntfy or Gotify server that a user has chosen."""

import json
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from tertulia.domain.addresses import Networks
from tertulia.external import safe_http
from tertulia.external.push.web_push import MAX_RESPONSE_BYTES, PushResponse

Kind = Literal["ntfy", "gotify"]
MAX_REASON = 200
WRONG_ADDRESS = (404, 405, 410)


class NoteButton(msgspec.Struct, frozen=True):
    label: str
    address: str
    opens: bool  # in a browser; otherwise the phone sends a POST


class Note(msgspec.Struct, frozen=True):
    title: str
    text: str
    link: str
    is_call: bool = False  # a direct message or a mention
    buttons: tuple["NoteButton", ...] = ()  # with any, it rings


async def send(
    kind: str,
    address: str,
    token: str,
    note: Note,
    now: float,
    allowed: Networks,
    *,
    person: int,
    seconds: float,
) -> tuple[PushResponse, str]:
    """Returns the response, and the words of a refusal. Raises what `safe_http.post` raises."""
    to, headers, body = (_ntfy if kind == "ntfy" else _gotify)(address, token, note)
    answer = await safe_http.post(
        to,
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **headers},
        seconds=seconds,
        max_bytes=MAX_RESPONSE_BYTES,
        allowed=allowed,
        person=person,
    )
    # It is the user who corrects a wrong address: it is not a subscription that has ended.
    status = 400 if answer.status in WRONG_ADDRESS else answer.status
    return PushResponse(status, answer.retry_seconds(now)), _reason(answer)


def _ntfy(address: str, token: str, note: Note) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The last part of the address is the topic."""
    server, _, topic = address.rstrip("/").rpartition("/")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body: dict[str, Any] = {
        "topic": topic,
        "title": note.title,
        "message": note.text,
        "click": note.link,
        "priority": 5 if note.buttons else 4 if note.is_call else 3,
    }
    if note.buttons:
        body["actions"] = [
            {
                "action": "view" if each.opens else "http",
                "label": each.label,
                "url": each.address,
                "clear": True,
            }
            for each in note.buttons
        ]
    return f"{server}/", headers, body


def _gotify(address: str, token: str, note: Note) -> tuple[str, dict[str, str], dict[str, Any]]:
    body = {
        "title": note.title,
        "message": note.text,
        "priority": 8 if note.is_call else 5,
        "extras": {"client::notification": {"click": {"url": note.link}}},
    }
    return f"{address.rstrip('/')}/message", {"X-Gotify-Key": token}, body


def _reason(answer: safe_http.HttpResponse) -> str:
    if answer.status < 400:
        return ""
    try:
        body = json.loads(answer.body)
        said = str(body.get("errorDescription") or body.get("error") or "")
    except (ValueError, AttributeError):
        said = ""
    return said[:MAX_REASON]


def has_topic(address: str) -> bool:
    return bool(urlsplit(address).path.strip("/"))
