"""A browser: keeps cookies and sends `Sec-Fetch-Site` and `Origin`."""

import re
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from tests.support.client import FORM, Reply, wire
from tests.support.people import Chat, Person

from tertulia import actions, domain
from tertulia.domain.people.sessions import Browser as UserAgent


@dataclass
class Browser:
    chat: Chat
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)  # sent with every request

    @classmethod
    def of(cls, person: Person) -> "Browser":
        """A browser with a session of this user."""
        token, agent = domain.people.sessions.new_token(), UserAgent("Mozilla/5.0", "127.0.0.1")
        fingerprint = person.server.session_fingerprint(token)
        person.chat.write(actions.people.sessions.start, person.record, fingerprint, agent)
        return cls(person.chat, {"session": token})

    def opens(self, path: str, **headers: str) -> Reply:
        """Follow a link, or type an address."""
        return self._send("GET", path, {"Sec-Fetch-Mode": "navigate", **headers})

    def submits(self, path: str, fields: dict[str, str] | None = None, **headers: str) -> Reply:
        """Submit a form of one of our pages."""
        expected = {"Sec-Fetch-Site": "same-origin", "Content-Type": FORM, **headers}
        return self._send("POST", path, expected, urlencode(fields or {}).encode())

    def calls(self, method: str, path: str, **params: Any) -> Reply:
        """A request of a script of our page under /json."""
        return self.calls_from("same-origin", method, path, **params)

    def calls_from(self, site: str, method: str, path: str, **params: Any) -> Reply:
        encoded = urlencode({name: wire(value) for name, value in params.items()})
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors"}
        if method == "GET":
            return self._send("GET", f"/json{path}?{encoded}", headers)
        return self._send(
            method, f"/json{path}", headers | {"Content-Type": FORM}, encoded.encode()
        )

    def logs_in(self, email: str, password: str, **fields: str) -> Reply:
        return self.submits("/login/", {"username": email, "password": password, **fields})

    def _send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> Reply:
        sent = {"Host": self.chat.host, **self.headers, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.chat.server.client.raw(method, path, sent, body)
        for name, morsel in SimpleCookie(reply.headers.get("Set-Cookie", "")).items():
            if morsel["max-age"] == "0":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = morsel.value
        return reply


def text_of(page: Reply) -> str:
    """The text of a page."""
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.body.decode()))
