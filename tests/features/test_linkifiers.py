"""Linkifiers: patterns that administrators turn into links."""

from typing import Any

import pytest
from tests.support.people import Chat, Person

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.linkifiers import PER_ORGANIZATION, LinkifierRule

BOAT = {"pattern": "BOAT-(?P<id>[0-9]+)", "url_template": "https://boats.example.com/{id}"}
QUAY = {
    "pattern": "QUAY-(?P<n>[0-9]{1,4})",
    "url_template": "https://quay.example.com/n/{n}",
    "example_input": "QUAY-12",
    "reverse_template": "QUAY-{n}",
    "alternative_url_templates": ["https://old.quay.example.com/{n}"],
}
CAPABLE = {"notification_settings_null": True, "linkifier_url_template": True}


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="admin")


def adds(person: Person, rule: dict[str, Any]) -> int:
    number: int = person.post("/realm/filters", **rule).succeeds()["id"]
    return number


def shown(number: int, rule: dict[str, Any]) -> dict[str, Any]:
    return {
        "pattern": rule["pattern"],
        "url_template": rule["url_template"],
        "id": number,
        "example_input": rule.get("example_input"),
        "reverse_template": rule.get("reverse_template"),
        "alternative_url_templates": rule.get("alternative_url_templates", []),
    }


def listed(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/realm/linkifiers").succeeds()["linkifiers"]
    return found


def refuses(reply: Any, words: str) -> None:
    reply.fails(words)
    assert reply.json["errors"] == {"__all__": [words]}


def test_all_users_see_the_linkifiers_in_order(ana: Person, gus: Person) -> None:
    boat, quay = adds(ana, BOAT), adds(ana, QUAY)

    assert listed(gus) == [shown(boat, BOAT), shown(quay, QUAY)]


def test_linkifiers_of_other_organizations_are_separate(chat: Chat, ana: Person) -> None:
    boat = adds(ana, BOAT)
    other = Chat.found(chat.server)
    eve = other.person("eve", role="admin")

    assert listed(eve) == []
    eve.delete(f"/realm/filters/{boat}").fails("Linkifier not found.")
    assert adds(eve, BOAT) != boat


def test_each_change_is_reported_to_clients_that_support_templates(chat: Chat, ana: Person) -> None:
    ben, old = chat.people("ben", "old")
    queue = ben.listens_for("realm_linkifiers", client_capabilities=CAPABLE)
    old_queue = old.listens_for("realm_linkifiers")

    boat, quay = adds(ana, BOAT), adds(ana, QUAY)
    ship = {"pattern": "SHIP-(?P<id>[0-9]+)", "url_template": "https://ships.example.com/{id}"}
    ana.patch(f"/realm/filters/{boat}", **ship).succeeds()
    ana.patch("/realm/linkifiers", ordered_linkifier_ids=[quay, boat]).succeeds()
    ana.delete(f"/realm/filters/{quay}").succeeds()

    received = [event["realm_linkifiers"] for event in queue.all()]
    assert received == [
        [shown(boat, BOAT)],
        [shown(boat, BOAT), shown(quay, QUAY)],
        [shown(boat, ship), shown(quay, QUAY)],
        [shown(quay, QUAY), shown(boat, ship)],
        [shown(boat, ship)],
    ]
    assert listed(ben) == received[-1]
    assert old_queue.silent()


def test_register_returns_them_to_clients_that_support_templates(ana: Person) -> None:
    boat = adds(ana, BOAT)

    new = ana.registers(fetch_event_types=["realm_linkifiers"], client_capabilities=CAPABLE)
    old = ana.registers(fetch_event_types=["realm_linkifiers", "realm_filters"])

    assert new["realm_linkifiers"] == [shown(boat, BOAT)]
    assert old["realm_linkifiers"] == []
    assert old["realm_filters"] == []


@pytest.mark.parametrize(
    "change, words",
    [
        (
            {"pattern": "BOAT-(?P<id>[0-9]+"},
            "Bad regular expression: missing ): BOAT-(?P<id>[0-9]+",
        ),
        ({"pattern": "a(?=b)"}, "Bad regular expression: invalid perl operator: (?="),
        ({"url_template": "https://boats.example.com/{id"}, "Invalid URL template."),
        (
            {"url_template": "https://b.example/{id}", "alternative_url_templates": ["{"]},
            "Invalid URL template.",
        ),
        (
            {"url_template": "https://boats.example.com/{nr}"},
            "Group 'nr' in URL template is not present in linkifier pattern.",
        ),
        (
            {"url_template": "https://boats.example.com/"},
            "Group 'id' in linkifier pattern is not present in URL template.",
        ),
    ],
)
def test_invalid_linkifiers_are_refused(ana: Person, change: dict[str, Any], words: str) -> None:
    quay = adds(ana, QUAY)

    refuses(ana.post("/realm/filters", **(BOAT | change)), words)
    refuses(ana.patch(f"/realm/filters/{quay}", **(BOAT | change)), words)

    assert listed(ana) == [shown(quay, QUAY)]


def test_a_pattern_is_unique(ana: Person) -> None:
    boat, quay = adds(ana, BOAT), adds(ana, QUAY)
    taken = "Realm filter with this Realm and Pattern already exists."

    refuses(ana.post("/realm/filters", **BOAT), taken)
    refuses(ana.patch(f"/realm/filters/{quay}", **BOAT), taken)
    ana.patch(f"/realm/filters/{boat}", **BOAT).succeeds()


def test_required_parameters(ana: Person) -> None:
    ana.post("/realm/filters", url_template="https://x.example/").fails(
        "Missing 'pattern' argument"
    )
    ana.post("/realm/filters", pattern="x").fails("Missing 'url_template' argument")
    ana.post("/realm/filters", **BOAT | {"pattern": "x" * 601}).fails(
        "pattern is too long (limit: 600 characters)"
    )


def test_an_unknown_linkifier_is_not_found(ana: Person) -> None:
    boat = adds(ana, BOAT)
    ana.delete(f"/realm/filters/{boat}").succeeds()

    ana.delete(f"/realm/filters/{boat}").fails("Linkifier not found.")
    ana.patch(f"/realm/filters/{boat}", **BOAT).fails("Linkifier not found.")


@pytest.mark.parametrize("wrong", ["[]", "twice", "stranger"])
def test_an_order_names_each_linkifier_once(ana: Person, wrong: str) -> None:
    boat, quay = adds(ana, BOAT), adds(ana, QUAY)
    order = {"[]": [boat], "twice": [boat, quay, boat], "stranger": [boat, quay, 987_654]}[wrong]

    ana.patch("/realm/linkifiers", ordered_linkifier_ids=order).fails(
        "The ordered list must enumerate all existing linkifiers exactly once"
    )


@pytest.mark.parametrize("role", ["moderator", "member", "guest"])
def test_only_administrators_change_them(chat: Chat, role: str) -> None:
    ana, ben = chat.person("ana", role="owner"), chat.person("ben", role=role)
    boat = adds(ana, BOAT)

    for reply in (
        ben.post("/realm/filters"),
        ben.patch(f"/realm/filters/{boat}", **BOAT),
        ben.delete(f"/realm/filters/{boat}"),
        ben.patch("/realm/linkifiers", ordered_linkifier_ids=[boat]),
    ):
        reply.fails("Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL")


def test_the_number_of_linkifiers_is_limited(chat: Chat, ana: Person) -> None:
    chat.write(fill_up)

    ana.post("/realm/filters", **BOAT).fails("Too many linkifiers (limit: 200)")


def fill_up(tx: Tx) -> None:
    for number in range(PER_ORGANIZATION):
        storage.organization.linkifiers.insert(
            tx, LinkifierRule(f"X{number}", "https://x.example/")
        )


def test_links_that_grow_too_long_are_refused(chat: Chat) -> None:
    ana = chat.person("ana", role="admin", channels=["harbour"])
    adds(ana, {"pattern": "x(?P<n>[0-9])", "url_template": f"https://a.example/{'y' * 1900}{{n}}"})
    words = "x1 " * 1000

    ana.tries_to_say(words, to="harbour > boats").fails("Unable to render message")
    ana.post("/messages/render", content=words).fails("Unable to render message")


def test_linkifiers_create_links_in_messages_and_topics(chat: Chat) -> None:
    ana = chat.person("ana", role="admin", channels=["harbour"])
    adds(ana, BOAT)
    queue = ana.listens_for("message", apply_markdown=True)

    message = ana.says("see BOAT-12", to="harbour > BOAT-7 and www.example.com")

    link = '<a href="https://boats.example.com/12">BOAT-12</a>'
    found = ana.sees(message)
    assert found["content"] == f"<p>see {link}</p>"
    assert found["topic_links"] == [
        {"text": "BOAT-7", "url": "https://boats.example.com/7"},
        {"text": "www.example.com", "url": "https://www.example.com"},
    ]
    assert queue.next()["message"]["topic_links"] == found["topic_links"]


def test_a_removed_linkifier_creates_no_more_links(chat: Chat) -> None:
    ana = chat.person("ana", role="admin", channels=["harbour"])
    boat = adds(ana, BOAT)
    before = ana.says("BOAT-1", to="harbour > BOAT-1")
    ana.delete(f"/realm/filters/{boat}").succeeds()

    after = ana.sees(ana.says("BOAT-1", to="harbour > BOAT-1"))

    assert after["content"] == "<p>BOAT-1</p>"
    assert after["topic_links"] == []
    assert "<a href" in ana.sees(before)["content"]
