"""Code playgrounds."""

import pytest

SNAKE = {
    "name": "Snake play",
    "pygments_language": "Python",
    "url_template": "https://py.example.com/?code={code}",
}


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="admin")


def add(person, **playground):
    return person.post("/realm/playgrounds", **playground).succeeds()["id"]


def known(person):
    return person.registers(fetch_event_types=["realm_playgrounds"])["realm_playgrounds"]


def test_changes_report_all_playgrounds(gus, ana):
    queue = gus.listens_for("realm_playgrounds")

    snake = add(ana, **SNAKE)
    sharp = add(ana, **SNAKE | {"name": " Sharp ", "pygments_language": "C#"})
    expected = [SNAKE | {"id": snake}]
    both = [*expected, SNAKE | {"id": sharp, "name": "Sharp", "pygments_language": "C#"}]
    assert known(gus) == both
    ana.delete(f"/realm/playgrounds/{snake}").succeeds()

    received = [event["realm_playgrounds"] for event in queue.all()]
    assert received == [expected, both, both[1:]]
    assert known(gus) == both[1:]


@pytest.mark.parametrize(
    "wrong, words, errors",
    [
        ({"name": " "}, "This field cannot be blank.", "name"),
        ({"pygments_language": ""}, "This field cannot be blank.", "pygments_language"),
        ({"pygments_language": "py$"}, "Invalid character in language: $", None),
        ({"url_template": "https://py.example.com/{code"}, "Invalid URL template.", "url_template"),
        (
            {"url_template": "https://py.example.com/"},
            'Missing the required variable "code" in the URL template',
            "__all__",
        ),
        (
            {},
            "Realm playground with this Realm, Pygments language and Name already exists.",
            "__all__",
        ),
    ],
)
def test_an_invalid_playground_is_refused(ana, wrong, words, errors):
    number = add(ana, **SNAKE)

    response = ana.post("/realm/playgrounds", **SNAKE | wrong).fails(words)

    assert response.get("errors") == (None if errors is None else {errors: [words]})
    assert known(ana) == [SNAKE | {"id": number}]


def test_only_administrators_change_playgrounds(chat, ana):
    number = add(ana, **SNAKE)
    ben = chat.person("ben", role="moderator")

    for response in (
        ben.post("/realm/playgrounds", **SNAKE | {"name": "Mine"}),
        ben.delete(f"/realm/playgrounds/{number}"),
    ):
        response.fails("Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL")


def test_a_missing_playground_cannot_be_removed(ana):
    number = add(ana, **SNAKE)
    ana.delete(f"/realm/playgrounds/{number}").succeeds()

    ana.delete(f"/realm/playgrounds/{number}").fails("Invalid playground")
