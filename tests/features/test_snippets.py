"""Saved snippets."""

import pytest

from tertulia import features, storage


def saved(person):
    found = person.get("/saved_snippets").succeeds()["saved_snippets"]
    state = person.registers(fetch_event_types=["saved_snippets"])["saved_snippets"]
    assert state == found
    return found


def save(person, title="Recipe", content="**salt** and water"):
    response = person.post("/saved_snippets", title=title, content=content)
    return response.succeeds()["saved_snippet_id"]


def test_a_snippet_is_saved_for_its_owner_only(chat, ana):
    queue, ben = ana.listens_for("saved_snippets"), chat.person("ben")
    others = ben.listens_for()

    number = save(ana, title="  Recipe ")

    (snippet,) = saved(ana)
    assert queue.all() == [{"type": "saved_snippets", "op": "add", "saved_snippet": snippet}]
    assert isinstance(snippet.pop("date_created"), int)
    assert snippet == {"id": number, "title": "Recipe", "content": "**salt** and water"}
    assert saved(ben) == []
    assert others.silent()


@pytest.mark.parametrize(
    "change", [{"title": "Soup"}, {"content": "water"}, {"title": "Soup", "content": "water"}]
)
def test_only_given_parameters_change(ana, change):
    number = save(ana)
    (before,) = saved(ana)
    queue = ana.listens_for("saved_snippets")

    ana.patch(f"/saved_snippets/{number}", **change).succeeds()

    assert saved(ana) == [before | change]
    assert queue.all() == [
        {"type": "saved_snippets", "op": "update", "saved_snippet": before | change}
    ]


def test_an_empty_change_causes_no_event(ana):
    number = save(ana)
    queue = ana.listens_for()

    ana.patch(f"/saved_snippets/{number}").succeeds()

    assert queue.silent()


def test_a_deleted_snippet_is_gone_even_from_the_log(chat, ana):
    number = save(ana, content="a secret")
    queue = ana.listens_for("saved_snippets")

    ana.delete(f"/saved_snippets/{number}").succeeds()

    assert queue.all() == [{"type": "saved_snippets", "op": "remove", "saved_snippet_id": number}]
    assert saved(ana) == []
    entries = chat.read(storage.log.after, chat.realm.id, 0, 10_000)
    assert not any("secret" in entry.payload for entry in entries)


def test_snippets_of_others_are_like_missing_ones(chat, ana):
    owner = chat.person("ben", role="owner")
    number = save(ana)

    for snippet_id in (number, 987_654):
        for response in (
            owner.patch(f"/saved_snippets/{snippet_id}", title="x"),
            owner.patch(f"/saved_snippets/{snippet_id}"),
            owner.delete(f"/saved_snippets/{snippet_id}"),
        ):
            response.fails("Saved snippet does not exist.", status=404)
    assert len(saved(ana)) == 1


@pytest.mark.parametrize(
    "words, problem",
    [
        ({"title": "t" * 61}, "title is too long (limit: 60 characters)"),
        ({"title": " "}, "title cannot be blank"),
        ({"content": " "}, "content cannot be blank"),
        ({"content": "c" * 10_001}, "content is too long (limit: 10000 characters)"),
        ({"content": "a\0"}, "content must not contain null bytes"),
    ],
)
def test_invalid_snippets_are_refused(ana, words, problem):
    number = save(ana)
    before = saved(ana)

    ana.post("/saved_snippets", **({"title": "x", "content": "y"} | words)).fails(problem)
    ana.patch(f"/saved_snippets/{number}", **words).fails(problem)

    assert saved(ana) == before


def test_title_and_content_are_required(ana):
    ana.post("/saved_snippets", content="x").fails("Missing 'title' argument")
    ana.post("/saved_snippets", title="x").fails("Missing 'content' argument")


def test_the_number_of_snippets_is_limited(ana, monkeypatch):
    monkeypatch.setattr(features.snippets, "MAX_SNIPPETS", 1)
    save(ana)

    ana.post("/saved_snippets", title="x", content="y").fails("Too many saved snippets (limit: 1)")
