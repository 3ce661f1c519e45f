"""Alert words: a message with such a word is flagged for its owner."""

import pytest

from tertulia import features


@pytest.fixture
def scene(chat):
    chat.ana, chat.ben = chat.people("ana", "ben", channels=["kitchen"])
    return chat


def words(person):
    listed = person.get("/users/me/alert_words").succeeds()["alert_words"]
    assert person.registers(fetch_event_types=["alert_words"])["alert_words"] == listed
    return listed


def change(method, person, *words):
    response = person.request(method, "/users/me/alert_words", alert_words=list(words))
    return response.succeeds()["alert_words"]


def test_words_are_added_once_regardless_of_case(scene):
    queue, others = scene.ana.listens_for(), scene.ben.listens_for()

    assert change("POST", scene.ana, "lunch", "spoon") == ["lunch", "spoon"]
    assert change("POST", scene.ana, "Lunch", " fork ", "  ") == ["lunch", "spoon", "fork"]

    assert [event["alert_words"] for event in queue.all()][-1] == ["lunch", "spoon", "fork"]
    assert words(scene.ana) == ["lunch", "spoon", "fork"]
    assert words(scene.ben) == []
    assert others.silent()


def test_words_are_removed_regardless_of_case(scene):
    change("POST", scene.ana, "lunch", "spoon", "fork")

    assert change("DELETE", scene.ana, "LUNCH", "never", "fork") == ["spoon"]

    assert words(scene.ana) == ["spoon"]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_empty_change_causes_an_event(scene, method):
    queue = scene.ana.listens_for()

    change(method, scene.ana)

    assert queue.all() == [{"type": "alert_words", "alert_words": []}]


def test_invalid_words_are_refused(scene, monkeypatch):
    def tries(value):
        return scene.ana.post("/users/me/alert_words", alert_words=value)

    tries(["w" * 101]).fails("alert_words[0] is too long (limit: 100 characters)")
    tries(["a\0"]).fails("alert_words[0] must not contain null bytes")
    tries("lunch").fails("alert_words is not valid JSON")
    tries(None).fails("Missing 'alert_words' argument")
    tries(["w" * 100]).succeeds()
    monkeypatch.setattr(features.alert_words, "MAX_WORDS", 2)
    tries(["one", "two"]).fails("Too many alert words (limit: 2)")
    assert len(words(scene.ana)) == 1


def test_a_message_with_a_word_is_flagged_for_its_recipients(scene):
    outside = scene.person("cleo")
    for person in (scene.ana, outside):
        change("POST", person, "lunch")
    queue, others = scene.ana.listens_for("message"), scene.ben.listens_for("message")

    soup = scene.ben.says("Who is for LUNCH?", to="kitchen > soup")

    assert queue.next()["flags"] == ["has_alert_word"]
    assert others.next()["flags"] == []
    assert scene.ana.sees(soup)["flags"] == ["has_alert_word"]
    assert scene.ben.sees(soup)["flags"] == []
    assert outside.sees(soup)["flags"] == ["read", "historical"]


def test_direct_messages_are_flagged_too(scene):
    change("POST", scene.ana, "lunch")

    note = scene.ben.says("lunch, you two?", to=[scene.ana])

    assert scene.ana.sees(note)["flags"] == ["has_alert_word"]


def test_an_edit_flags_only_users_of_added_words(scene):
    outside = scene.person("cleo")
    for person, word in ((scene.ana, "lunch"), (outside, "lunch"), (scene.ben, "soup")):
        change("POST", person, word)
    sent = [
        scene.ben.says("Who is for soup?", to="kitchen > soup"),
        scene.ben.says("Soup, you two?", to=[scene.ana]),
    ]
    for message in sent:
        before = [scene.ana.sees(message)["flags"], scene.ben.sees(message)["flags"]]

        scene.ben.patch(f"/messages/{message.id}", content="Who is for lunch?").succeeds()

        assert before == [[], ["has_alert_word"]]
        assert scene.ana.sees(message)["flags"] == ["has_alert_word"]
        assert scene.ben.sees(message)["flags"] == []
    assert outside.sees(sent[0])["flags"] == ["read", "historical"]


def test_words_of_another_organization_do_not_count(scene):
    change("POST", type(scene).found(scene.server).person("zoe"), "lunch")

    soup = scene.ben.says("lunch", to="kitchen > soup")

    assert scene.ana.sees(soup)["flags"] == []
