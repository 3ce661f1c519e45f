"""The contract can tell a right answer from a wrong one, and its tables say what we believe."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.contract.shapes import read, written
from tests.support import operation_coverage
from tests.support.conformance import DIFFERENCES, SHAPES, Contract, check, the_contract

from tertulia.api.routes import ABSENT, ROUTES

OK = {"result": "success", "msg": ""}
REACTION = {
    "id": 1,
    "type": "reaction",
    "op": "add",
    "emoji_code": "1f389",
    "emoji_name": "tada",
    "reaction_type": "unicode_emoji",
    "user_id": 7,
    "user": {"id": 7, "email": "a@b.c", "full_name": "Ana", "is_mirror_dummy": False},
    "message_id": 8,
}


def events(*some: dict[str, Any]) -> dict[str, Any]:
    return OK | {"events": list(some), "queue_id": "q"}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in REACTION.items() if key != name}


@pytest.mark.parametrize(
    "endpoint, answer",
    [
        ("DELETE /events", OK),
        ("GET /events?last_event_id=-1", events()),
        ("GET /events", events(REACTION, REACTION | {"op": "remove"})),
        ("PATCH /realm", OK | {"name": "whatever was changed"}),
    ],
)
def test_a_correct_answer_passes(endpoint, answer):
    method, path = endpoint.split(" ")

    check(method, path, answer)


@pytest.mark.parametrize(
    "endpoint, answer, complaint",
    [
        ("DELETE /events", {"result": "success"}, ": has no msg"),
        ("DELETE /events", OK | {"result": "fine"}, '/result: must be "success", and is "fine"'),
        ("DELETE /events", OK | {"extra": 1}, ": has extra, which is not documented"),
        ("GET /nowhere", OK, "this endpoint is not documented"),
        ("GET /users/ana/status", OK, "this endpoint is not documented"),
        ("GET /events", OK | {"queue_id": "q"}, ": has no events"),
        ("GET /events", events() | {"events": {}}, "/events: must be [event], and is {}"),
        ("GET /events", events({"type": "soup", "id": 1}), "an unknown event, event s"),
        ("GET /events", events(without("user_id")), "/events/*: has no user_id"),
        ("GET /events", events(REACTION | {"user_id": True}), "must be integer, and is true"),
        ("GET /events", events(REACTION | {"emoji_code": None}), "must be string, and is null"),
        (
            "GET /events",
            events(REACTION | {"soup": 1}),
            "/events/*: has soup, which is not documented",
        ),
        ("GET /realm/emoji", OK | {"emoji": {"a": 1}}, "/emoji/*: must be Emoji, and is 1"),
    ],
)
def test_the_problems_of_a_wrong_answer_are_listed(endpoint, answer, complaint):
    method, path = endpoint.split(" ")

    with pytest.raises(AssertionError) as found:
        check(method, path, answer)

    assert complaint in str(found.value)


def test_problems_are_reported_for_the_nearest_of_several_forms(tmp_path: Path):
    file = tmp_path / "some.txt"
    file.write_text(
        "every answer\n"
        "GET /soup\n"
        "    soup: {} | {} | null\n"
        '        kind: "hot"\n'
        "        degrees: integer\n"
        "        |\n"
        '        kind: "cold"\n'
        "        with?: [string]\n"
    )
    contract = Contract(read(file))

    def problems(**soup):
        return contract.problems("GET", "/soup", {"soup": soup})

    assert problems(kind="cold") == []
    assert problems(kind="cold", **{"with": [1]}) == ["/soup/with/*: must be string, and is 1"]
    assert problems(kind="hot") == ["/soup: has no degrees"]
    assert contract.problems("GET", "/soup", {"soup": None}) == []


def test_our_differences_change_the_reference(tmp_path: Path):
    theirs, ours = tmp_path / "theirs.txt", tmp_path / "ours.txt"
    theirs.write_text("every answer\nGET /soup\n    bowls: [{}]\n        salt: integer\n")
    ours.write_text("GET /soup\n    bowls?: [{}]\n        salt?: boolean\n    spoon: string\n")
    contract = Contract(read(theirs), read(ours))

    assert contract.problems("GET", "/soup", {"spoon": "big", "bowls": [{"salt": True}, {}]}) == []
    assert contract.problems("GET", "/soup", {}) == [": has no spoon"]


def test_what_the_reference_does_not_have_is_left_to_our_description(tmp_path: Path):
    theirs, ours = tmp_path / "theirs.txt", tmp_path / "ours.txt"
    theirs.write_text("every answer\nGET /soups/{id}\n    bowls: [{}]\n        salt: integer\n")
    ours.write_text("every answer\nGET /soups/{soup_id}\nGET /soups/{name}\n    name: string\n")
    contract = Contract(read(theirs), beyond=read(ours))

    assert contract.problems("GET", "/soups/5", {"bowls": [{"salt": 1, "hot": True}]}) == []
    assert contract.problems("GET", "/soups/5", {"bowls": [{"hot": True}]}) == [
        "/bowls/*: has no salt"
    ]
    assert contract.problems("GET", "/soups/borscht", {"name": "borscht"}) == []
    assert contract.problems("GET", "/bread", {}) == ["this endpoint is not documented"]


def test_writing_the_table_gives_the_file_it_was_read_from():
    text = SHAPES.read_text(encoding="utf-8")

    assert text.endswith(written(read(SHAPES)))
    assert len(text) < 100_000


def test_every_shape_is_used():
    used = SHAPES.read_text(encoding="utf-8") + DIFFERENCES.read_text(encoding="utf-8")
    names = [name for name in the_contract().table if name.isalnum()]

    assert [name for name in names if used.count(name) == 1] == []


# Pages of the reference's documentation that its description has among the endpoints.
PAGES = {"POST /real-time", "POST /rest-error-handling", "POST /zulip-outgoing-webhook"}


def test_every_endpoint_of_the_reference_is_answered_or_refused_with_a_reason():
    text = SHAPES.read_text(encoding="utf-8")
    theirs = set(re.findall("^(?:GET|POST|PUT|PATCH|DELETE) /.*$", text, re.MULTILINE)) - PAGES
    ours = {re.sub("{.*?}", "{}", f"{route.method} {route.path}") for route in ROUTES}

    missing = [
        each
        for each in sorted(theirs)
        if re.sub("{.*?}", "{}", each) not in ours
        and not each.partition(" /")[2].startswith(tuple(ABSENT))
    ]

    assert len(theirs) > 150
    assert missing == []


# --- coverage on PostgreSQL ---


def test_an_operation_without_a_refusal_on_postgresql_is_reported():
    everything = set(operation_coverage.missing(set()))
    refusal = "PostgreSQL: POST /messages with a refusal"

    assert operation_coverage.missing(everything - {refusal}) == [refusal]


def test_an_event_that_only_sqlite_sent_is_reported():
    both = {"event typing start", "PostgreSQL: event typing start"}

    missing = operation_coverage.missing_events(both | {"event reaction add"})

    assert missing == ["PostgreSQL: event reaction add"]
