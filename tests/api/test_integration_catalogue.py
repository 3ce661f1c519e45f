"""The catalogue of integrations: examples, previews of templates, and bots with their last use."""

import pytest

from tertulia import features, integrations

ALERTS = '{"status": "firing", "alerts": [{"name": "Wet"}, {"name": "Cold"}]}'


@pytest.fixture
def ana(chat):
    return chat.person("ana", channels=["kitchen"])


@pytest.fixture
def bot(chat, ana):
    return chat.person("oven", bot="incoming-webhook", owner=ana)


def newest_message(person):
    """The newest message of a user."""
    found = person.get("/messages", anchor="newest", num_before=5, apply_markdown=False).succeeds()
    return found["messages"][-1]


def test_the_catalogue_lists_every_service(ana):
    listed = ana.get("/integrations").succeeds()["integrations"]

    by_name = {each["name"]: each for each in listed}
    assert by_name.keys() == integrations.INTEGRATIONS.keys()
    assert by_name["github"]["is_signed"]
    assert "push" in by_name["github"]["all_event_types"]
    assert by_name["zabbix"]["all_event_types"] is None
    assert [each["display_name"].lower() for each in listed] == sorted(
        each["display_name"].lower() for each in listed
    )


@pytest.mark.parametrize("name", sorted(integrations.INTEGRATIONS))
def test_every_service_has_an_example_with_a_message(name):
    report = integrations.INTEGRATIONS[name].message_for(integrations.examples.request(name))

    assert report is not None
    assert report.text.strip()
    assert not report.to_owner


def test_an_example_is_posted_by_the_bot(ana, bot):
    path = "/integrations/github/example"

    ana.post(path, bot_id=bot.id, stream="kitchen").succeeds()
    first = newest_message(ana)
    ana.post(path, bot_id=bot.id, stream="kitchen", topic="trial").succeeds()

    assert (first["sender_id"], first["subject"]) == (bot.id, "roof / main")
    assert "pushed" in first["content"]
    assert first["client"] == "ZulipGitHubWebhook"
    assert newest_message(ana)["subject"] == "trial"


def test_an_example_without_a_channel_goes_to_the_owner(ana, bot):
    ana.post("/integrations/helloworld/example", bot_id=bot.id).succeeds()

    assert newest_message(ana)["content"] == "Hello! I am happy to be here! :smile:"
    assert newest_message(ana)["type"] == "private"


def test_only_users_who_may_read_the_key_send_examples(chat, ana, bot):
    ben, owner = chat.person("ben"), chat.person("owner", role="owner")
    path, params = "/integrations/github/example", {"bot_id": bot.id, "stream": "kitchen"}

    ben.post(path, **params).fails("Insufficient permission")
    ana.post(path, bot_id=ben.id).fails("No such bot")
    owner.post(path, **params).succeeds()

    assert newest_message(ana)["sender_id"] == bot.id


def test_invalid_requests_are_refused(ana, bot):
    params = {"bot_id": bot.id, "stream": "cellar"}

    ana.post("/integrations/github/example", **params).fails(
        "Channel 'cellar' does not exist", code="STREAM_DOES_NOT_EXIST"
    )
    ana.post("/integrations/weather/example", bot_id=bot.id).fails(
        "There is no integration 'weather' here; /integrations lists those there are.",
        code="NOT_FOUND",
        status=404,
    )


def test_a_template_is_previewed(ana):
    found = ana.post(
        "/integrations/template/preview",
        payload=ALERTS,
        topic_template="Alerts: {{ status }}",
        text_template="{% for each in alerts %}* **{{ each.name }}**\n{% endfor %}",
    ).succeeds()

    assert found["topic"] == "Alerts: firing"
    assert found["content"] == "* **Wet**\n* **Cold**"
    assert "<strong>Cold</strong>" in found["rendered"]


def test_a_template_may_leave_a_payload_out(ana):
    text = "{% if status == 'resolved' %}Dry{% endif %}"

    found = ana.post(
        "/integrations/template/preview", payload=ALERTS, text_template=text
    ).succeeds()

    assert (found["topic"], found["content"], found["rendered"]) == (None, None, None)


@pytest.mark.parametrize(
    "payload, template, msg",
    [
        ("{", "x", "Malformed JSON"),
        ("{}", " ", "The address needs a text_template."),
        ("{}", "{{ a.b() }}", "text_template: Call is not allowed in a template."),
        (
            "{}",
            "{% if %}",
            "text_template is not a valid template: Expected an expression,"
            " got 'end of statement block'",
        ),
        ("{}", "x" * 2001, "text_template has more than 2000 characters."),
    ],
)
def test_a_wrong_template_is_explained(ana, payload, template, msg):
    ana.post("/integrations/template/preview", payload=payload, text_template=template).fails(msg)


def test_bots_are_listed_with_their_last_use(chat, ana, bot):
    owner, ben = chat.person("owner", role="owner"), chat.person("ben")
    unused = ana.get("/integrations/bots").succeeds()["bots"]
    began = int(chat.server.clock())
    ana.post("/integrations/github/example", bot_id=bot.id, stream="kitchen").succeeds()

    (used,) = ana.get("/integrations/bots").succeeds()["bots"]

    assert [(each["user_id"], each["last_used"]) for each in unused] == [(bot.id, None)]
    assert (used["bot_owner_id"], used["bot_type"]) == (ana.id, 2)
    assert began <= used["last_used"] <= chat.server.clock()
    assert owner.get("/integrations/bots").succeeds()["bots"] == [used]
    assert ben.get("/integrations/bots").succeeds()["bots"] == []


def test_failures_of_an_outgoing_webhook_are_listed(chat, ana):
    outgoing = ana.post(
        "/bots", full_name="Out", short_name="out", bot_type=3, payload_url="https://example.com"
    ).succeeds()["user_id"]

    def listed():
        (found,) = ana.get("/integrations/bots").succeeds()["bots"]
        return found

    began = int(chat.server.clock())
    for _ in range(2):
        trouble = features.outgoing_webhooks.UNREACHABLE
        chat.write(features.outgoing_webhooks.record_outcome, outgoing, trouble)
    failed = listed()
    chat.write(features.outgoing_webhooks.record_outcome, outgoing, None)

    assert failed["payload_url"] == "https://example.com"
    assert failed["failures"] == 2
    assert began <= failed["last_failure"] <= chat.server.clock()
    assert failed["last_error"] == trouble.to_owner
    assert (listed()["failures"], listed()["last_error"]) == (0, trouble.to_owner)
