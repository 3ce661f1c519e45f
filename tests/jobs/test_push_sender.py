"""Web Push: browsers are notified at once, and notifications of read messages are removed."""

import base64
import ipaddress
import json

import pytest
import structlog.testing
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support import fake_webhooks
from tests.support.fake_webhooks import Receiver
from tests.support.people import Chat
from tests.support.quiet_hours import HOUR, has_quiet_hours_now
from tests.support.waiting import eventually

from tertulia import features, storage
from tertulia.domain.personal.quiet_hours import RECHECK_SECONDS
from tertulia.domain.personal.web_push import encoded
from tertulia.external.push.web_push import _expand, _hmac

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

    def received(self):
        return [self._opened(each.body) for each in self.service.requests]

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
def chat(start_server):
    return Chat.found(start_server(webhook_networks=HOME), "")


@pytest.fixture
def browser(in_kitchen, ana, ben):
    """The browser of Ben, who is in the kitchen with Ana."""
    browser = Browser()
    assert len(ben.get("/web_push/key").succeeds()["public_key"]) == 87
    ben.post("/web_push/subscriptions", **browser.subscription()).succeeds()
    yield browser
    browser.service.close()


def works(chat):
    """Send all due notifications; the server's own jobs may run, too."""

    def is_done():
        chat.server.run_job("missed messages")
        chat.server.deliver("push")
        return chat.read(is_quiet)

    eventually(is_done)
    chat.server.run_job("pushed and read")


def is_quiet(tx):
    behind = features.notifications.missed_messages.realms_behind(
        tx, [tx.realm_id], everybody=False
    )
    return not behind and not storage.outbox.due(tx, "push", 1, 1)


def test_an_absent_user_is_notified_at_once_and_after_reading_elsewhere(chat, browser, ana, ben):
    sent = ana.says("Are you *there*?", to=[ben])
    ana.says("nothing for Ben", to="kitchen > lunch")
    works(chat)  # the mention makes him follow the topic
    ana.says("@**Ben** soup", to="kitchen > lunch")
    works(chat)
    works(chat)
    ben.post("/messages/flags", messages=[sent.id], op="add", flag="read").succeeds()
    works(chat)

    eventually(lambda: len(browser.received()) == 3)
    direct, mention, removed = sorted(
        browser.received(), key=lambda each: each.get("message_id", 1e9)
    )
    assert (direct["type"], direct["content"]) == ("message", "Are you there?")
    assert direct["recipient_user_ids"] == sorted([ana.id, ben.id])
    assert (mention["channel_name"], mention["topic"]) == ("kitchen", "lunch")
    assert (removed["type"], removed["message_ids"]) == ("remove", [sent.id])
    request = browser.service.requests[0]
    assert request.headers["content-encoding"] == "aes128gcm"
    _, claims, _ = (
        request.headers["authorization"].removeprefix("vapid t=").split(",")[0].split(".")
    )
    subject = json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]
    assert subject == f"mailto:noreply@{chat.server.config.email_domain}"


def test_a_present_user_is_notified_of_what_stays_unread_unless_they_want_all(
    chat, browser, ana, ben
):
    ben.registers(event_types=["message"])
    ben.post("/users/me/presence", status="active").succeeds()
    ben.patch("/settings", enable_online_push_notifications=False).succeeds()

    ana.says("left unread", to=[ben])
    read = ana.says("read", to=[ben])
    works(chat)
    ben.patch("/settings", enable_online_push_notifications=True).succeeds()
    ana.says("at once", to=[ben])
    works(chat)
    ben.patch("/settings", enable_online_push_notifications=False).succeeds()
    ben.post("/messages/flags", messages=[read.id], op="add", flag="read").succeeds()
    chat.server.clock.move(seconds=100)
    ben.post("/users/me/presence", status="active").succeeds()
    chat.server.clock.move(seconds=101)
    works(chat)
    assert [each["content"] for each in browser.received()] == ["at once"]
    assert chat.read(noted) == 2  # what was read is not known any more
    chat.server.clock.move(seconds=201)
    works(chat)

    assert [each["content"] for each in browser.received()] == ["at once", "left unread"]


def test_in_quiet_hours_notifications_wait_and_what_was_read_is_not_sent(
    chat, browser, ntfy, ana, ben
):
    ben.post("/push_servers", kind="ntfy", address=f"{ntfy.url}/reef").succeeds()
    has_quiet_hours_now(chat, ben)
    ana.says("left unread", to=[ben])
    read = ana.says("read", to=[ben])
    works(chat)
    assert browser.service.requests == ntfy.requests == []

    ben.post("/messages/flags", messages=[read.id], op="add", flag="read").succeeds()
    chat.server.clock.move(seconds=HOUR + 1)
    works(chat)

    assert [each["content"] for each in browser.received()] == ["left unread"]
    assert len(ntfy.requests) == 1


def test_what_waits_comes_within_minutes_when_quiet_hours_are_switched_off(chat, browser, ana, ben):
    has_quiet_hours_now(chat, ben)
    ana.says("Soup", to=[ben])
    works(chat)

    ben.patch("/settings", quiet_hours="").succeeds()
    chat.server.clock.move(seconds=RECHECK_SECONDS + 1)
    works(chat)

    assert [each["content"] for each in browser.received()] == ["Soup"]


def test_a_test_notification_comes_at_once_in_the_language_of_the_user(browser, ben):
    ben.patch("/settings", default_language="de").succeeds()
    endpoint = browser.service.url

    accepted = ben.post("/web_push/test", endpoint=endpoint).succeeds()
    browser.service.answer = (503, b"")
    refused = ben.post("/web_push/test", endpoint=endpoint).succeeds()
    browser.service.close()
    unreached = ben.post("/web_push/test", endpoint=endpoint).succeeds()

    assert [each["status"] for each in (accepted, refused, unreached)] == [201, 503, 0]
    first = browser.received()[0]
    assert (first["type"], first["content"]) == ("test", "Das ist ein Test. Alles funktioniert.")


def test_only_the_owner_of_a_subscription_tests_it(browser, ana):
    ana.post("/web_push/test", endpoint=browser.service.url).fails("No such subscription")

    assert browser.service.requests == []


@pytest.fixture
def ntfy():
    """An ntfy server on this machine."""
    server = Receiver((200, b"{}"))
    yield server
    server.close()


@pytest.mark.usefixtures("in_kitchen")
def test_missed_messages_go_to_an_ntfy_server_with_names_only_or_the_text(chat, ntfy, ana, ben):
    address = f"{ntfy.url}/reef-7tq"
    ben.post("/push_servers", kind="ntfy", address=address, token="tk_1").succeeds()
    ana.says("Are you there?", to=[ben])
    works(chat)
    ben.post("/push_servers", kind="ntfy", address=address, sends_text=True).succeeds()
    sent = ana.says("@**Ben** soup", to="kitchen > lunch")
    works(chat)
    ben.post("/messages/flags", messages=[sent.id], op="add", flag="read").succeeds()
    works(chat)

    first, second = ntfy.requests
    assert first.headers["authorization"] == "Bearer tk_1"
    assert "authorization" not in second.headers
    assert (first.json["topic"], first.json["priority"]) == ("reef-7tq", 4)
    assert (first.json["title"], first.json["message"]) == ("Ana", "New message")
    assert (second.json["title"], second.json["message"]) == ("Ana · kitchen › lunch", "@Ben soup")
    assert second.json["click"].endswith(f"/topic/lunch/near/{sent.id}")


@pytest.mark.usefixtures("in_kitchen")
def test_missed_messages_go_to_a_gotify_server(chat, ntfy, ana, ben):
    ben.post("/push_servers", kind="gotify", address=ntfy.url, token="app").succeeds()
    ana.says("Are you there?", to=[ben])
    works(chat)

    (request,) = ntfy.requests
    assert (request.path, request.headers["x-gotify-key"]) == ("/hook/message", "app")
    assert (request.json["message"], request.json["priority"]) == ("New message", 8)


@pytest.mark.usefixtures("in_kitchen")
def test_a_push_server_that_fails_is_tried_again(chat, ntfy, ana, ben):
    ben.post("/push_servers", kind="ntfy", address=f"{ntfy.url}/a").succeeds()
    ntfy.answer = (500, b"")
    ana.says("Are you there?", to=[ben])
    works(chat)
    ntfy.answer = (200, b"{}")
    chat.server.clock.move(seconds=61)
    works(chat)

    assert len(ntfy.requests) == 2


def test_the_test_of_a_push_server_says_why_it_refuses(ntfy, ben):
    ntfy.answer = (403, b'{"code": 40301, "http": 403, "error": "forbidden"}')
    ben.post("/push_servers", kind="ntfy", address=f"{ntfy.url}/a").succeeds()

    found = ben.post("/push_servers/test", address=f"{ntfy.url}/a").succeeds()

    assert (found["status"], found["reason"]) == (403, "forbidden")
    assert ntfy.requests[0].json["message"] == "This is a test. Everything works."
    ben.delete("/push_servers", address=f"{ntfy.url}/a").succeeds()
    assert ben.get("/push_servers").succeeds()["push_servers"] == []


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://ntfy.example.com/a", "The address needs HTTPS."),
        (
            "https://ntfy.example.com/",
            "The address needs a topic, as in https://ntfy.example.com/topic.",
        ),
    ],
)
def test_the_address_of_a_push_server_is_checked(ben, address, problem):
    ben.post("/push_servers", kind="ntfy", address=address).fails(problem)


@pytest.mark.usefixtures("in_kitchen")
def test_an_organization_can_forbid_push_servers(chat, ntfy, ana, ben):
    ben.post("/push_servers", kind="ntfy", address=f"{ntfy.url}/a").succeeds()
    chat.set("push_servers_allowed", False)

    ben.post("/push_servers", kind="ntfy", address=f"{ntfy.url}/b").fails(
        "This organization does not allow push servers."
    )
    ana.says("Are you there?", to=[ben])
    works(chat)

    assert ntfy.requests == []


def noted(tx):
    return tx.value(
        "SELECT (SELECT count(*) FROM push_notice WHERE realm_id = :realm)"
        " + (SELECT count(*) FROM outbox WHERE realm_id = :realm) AS value"
    )


def test_the_smallest_mentioned_group_is_named(chat, browser, ana, ben):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    cooks = owner.post("/user_groups/create", name="cooks", description="", members=[ben.id])
    everyone = {"name": "house", "description": "", "members": [ana.id, ben.id, owner.id]}
    owner.post("/user_groups/create", **everyone).succeeds()

    ana.says("@*house* and @*cooks*\n> quoted\n```spoiler end\nbutler\n```", to="kitchen > lunch")
    works(chat)
    ana.says("@*cooks* @**Ben** :tada:", to="kitchen > lunch")
    works(chat)

    by_group, by_name = browser.received()
    group = (by_group["mentioned_user_group_id"], by_group["mentioned_user_group_name"])
    assert group == (cooks.succeeds()["group_id"], "cooks")
    assert by_group["content"] == "@house and @cooks\n> quoted\nend (…)"
    assert "mentioned_user_group_id" not in by_name
    assert by_name["content"] == "@cooks @Ben 🎉"


def test_a_gone_subscription_is_deleted(chat, browser, ana, ben):
    browser.service.answer = (410, b"")

    ana.says("one", to=[ben])
    works(chat)
    ana.says("two", to=[ben])
    works(chat)

    assert len(browser.service.requests) == 1
    ben.delete("/web_push/subscriptions", endpoint=browser.service.url).fails(
        "No such subscription"
    )


@pytest.mark.usefixtures("browser")
def test_a_guest_does_not_get_the_name_of_a_hidden_user(chat, ben):
    chat.permit("can_access_all_users_group", "members")
    dora = chat.person("dora")
    gus, phone = chat.person("gus", role="guest", channels=["kitchen"]), Browser()
    gus.post("/web_push/subscriptions", **phone.subscription()).succeeds()

    ben.says("@**Gus** soup", to="kitchen > lunch")
    dora.says("@**Gus** bread", to="kitchen > lunch")  # and it is not in there
    works(chat)

    found = [(each["sender_full_name"], each["content"]) for each in phone.received()]
    assert found == [("Ben", "@Gus soup"), ("Unknown user", "@Gus bread")]
    phone.service.close()


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_rejected_push_is_not_repeated_and_the_next_is_tried(chat, browser, ana, ben, status):
    browser.service.answer = (status, b"")

    ana.says("one", to=[ben])
    with structlog.testing.capture_logs() as logs:
        works(chat)
        chat.server.clock.move(hours=2)
        works(chat)
    browser.service.answer = (201, b"")
    ana.says("two", to=[ben])
    works(chat)

    assert [each["content"] for each in browser.received()] == ["one", "two"]
    assert "push.endpoint_failed" in [each["event"] for each in logs]
    assert chat.read(failures) == [0]


def failures(tx):
    return [row["failures"] for row in tx.all("SELECT failures FROM push_subscription")]


def test_a_service_that_rejects_everything_is_dropped_in_the_end(chat, browser, ana, ben):
    browser.service.answer = (403, b"")
    chat.write(refused_often)

    ana.says("once more", to=[ben])
    works(chat)

    assert chat.read(failures) == []


def refused_often(tx):
    tx.execute("UPDATE push_subscription SET failures = 99 WHERE realm_id = :realm")


def test_a_push_that_is_too_large_is_sent_without_its_text(chat, browser, ana, ben):
    browser.service.answer = (413, b"")

    sent = ana.says("soup", to=[ben])
    works(chat)

    whole, brief = browser.received()
    assert whole["content"] == "soup"
    assert (brief["content"], brief["message_id"]) == ("", sent.id)
    assert "recipient_user_ids" not in brief


def test_retry_after_of_a_push_service_is_respected(chat, browser, ana, ben):
    browser.service.answer = (429, b"", {"Retry-After": "600"})
    tries = []

    ana.says("one", to=[ben])
    for minutes in (0, 1, 8, 2):
        chat.server.clock.move(minutes=minutes)
        works(chat)
        tries.append(len(browser.service.requests))
    browser.service.answer = (201, b"")
    chat.server.clock.move(minutes=10)
    works(chat)

    assert tries == [1, 1, 1, 2]
    assert [each["content"] for each in browser.received()] == ["one"] * 3


@pytest.mark.parametrize("trouble", ["500", "circle", "flood", "hang"])
def test_a_failing_endpoint_is_retried_with_growing_pauses_and_dropped_after_a_day(
    chat, browser, ana, ben, trouble
):
    if trouble == "hang":
        chat.server.set_timeout("push", 1)
    other = Browser()
    ana.post("/web_push/subscriptions", **other.subscription()).succeeds()
    browser.service.answer = {
        "500": (500, b""),
        "circle": fake_webhooks.redirect(browser.service.url),
        "flood": fake_webhooks.stream_for_ever,
        "hang": fake_webhooks.never_answer,
    }[trouble]
    tries = []

    for number in range(3):
        ana.says(f"to Ben {number}", to=[ben])
        ben.says(f"to Ana {number}", to=[ana])
    for minutes in (0, 1, 1, 1, 4, 8, 16, 32, 60):  # and two in which it is paused
        chat.server.clock.move(minutes=minutes)
        works(chat)
        tries.append(len(browser.service.requests))
    with structlog.testing.capture_logs() as logs:
        chat.server.clock.move(hours=24)
        works(chat)

    assert tries == [1, 2, 2, 3, 4, 5, 6, 7, 8]
    assert [each["content"] for each in other.received()] == [f"to Ana {n}" for n in range(3)]
    assert [each["event"] for each in logs if each.get("log_level") == "error"] == [
        "push.given_up"
    ] * 3
    assert chat.server.metric("tertulia_pushes_given_up") == 3
    other.service.close()


def test_a_user_with_two_endpoints_is_notified_at_the_failed_one_after_it_recovers(
    chat, browser, ana, ben
):
    other = Browser()
    ben.post("/web_push/subscriptions", **other.subscription()).succeeds()
    browser.service.answer = (503, b"")

    ana.says("one", to=[ben])
    works(chat)
    browser.service.answer = (201, b"")
    chat.server.clock.move(seconds=61)
    works(chat)
    works(chat)

    assert [each["content"] for each in other.received()] == ["one"]
    assert [each["content"] for each in browser.received()] == ["one", "one"]


def test_a_hanging_endpoint_delays_no_other_user(chat, browser, ana, ben):
    browser.service.answer = fake_webhooks.never_answer
    other = Browser()
    ana.post("/web_push/subscriptions", **other.subscription()).succeeds()

    ana.says("one", to=[ben])
    ben.says("two", to=[ana])
    chat.server.run_job("missed messages")
    chat.server.start_deliveries("push")

    eventually(lambda: other.service.requests and browser.service.requests)
    eventually(lambda: chat.server.lanes("push") == [ben.id])
    other.service.close()


@pytest.mark.parametrize(
    "name, value", [("endpoint", "ftp://x"), ("p256dh", "AAAA"), ("auth", "!")]
)
def test_an_unusable_subscription_is_refused(ana, name, value):
    response = ana.post("/web_push/subscriptions", **(Browser().subscription() | {name: value}))

    response.fails(f"Invalid {name}")


@pytest.mark.parametrize("lost", ["moved", "deactivated"])
def test_a_user_who_lost_access_is_not_notified_when_the_service_recovers(chat, browser, ben, lost):
    root = chat.person("root", role="owner", channels=["kitchen"])
    root.joins("vault", invite_only=True)
    browser.service.answer = (503, b"")
    called = root.says("@**Ben** gold", to="kitchen > x")
    works(chat)
    eventually(lambda: browser.service.requests)
    browser.service.requests.clear()

    if lost == "moved":
        root.patch(f"/messages/{called.id}", stream_id=chat.channel("vault").id).succeeds()
    else:
        root.delete(f"/users/{ben.id}").succeeds()
    root.patch(f"/messages/{called.id}", content="@**Ben** treasure").succeeds()
    browser.service.answer = (201, b"")
    for _ in range(3):
        chat.server.clock.move(hours=1)
        works(chat)

    assert [each for each in browser.received() if each["type"] == "message"] == []
