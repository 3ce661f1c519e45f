"""External services in one server: push, BigBlueButton, Nextcloud and a language model."""

import base64
import hashlib
import json
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any

from nacl.secret import SecretBox
from tests.support.fake_webhooks import ReceivedRequest, Receiver

PUSH_ID, PUSH_KEY = "11111111-2222-3333-4444-555555555555", "k" * 64
BBB_SECRET = "the secret of the meetings"
KEY = b"\x31" + b"the 32 bytes of a key of a phone"


class FakeServices(Receiver):
    """`answers` replaces the usual answer of a path."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.headers: dict[str, str] = {}
        super().__init__(self._respond)

    @property
    def settings(self) -> dict[str, Any]:
        site = self.url.removesuffix("/hook")
        return {
            "push_service_url": site,
            "push_service_id": PUSH_ID,
            "push_service_key": PUSH_KEY,
            "bigbluebutton_url": f"{site}/bigbluebutton",
            "bigbluebutton_secret": BBB_SECRET,
            "nextcloud_url": site,
            "nextcloud_user": "talker",
            "nextcloud_password": "apple",
            "summary_url": f"{site}/v1",
            "summary_model": "small",
            "summary_key": "pear",
        }

    def asked(self, path: str) -> list[ReceivedRequest]:
        return [each for each in list(self.requests) if each.path.partition("?")[0].endswith(path)]

    def push_notifications(self) -> list[dict[str, Any]]:
        """The notifications for phones with our key."""
        requests = [one for each in self.asked("e2ee/notify") for one in each.json["push_requests"]]
        return [opened(each["payload"]["encrypted_data"]) for each in requests]

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        path, _, query = handler.path.partition("?")
        status, content = self.answers.get(path, (200, _usual(path, query)))
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)


def _usual(path: str, query: str) -> Any:
    if path.endswith("/chat/completions"):
        return {"choices": [{"message": {"role": "assistant", "content": "They will eat soup."}}]}
    if path.endswith("/room"):
        return {"ocs": {"data": {"token": "abc123"}}}
    if path.endswith("/api/create"):
        signed, _, checksum = query.rpartition("&checksum=")
        if hashlib.sha256(f"create{signed}{BBB_SECRET}".encode()).hexdigest() != checksum:
            return b"<r><returncode>FAILED</returncode><messageKey>checksumError</messageKey></r>"
        return b"<r><returncode>SUCCESS</returncode><createTime>1531</createTime></r>"
    return {"result": "success", "delete_token_ids": []}


def opened(sealed: str) -> dict[str, Any]:
    push_notifications: dict[str, Any] = json.loads(
        SecretBox(KEY[1:]).decrypt(base64.b64decode(sealed))
    )
    return push_notifications


@cache
def fake_services() -> FakeServices:
    """The services of all test servers."""
    return FakeServices()
