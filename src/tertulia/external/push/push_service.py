"""Client of the push service, the only way to reach phones: registers and notifies them.

The operator names the service, so it may be in a private network. Time and size are limited
nevertheless.
"""

import base64
import json
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from nacl.secret import SecretBox

from tertulia.config import Config
from tertulia.domain.personal.devices import Device, DeviceToken
from tertulia.errors.push import (
    PushServiceBroken,
    PushServiceBusy,
    PushServiceRejected,
    PushServiceUnavailable,
)
from tertulia.external import safe_http
from tertulia.external.safe_http import ALL_NETWORKS, HttpResponse, RequestFailed, ResponseTooLarge

SECONDS = 20.0
MAX_RESPONSE_BYTES = 1 << 20
TITLE = "New notification"
TOKEN_KINDS = {"apns": 1, "fcm": 2}


class NotRegistered(Exception):
    """The service refuses a registration with this code; a retry is useless."""


class PushMessage(msgspec.Struct, frozen=True):
    """A notification for the phones of one user."""

    payload: dict[str, Any]
    is_urgent: bool = True


async def register(config: Config, realm_uuid: str, device: Device) -> None:
    """Raises NotRegistered, and ClientError if the service fails."""
    form = {
        "realm_uuid": realm_uuid,
        "token_id": device.pending_token_id or "",
        "encrypted_push_registration": device.encrypted_registration or "",
        "bouncer_public_key": device.bouncer_public_key or "",
    }
    answer = await _post(config, "push/e2ee/register", form=form)
    if answer.status == 400:
        raise NotRegistered(_refusal(answer))
    _check(answer)


async def notify(
    config: Config, realm_uuid: str, phones: Sequence[tuple[Device, bytes]], message: PushMessage
) -> list[str]:
    """Notify phones, each with its own encryption; returns the tokens that are no longer valid."""
    body = {
        "realm_uuid": realm_uuid,
        "push_requests": [_request(device, key, message) for device, key in phones],
    }
    answer = await _post(config, "push/e2ee/notify", body=body)
    _check(answer)
    gone = _json(answer).get("delete_token_ids")
    return [str(each) for each in gone] if isinstance(gone, list) else []


def encrypt(payload: dict[str, Any], key: bytes) -> str:
    plain = json.dumps(payload, ensure_ascii=False).encode()
    return base64.b64encode(SecretBox(key[1:]).encrypt(plain)).decode()


def _request(device: Device, key: bytes, message: PushMessage) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "push_key_id": device.key_number,
        "encrypted_data": encrypt(message.payload, key),
    }
    if device.token_kind == "fcm":  # noqa: S105
        priority = "high" if message.is_urgent else "normal"
        return {"token_id": device.token_id, "fcm_priority": priority, "payload": payload}
    headers = {"apns_priority": 10, "apns_push_type": "alert"}
    if message.is_urgent:
        alert = {"mutable-content": 1, "alert": {"title": TITLE}, "sound": "default"}
        payload["aps"] = alert
    else:
        headers = {"apns_priority": 5, "apns_push_type": "background"}
        payload["aps"] = {"content-available": 1}
    return {"token_id": device.token_id, "http_headers": headers, "payload": payload}


# --- phones without encryption ---


async def add_token(config: Config, person: str, token: DeviceToken) -> None:
    form = {
        "user_uuid": person,
        "user_id": str(token.user_id),
        "token": token.token,
        "token_kind": str(TOKEN_KINDS[token.kind]),
        "ios_app_id": token.app_id,
    }
    _check(await _post(config, "push/register", form=form))


async def notify_tokens(
    config: Config,
    realm_uuid: str,
    person: str,
    tokens: Sequence[DeviceToken],
    message: PushMessage,
) -> None:
    """The payload is not encrypted: the services on the way can read it."""
    shown = message.payload.get("content", TITLE)
    alert = {"title": message.payload.get("sender_full_name", TITLE), "body": shown}
    body = {
        "user_uuid": person,
        "user_id": tokens[0].user_id,
        "realm_uuid": realm_uuid,
        "gcm_payload": message.payload,
        "gcm_options": {"priority": "high" if message.is_urgent else "normal"},
        "apns_payload": {
            "custom": {"zulip": message.payload},
            **({"alert": alert, "sound": "default"} if message.is_urgent else {}),
        },
        "android_devices": [each.token for each in tokens if each.kind == "fcm"],
        "apple_devices": [each.token for each in tokens if each.kind == "apns"],
    }
    _check(await _post(config, "push/notify", body=body))


# --- requests ---


async def _post(
    config: Config, path: str, *, form: dict[str, str] | None = None, body: Any = None
) -> HttpResponse:
    name = f"{config.push_service_id}:{config.push_service_key}"
    kind = "application/json" if form is None else "application/x-www-form-urlencoded"
    content = json.dumps(body).encode() if form is None else urlencode(form).encode()
    headers = {
        "Authorization": f"Basic {base64.b64encode(name.encode()).decode()}",
        "Content-Type": kind,
        "Accept": "application/json",
    }
    try:
        return await safe_http.post(
            f"{config.push_service_url}/api/v1/remotes/{path}",
            content,
            headers,
            seconds=SECONDS,
            max_bytes=MAX_RESPONSE_BYTES,
            allowed=ALL_NETWORKS,
        )
    except ResponseTooLarge:
        raise PushServiceBroken() from None
    except RequestFailed:
        raise PushServiceUnavailable() from None


def _check(answer: HttpResponse) -> None:
    if answer.status >= 500:
        raise PushServiceBroken()
    if answer.status == 429:
        raise PushServiceBusy(retry_seconds=answer.retry_seconds(time.time()))
    if not 200 <= answer.status < 300:
        raise PushServiceRejected()


def _refusal(answer: HttpResponse) -> str:
    """Compat: one refusal has no code, only a message."""
    body = _json(answer)
    code = str(body.get("code") or "")
    return "INVALID_ENCRYPTED_PUSH_REGISTRATION" if code in ("", "BAD_REQUEST") else code[:100]


def _json(answer: HttpResponse) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
