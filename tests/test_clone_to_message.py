"""From a clone to a message over HTTPS: one command, then only a browser's requests.

The packages are those of this environment; the certificate is of a stand-in for an authority.
"""

import base64
import json
import os
import re
import signal
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from tests.support import acme_authority, checkout, ordinary_user
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS, eventually

HOST = "chat.example.com"
OWNER = {
    "organization": "Cine Linterna",
    "full_name": "Ana García",
    "email": "ana@example.com",
    "password": "lentils, always lentils",
}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.mark.thorough
def test_one_command_leads_from_a_clone_to_a_message_over_https(tmp_path: Path):
    with acme_authority.running() as authority, checkout.cloned() as clone:
        authority.http_port, authority.tls_port = own_port(), own_port()
        environment = checkout.environment(
            clone,
            TERTULIA_DATA=str(clone / "data"),
            TERTULIA_EXTERNAL_URL=f"https://{HOST}",
            TERTULIA_ACME_DIRECTORY=f"{authority.site}/directory",
            TERTULIA_ACME_EMAIL="ana@example.com",
            TERTULIA_ACME_HTTP_PORT=str(authority.http_port),
            TERTULIA_PORT=str(authority.tls_port),
        )
        out, log = tmp_path / "out", tmp_path / "log"
        with out.open("wb") as stdout, log.open("wb") as stderr:
            server = subprocess.Popen(
                [*ordinary_user.prefix(), "make", "serve"],
                cwd=clone,
                env=environment,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        try:
            eventually(lambda: "?code=" in out.read_text())
            context = ssl.create_default_context(cafile=authority.write_root(tmp_path / "root.pem"))
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
            context.check_hostname = False  # we connect to the loopback address
            browser = urllib.request.build_opener(
                urllib.request.HTTPSHandler(context=context), NoRedirect()
            )
            base = f"https://127.0.0.1:{authority.tls_port}"

            def sends(path: str, fields: dict[str, str] | None = None, **headers: str) -> str:
                data = None if fields is None else urlencode(fields).encode()
                sent = {"Host": HOST, "Sec-Fetch-Site": "same-origin", **headers}
                request = urllib.request.Request(f"{base}{path}", data, sent)
                try:
                    with browser.open(request, timeout=TIMEOUT_SECONDS) as reply:
                        return str(reply.read().decode())
                except urllib.error.HTTPError as error:
                    return f"{error.code} {error.headers['Location']}"

            def has_certificate() -> bool:
                try:
                    return "ok" in sends("/health")
                except urllib.error.URLError:
                    return False

            eventually(has_certificate)
            link = urlsplit(out.read_text().strip().splitlines()[-1])
            assert link.scheme == "https"
            assert "Cine" not in sends(f"{link.path}?{link.query}")
            code = link.query.removeprefix("code=")
            assert sends(link.path, {**OWNER, "code": code}) == "303 /"

            login = {"username": OWNER["email"], "password": OWNER["password"]}
            key = json.loads(sends("/api/v1/fetch_api_key", login))["api_key"]
            basic = base64.b64encode(f"{OWNER['email']}:{key}".encode()).decode()
            words = {"type": "direct", "to": '["ana@example.com"]', "content": "Hello over HTTPS"}
            sent = json.loads(sends("/api/v1/messages", words, Authorization=f"Basic {basic}"))
            read = sends(f"/api/v1/messages/{sent['id']}", Authorization=f"Basic {basic}")
            assert json.loads(read)["message"]["content"] == "<p>Hello over HTTPS</p>"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(TIMEOUT_SECONDS)
        assert not re.search(r"\[error|critical", log.read_text()), log.read_text()
