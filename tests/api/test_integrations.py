"""Incoming webhooks: other services call, and a bot posts."""

import base64
import hashlib
import hmac
import json
from urllib.parse import urlencode

import pytest
from tests.integrations.examples import EXAMPLES
from tests.support.people import Chat

from tertulia import integrations

SOUP = {"text": "Soup's *on*"}


@pytest.fixture
def ana(chat):
    return chat.person("ana", channels=["kitchen"])


@pytest.fixture
def bot(chat, ana):
    return chat.person("oven", bot="incoming-webhook", owner=ana)


def calls(caller, name, payload, /, body=None, key=None, **params):
    """Call a webhook as services do: the key in the URL, JSON in the body."""
    query = urlencode(
        {"api_key": key or caller.key}
        | {
            name: each if isinstance(each, str) else json.dumps(each)
            for name, each in params.items()
        }
    )
    stranger = caller.chat.stranger
    sent = json.dumps(payload).encode() if body is None else body
    return lambda **headers: stranger.raw(
        "POST",
        f"/api/v1/external/{name}?{query}",
        sent,
        **{"Content_Type": "application/json", **headers},
    )


def newest_message(person):
    """The newest message of a user."""
    found = person.get("/messages", anchor="newest", num_before=5, apply_markdown=False).succeeds()
    return found["messages"][-1]


@pytest.mark.parametrize("media", ["application/json", "application/x-www-form-urlencoded"])
def test_a_payload_is_posted_by_the_bot(ana, bot, media):
    call = calls(bot, "slack_incoming", SOUP, stream="kitchen", topic="lunch")
    response = call(Content_Type=media).succeeds()

    text = newest_message(ana)
    assert response["ok"] is True
    assert (text["sender_id"], text["subject"], text["content"]) == (
        bot.id,
        "lunch",
        "Soup's **on**",
    )
    assert text["client"] == "ZulipSlackWebhook"


@pytest.mark.parametrize("start", [b"", b"\r\n "])
def test_json_is_recognized_with_the_content_type_of_a_form_at_any_length(ana, bot, start):
    """Curl sends this content type by default."""
    words = (
        "Soup, " * 100 + "Soup & bread = Soup"
    )  # as a form, the name of a field would be too long
    for payload in ({"text": words}, [words]):
        name = "slack_incoming" if isinstance(payload, dict) else "json"
        body = start + json.dumps(payload).encode()
        call = calls(bot, name, None, body=body, stream="kitchen", topic="lunch")

        call(Content_Type="application/x-www-form-urlencoded").succeeds()

        assert "bread = Soup" in newest_message(ana)["content"]


@pytest.mark.parametrize("command", ["/poll Lunch?\nSoup", "/todo House\nRoof"])
def test_a_payload_starts_no_widget(ana, bot, command):
    calls(bot, "slack_incoming", {"text": command}, stream="kitchen", topic="lunch")().succeeds()

    message = newest_message(ana)
    assert message["content"].startswith(command.split()[0])
    assert message["submessages"] == []


def test_a_payload_about_several_topics_is_posted_to_each(ana, bot):
    listed = [{"status": "firing", "labels": {"instance": each}} for each in ("attic", "cellar")]
    payload = {"status": "firing", "alerts": listed}

    calls(bot, "alertmanager", payload, stream="kitchen")().succeeds()

    found = ana.get("/messages", anchor="newest", num_before=2).succeeds()["messages"]
    assert [each["subject"] for each in found] == ["attic", "cellar"]


def test_without_a_channel_the_payload_goes_to_the_owner(ana, bot):
    calls(bot, "slack_incoming", SOUP)().succeeds()

    text = newest_message(ana)
    assert (text["type"], text["sender_id"]) == ("private", bot.id)


def test_a_channel_may_be_an_id_and_encoded_twice(chat, ana, bot):
    chat.person("ben", channels=["big kitchen"])
    number = str(chat.channel("kitchen").id)

    calls(bot, "json", {"a": 1}, stream=number)().succeeds()
    calls(bot, "json", {"a": 2}, stream="big%20kitchen", topic="x%2520y")().succeeds()

    assert newest_message(ana)["subject"] == "JSON"


def test_a_form_may_hold_the_payload(ana, bot):
    form = urlencode({"payload": json.dumps(SOUP)}).encode()

    calls(bot, "slack_incoming", None, body=form, stream="kitchen", topic="lunch")(
        Content_Type="application/x-www-form-urlencoded"
    ).succeeds()

    assert newest_message(ana)["content"] == "Soup's **on**"


@pytest.mark.parametrize(
    "filters, is_posted",
    [
        ({}, True),
        ({"only_events": ["push"]}, True),
        ({"only_events": ["pull_*"]}, False),
        ({"exclude_events": ["push"]}, False),
        ({"branches": "main, release/*"}, True),
        ({"branches": "release/*"}, False),
        ({"ignore_private_repositories": True}, False),
    ],
)
def test_events_can_be_filtered(ana, bot, filters, is_posted):
    push = {
        "ref": "refs/heads/main",
        "commits": [],
        "repository": {"name": "roof", "private": True},
        "sender": {"login": "ben"},
    }
    queue = ana.listens_for("message")

    calls(bot, "github", push, stream="kitchen", **filters)(X_GitHub_Event="push").succeeds()

    assert len(queue.all()) == is_posted


@pytest.mark.parametrize("service", ["redmine", "teamcity", "uptimerobot", "wordpress"])
def test_examples_are_posted_as_json(ana, bot, service):
    example = next(each for each in reversed(EXAMPLES) if each.service == service)

    calls(bot, service, example.payload, stream="kitchen")().succeeds()

    text = newest_message(ana)
    assert (text["subject"], text["content"]) == (example.topic, example.text)


def test_a_form_with_fields_is_a_payload(ana, bot):
    example = next(each for each in EXAMPLES if each.service == "wordpress")

    calls(bot, "wordpress", None, body=urlencode(example.payload).encode(), stream="kitchen")(
        Content_Type="application/x-www-form-urlencoded"
    ).succeeds()

    assert newest_message(ana)["content"] == example.text


def test_a_secret_in_a_payload_goes_to_the_owner_only(ana, bot):
    calls(bot, "notion", {"verification_token": "secret_rain"}, stream="kitchen")().succeeds()

    text = newest_message(ana)
    assert (text["type"], text["sender_id"]) == ("private", bot.id)
    assert "secret_rain" in text["content"]


def test_the_authorization_header_may_be_the_secret_of_a_service(ana, bot):
    example = next(each for each in EXAMPLES if each.service == "harbor")
    call = calls(bot, "harbor", example.payload, stream="kitchen", webhook_secret="open sesame")

    call(Authorization="open sesame").succeeds()
    posted = newest_message(ana)["content"]
    refused = call(Authorization="Basic b3BlbjpzZXNhbWU=")

    assert posted == example.text
    refused.fails("Webhook signature verification failed.")


def test_templates_come_from_the_address(ana, bot):
    address = {"text_template": "It is {{ status }}", "topic_template": "{{ host }}"}
    form = {"status": "wet", "host": "cellar", "text_template": "{{ host }}"}

    calls(bot, "template", None, body=urlencode(form).encode(), stream="kitchen", **address)(
        Content_Type="application/x-www-form-urlencoded"
    ).succeeds()
    posted = newest_message(ana)
    refused = calls(bot, "template", {}, stream="kitchen", text_template="{{ 9 ** 9 }}")()

    assert (posted["subject"], posted["content"]) == ("cellar", "It is wet")
    refused.fails("text_template: Pow is not allowed in a template.")


def test_a_long_topic_is_truncated(ana, bot):
    calls(bot, "slack_incoming", SOUP, stream="kitchen", topic="x" * 70)().succeeds()

    assert newest_message(ana)["subject"] == "x" * 57 + "..."


def test_a_signature_is_verified_if_a_secret_is_given(ana, bot):
    body = json.dumps({"zen": "Rain.", "repository": {"full_name": "house/roof"}}).encode()
    code = hmac.new(b"open sesame", body, hashlib.sha256).hexdigest()
    call = calls(bot, "github", None, body=body, stream="kitchen", webhook_secret="open sesame")

    call(X_GitHub_Event="ping", X_Hub_Signature_256=f"sha256={code}").succeeds()
    refused = call(X_GitHub_Event="ping", X_Hub_Signature_256="sha256=beef")
    none = calls(bot, "zapier", {}, stream="kitchen", webhook_secret="open sesame")()

    refused.fails("Webhook signature verification failed.")
    none.fails("Zapier does not sign what it sends: leave webhook_secret out.")


@pytest.mark.parametrize("written_as", ["form", "multipart"])
def test_a_secret_in_the_body_does_not_override_the_one_in_the_url(chat, bot, written_as):
    path = f"/api/v1/external/github?stream=kitchen&webhook_secret=hush&api_key={bot.key}"
    found = json.dumps({"zen": "Rain.", "repository": {"full_name": "house/roof"}})
    if written_as == "form":
        written = "application/x-www-form-urlencoded"
        body = urlencode({"webhook_secret": "mine", "payload": found}).encode()
    else:
        written = "multipart/form-data; boundary=x"
        fields = {"webhook_secret": "mine", "payload": found}
        body = b"".join(
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        )
        body += b"--x--\r\n"

    def signed_with(secret: bytes):
        code = hmac.new(secret, body, hashlib.sha256).hexdigest()
        headers = {"X_GitHub_Event": "ping", "X_Hub_Signature_256": f"sha256={code}"}
        return chat.stranger.raw("POST", path, body, Content_Type=written, **headers)

    signed_with(b"mine").fails("Webhook signature verification failed.")
    signed_with(b"hush").succeeds()


@pytest.mark.parametrize("topic", ["a%20b", "a+b", "%61(b)~%2F"])
def test_a_signed_url_is_verified_as_it_was_pasted(chat, bot, topic):
    path = (
        f"/api/v1/external/trello?stream=kitchen&topic={topic}&webhook_secret=s&api_key={bot.key}"
    )
    site = chat.stranger.get("/server_settings").succeeds()["realm_url"]
    board = {"name": "Kitchen", "shortUrl": "https://trello.example/b"}
    card = {"card": {"name": "Soup"}, "board": board, "list": {"name": "To do"}}
    action = {"type": "createCard", "data": card, "memberCreator": {"fullName": "Ana"}}
    body = json.dumps({"action": action, "model": board}).encode()
    code = hmac.digest(b"s", body + f"{site}{path}".encode(), "sha1")
    headers = {
        "Content_Type": "application/json",
        "X_Trello_Webhook": base64.b64encode(code).decode(),
    }

    chat.stranger.raw("POST", path, body, **headers).succeeds()
    forged = chat.stranger.raw("POST", path.replace("kitchen", "cellar"), body, **headers)

    forged.fails("Webhook signature verification failed.")


def test_an_unknown_event_is_refused_and_the_owner_notified_once_a_minute(chat, ana, bot):
    call = calls(bot, "github", {}, stream="kitchen")
    queue = ana.listens_for("message", apply_markdown=False)

    responses = [call(X_GitHub_Event="custom_property") for _ in range(3)]
    (notice,) = queue.all()
    chat.server.clock.ahead += 61
    call(X_GitHub_Event="custom_property")

    trouble = (
        "The 'custom_property' event isn't currently supported by the GitHub webhook; ignoring"
    )
    for response in responses:
        assert response.status == 200
        assert response.json == {
            "result": "error",
            "msg": trouble,
            "code": "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
            "webhook_name": "GitHub",
            "event_type": "custom_property",
        }
    assert trouble in notice["message"]["content"]
    assert notice["message"]["sender_full_name"] == "Notification Bot"
    assert len(queue.all()) == 1


def test_a_missing_channel_is_reported_to_the_owner_only(ana, bot):
    calls(bot, "slack_incoming", SOUP, stream="cellar")().succeeds()

    assert "There is no channel 'cellar'" in newest_message(ana)["content"]


@pytest.mark.parametrize(
    "name, body, headers, msg, code",
    [
        ("github", b"{", {}, "Malformed JSON", "BAD_REQUEST"),
        ("github", b"\xff", {}, "Malformed JSON", "BAD_REQUEST"),
        (
            "github",
            b"{}",
            {},
            "Missing the HTTP event header 'X-GitHub-Event'",
            "MISSING_HTTP_EVENT_HEADER",
        ),
        (
            "github",
            b"[]",
            {"X_GitHub_Event": "push"},
            "Unable to parse request: Did GitHub generate this event?",
            "ANOMALOUS_WEBHOOK_PAYLOAD",
        ),
        (
            "slack_incoming",
            b"{}",
            {},
            "No text, blocks or attachments in the payload",
            "BAD_REQUEST",
        ),
    ],
)
def test_invalid_payloads_are_refused(ana, bot, name, body, headers, msg, code):
    response = calls(bot, name, None, body=body, stream="kitchen")(**headers).fails(msg, code=code)

    assert msg in newest_message(ana)["content"]
    assert response.get("error", msg) == msg


def test_a_key_is_required_and_sufficient(chat, ana, bot):
    unauthorized = {"status": 401, "code": "UNAUTHORIZED"}

    calls(ana, "slack_incoming", SOUP, stream="kitchen", topic="lunch")().succeeds()
    calls(bot, "json", {}, key="x" * 32)().fails("Invalid API key", **unauthorized)
    calls(bot, "json", {}, key="x")().fails("Malformed API key", **unauthorized)
    chat.stranger.post("/external/json").asks_to_log_in()
    elsewhere = Chat.found(chat.server).person("far")
    calls(bot, "json", {}, key=elsewhere.key)().fails(
        "Account is not associated with this subdomain", **unauthorized
    )

    assert newest_message(ana)["sender_id"] == ana.id


def test_a_url_can_be_tested(chat, bot):
    head = chat.stranger.raw("HEAD", f"/api/v1/external/trello?api_key={bot.key}")

    assert (head.status, head.body) == (200, b"")
    bot.get("/external/pigeons", api_key=bot.key).fails(
        "There is no integration 'pigeons' here; /integrations lists those there are.",
        code="NOT_FOUND",
        status=404,
    )


@pytest.mark.on_one
def test_register_lists_integrations(ana):
    state = ana.registers(fetch_event_types=["realm_incoming_webhook_bots"])

    listed = {each["name"]: each for each in state["realm_incoming_webhook_bots"]}
    assert list(listed) == sorted(integrations.INTEGRATIONS)
    assert listed["github"]["display_name"] == "GitHub"
    assert "pull_request" in listed["github"]["all_event_types"]
    assert "repo.push" in listed["bitbucket2"]["all_event_types"]
    assert listed["jenkins"]["all_event_types"] is None


@pytest.mark.on_one
def test_pages_list_integrations_with_the_url_to_paste(chat):
    listed = chat.stranger.raw("GET", "/integrations")
    page = chat.stranger.raw("GET", "/integrations/github?stream=big+kitchen&topic=%3Cb%3E")
    none = chat.stranger.raw("GET", "/integrations/pigeons")

    assert b'<a href="/integrations/github">GitHub</a>' in listed.body
    address = f"http://{chat.host}/api/v1/external/github?api_key=API_KEY&amp;stream=big+kitchen"
    assert f"<pre>{address}&amp;topic=%3Cb%3E</pre>" in page.body.decode()
    assert none.status == 404


@pytest.mark.on_one
def test_every_payload_is_posted_or_refused(ana, bot):
    name = '"@**all** ```\\n](javascript:x) \\ud800 \\u0000"'
    person = f'{{"name": {name}, "login": {name}, "full_name": {name}, "username": {name}}}'
    whole = ", ".join(
        f'"{each}": {person}'
        for each in ("sender", "user", "pusher", "repository", "data", "alert")
    )
    bodies = [
        b"",
        b"\xff\xfe",
        b"null",
        b"1e999",
        b"[" * 100_000,
        b'"\\ud800"',
        f'{{"text": {name}, "content": {name}, "topic": {name}, {whole}}}'.encode(),
        b'{"text": "' + b"x" * 300_000 + b'", "message": []}',
    ]
    headers = {
        "X_GitHub_Event": "push",
        "X_Gitlab_Event": "Push Hook",
        "X_Gitea_Event": "push",
        "X_Event_Key": "repo:push",
        "Sentry_Hook_Resource": "issue",
        "X_Discourse_Event": "post_created",
        "X_Netlify_Event": "deploy_created",
    }

    responses = {
        (service, body[:20]): calls(bot, service, None, body=body, stream="kitchen")(**headers)
        for service in integrations.INTEGRATIONS
        for body in bodies
    }

    assert {key for key, response in responses.items() if response.status >= 500} == set()
