"""Web Push: browsers are told at once, and no longer show what was read elsewhere."""

import ipaddress
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support.people import Chat
from tests.support.receivers import Receiver

from tertulia.domain.personal.web_push import encoded
from tertulia.links.web_push import _expand, _hmac

HOME = (ipaddress.ip_network("127.0.0.0/8"),)
SECRET = b"sixteen letters!"


class Browser:
    """A browser with its push service."""

    def __init__(self):
        self.service = Receiver((201, b""))
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.point = self._key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )

    def subscription(self):
        return {
            "endpoint": self.service.url,
            "p256dh": encoded(self.point),
            "auth": encoded(SECRET),
        }

    def told(self):
        return [self._opened(each.body) for each in self.service.heard]

    def _opened(self, body):
        salt, sender, sealed = body[:16], body[21:86], body[86:]
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self._key.exchange(ec.ECDH(), theirs)
        info = b"WebPush: info\0" + self.point + sender
        start = _hmac(salt, _expand(_hmac(SECRET, shared), info, 32))
        key = _expand(start, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _expand(start, b"Content-Encoding: nonce\0", 12)
        return json.loads(AESGCM(key).decrypt(nonce, sealed, None).removesuffix(b"\x02"))


@pytest.fixture
def scene(start_server):
    chat = Chat.found(start_server(webhook_networks=HOME), "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    browser = Browser()
    assert len(ben.get("/web_push/key").succeeds()["public_key"]) == 87
    ben.post("/web_push/subscriptions", **browser.subscription()).succeeds()
    yield chat, ana, ben, browser
    browser.service.close()


def works(chat):
    application = chat.server.application
    for job in (application.lookout.look, application.herald.look, application.herald.take_back):
        chat.server.do(job())


def test_who_is_away_is_told_at_once_and_of_what_was_read_elsewhere(scene):
    chat, ana, ben, browser = scene

    sent = ana.says("Are you *there*?", to=[ben])
    ana.says("nothing for Ben", to="kitchen > lunch")
    works(chat)  # being named, he follows the topic from there on
    ana.says("@**Ben** soup", to="kitchen > lunch")
    works(chat)
    works(chat)
    ben.post("/messages/flags", messages=[sent.id], op="add", flag="read").succeeds()
    works(chat)

    direct, mention, removed = sorted(browser.told(), key=lambda each: each.get("message_id", 1e9))
    assert (direct["type"], direct["content"]) == ("message", "Are you there?")
    assert direct["recipient_user_ids"] == sorted([ana.id, ben.id])
    assert (mention["channel_name"], mention["topic"]) == ("kitchen", "lunch")
    assert (removed["type"], removed["message_ids"]) == ("remove", [sent.id])
    heard = browser.service.heard[0]
    assert heard.headers["content-encoding"] == "aes128gcm"
    assert heard.headers["authorization"].startswith("vapid t=")


def test_who_is_here_is_not_told_unless_they_want_to_be(scene):
    chat, ana, ben, browser = scene
    ben.post("/users/me/presence", status="active").succeeds()
    ben.patch("/settings", enable_online_push_notifications=False).succeeds()

    ana.says("one", to=[ben])
    works(chat)
    ben.patch("/settings", enable_online_push_notifications=True).succeeds()
    ana.says("two", to=[ben])
    works(chat)

    assert [each["content"] for each in browser.told()] == ["two"]


def test_a_browser_that_forgot_us_is_forgotten(scene):
    chat, ana, ben, browser = scene
    browser.service.answer = (410, b"")

    ana.says("one", to=[ben])
    works(chat)
    ana.says("two", to=[ben])
    works(chat)

    assert len(browser.service.heard) == 1
    ben.delete("/web_push/subscriptions", endpoint=browser.service.url).fails(
        "No such subscription"
    )


def test_trouble_is_tried_three_times(scene):
    chat, ana, ben, browser = scene
    browser.service.answer = (503, b"")

    ana.says("one", to=[ben])
    for _ in range(5):
        works(chat)
        chat.server.clock.move(seconds=61)

    assert len(browser.service.heard) == 3


@pytest.mark.parametrize(
    "name, value", [("endpoint", "ftp://x"), ("p256dh", "AAAA"), ("auth", "!")]
)
def test_a_subscription_that_cannot_be_used_is_refused(chat, name, value):
    ana = chat.person("ana")

    answer = ana.post("/web_push/subscriptions", **(Browser().subscription() | {name: value}))

    answer.fails(f"Invalid {name}")
