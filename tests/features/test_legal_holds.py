"""Legal holds: what people and channels on hold delete is kept, and no client sees it."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import fetches, uploads
from tests.support.people import Chat, Person
from tests.support.server import SECRET

from tertulia import actions, features, storage
from tertulia.actions.messages.restoration import BATCH_SIZE
from tertulia.domain import limits
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.errors import BadRequest
from tertulia.features.retention import delete_old_messages
from tertulia.jobs.housekeeping import purge_kept_messages

pytestmark = pytest.mark.on_both


def holds(owner: Person, **on: list[int]) -> int:
    (number,) = owner.post("/realm/legal_holds", reason="Case 4711", **on).succeeds()["ids"]
    return int(number)


def kept(chat: Chat) -> list[str]:
    found = chat.read(lambda tx: storage.messages.deleted.find(tx, KeptSelection(), limit=1000))
    return [each.message.content for each in found]


def purges(chat: Chat) -> None:
    chat.server.do(purge_kept_messages(chat.server.database))
    chat.server.do(features.legal_holds.purge_all(chat.server.database))


def runs(chat: Chat, *words: str) -> CommandResult:
    terminal = Terminal(chat.server.folder, chat.server.url)
    return terminal.runs(*words, "--org", chat.realm.subdomain, TERTULIA_SECRET=SECRET)


@pytest.fixture
def owner(chat: Chat) -> Person:
    return chat.person("owner", role="owner", channels=["kitchen", "garden"])


@pytest.fixture
def ana(chat: Chat) -> Person:
    return chat.person("ana", channels=["kitchen", "garden"])


@pytest.fixture
def ben(chat: Chat) -> Person:
    return chat.person("ben", channels=["kitchen", "garden"])


def test_owners_and_nobody_else_are_told_that_the_holds_have_changed(chat, owner, ana, ben):
    second = chat.person("second", role="owner")
    admin = chat.person("adam", role="admin")
    others = [each.listens_for("legal_holds_changed") for each in (admin, ana, ben)]
    queues = [each.listens_for("legal_holds_changed") for each in (owner, second)]

    number = holds(owner, held_user_ids=[ana.id])
    begun = [queue.next() for queue in queues]
    owner.delete(f"/realm/legal_holds/{number}").succeeds()
    ended = [queue.next() for queue in queues]

    for event in [*begun, *ended]:
        assert event == {"type": "legal_holds_changed"}
    assert all(queue.silent() for queue in others)


def test_a_hold_by_the_command_line_is_announced_to_owners(chat, owner, ana):
    waiting = owner.listens_for("legal_holds_changed").waits()

    runs(chat, "hold", "add", "--person", ana.email, "--reason", "Case 4711")

    (event,) = waiting.result()
    assert event["type"] == "legal_holds_changed"


def test_what_a_person_on_hold_deletes_is_kept_until_the_hold_ends(chat, owner, ana, ben):
    number = holds(owner, held_user_ids=[ana.id])
    ana.delete(f"/messages/{ana.says('Soup', to='kitchen > lunch').id}").succeeds()
    ana.delete(f"/messages/{ana.says('Between us', to=[ben]).id}").succeeds()
    ben.delete(f"/messages/{ben.says('Indeed', to=[ana]).id}").succeeds()
    ben.delete(f"/messages/{ben.says('Salad', to='kitchen > lunch').id}").succeeds()

    purges(chat)
    assert kept(chat) == ["Soup", "Between us", "Indeed"]
    for person in (owner, ana, ben):
        found = person.get("/messages", anchor="oldest", num_after=100).succeeds()["messages"]
        assert found == []

    owner.delete(f"/realm/legal_holds/{number}").succeeds()
    purges(chat)
    assert kept(chat) == []
    owner.delete(f"/realm/legal_holds/{number}").fails("Invalid legal hold ID")


def test_retention_and_the_deletion_of_a_topic_keep_what_is_in_a_channel_on_hold(chat, owner, ana):
    holds(owner, held_stream_ids=[chat.channel("kitchen").id])
    ana.says("Old soup", to="kitchen > lunch")
    ana.says("Old rose", to="garden > beds")
    owner.patch("/realm", message_retention_days=3).succeeds()
    chat.server.clock.ahead += 4 * 86_400
    chat.server.do(delete_old_messages(chat.server.database))
    ana.says("New soup", to="kitchen > dinner")
    owner.post(
        f"/streams/{chat.channel('kitchen').id}/delete_topic", topic_name="dinner"
    ).succeeds()

    purges(chat)

    assert kept(chat) == ["Old soup", "New soup"]


def test_earlier_versions_on_hold_outlive_the_limits_of_the_history(chat, owner, ana, tmp_path):
    number = holds(owner, held_user_ids=[ana.id])
    message = ana.says("Version 0", to="kitchen > lunch")
    for count in range(1, limits.MAX_EDITS_PER_MESSAGE + 3):
        ana.patch(f"/messages/{message.id}", content=f"Version {count}").succeeds()

    history = ana.get(f"/messages/{message.id}/history").succeeds()["message_history"]
    assert not any("Version 0" in each.get("content", "") for each in history)
    found = runs(chat, "discover", str(tmp_path / "out"), "--word", "version 0", "--reason", "x")
    assert found.code == 0, found.err
    assert "Version 0" in "".join(each.read_text() for each in (tmp_path / "out").rglob("t*.html"))

    owner.delete(f"/realm/legal_holds/{number}").succeeds()
    purges(chat)
    left = chat.read(
        lambda tx: tx.number("SELECT count(*) AS value FROM message_edit WHERE is_held")
    )
    assert left == 0


def test_erasing_is_refused_while_a_hold_covers_a_person_or_their_messages(chat, owner, ana, ben):
    ben.says("Soup", to="kitchen > lunch")
    first = holds(owner, held_user_ids=[ana.id])
    second = holds(owner, held_stream_ids=[chat.channel("kitchen").id])

    owner.post(f"/users/{ana.id}/erase").fails(
        "This user is on legal hold. End the hold before you erase the account."
    )
    owner.post(f"/users/{ben.id}/erase", delete_messages=True).fails(
        "Messages of this user are on legal hold, because of their channel or of another"
        " participant. End the hold before you erase the account."
    )
    assert ben.get("/messages", anchor="oldest", num_after=9).succeeds()["messages"]

    for number in (first, second):
        owner.delete(f"/realm/legal_holds/{number}").succeeds()
    owner.post(f"/users/{ana.id}/erase").succeeds()


def test_only_owners_use_holds_and_the_audit_log_has_the_reason(chat, owner, ana):
    admin = chat.person("admin", role="admin")
    for person in (ana, admin):
        person.get("/realm/legal_holds").fails(
            "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
        )
        person.post("/realm/legal_holds", reason="x", held_user_ids=[owner.id]).fails(
            "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
        )
    owner.post("/realm/legal_holds", reason=" ", held_user_ids=[ana.id]).fails(
        "A legal hold needs a reason."
    )
    owner.post("/realm/legal_holds", reason="x").fails("Choose users or channels to put on hold.")
    owner.post("/realm/legal_holds", reason="x", held_user_ids=[10**6]).fails("No such user")
    assert owner.get("/realm/legal_holds").succeeds()["legal_holds"] == []

    number = holds(owner, held_user_ids=[ana.id])

    (hold,) = owner.get("/realm/legal_holds").succeeds()["legal_holds"]
    assert (hold["id"], hold["user_id"], hold["reason"]) == (number, ana.id, "Case 4711")
    entry = owner.get("/realm/audit_log").succeeds()["entries"][0]
    assert entry["act"] == "POST /realm/legal_holds"
    assert entry["details"]["reason"] == "Case 4711"
    assert entry["details"]["held_user_ids"] == [ana.id]


def test_a_file_that_its_owner_deletes_is_kept_while_its_message_is_on_hold(chat, owner, ana):
    number = holds(owner, held_user_ids=[ana.id])
    ana.says(uploads(ana, "plan.txt", b"the plan").link, to="kitchen > lunch")
    (file,) = ana.get("/attachments").succeeds()["attachments"]

    ana.delete(f"/attachments/{file['id']}").succeeds()
    purges(chat)

    assert ana.get("/attachments").succeeds()["attachments"] == []
    count = "SELECT count(*) AS value FROM deleted_attachment WHERE realm_id = :realm"
    assert chat.read(lambda tx: tx.number(count)) == 1
    owner.delete(f"/realm/legal_holds/{number}").succeeds()
    purges(chat)
    assert chat.read(lambda tx: tx.number(count)) == 0


def test_discovery_marks_deleted_messages_and_has_the_hash_of_every_file(
    chat, owner, ana, ben, tmp_path: Path
):
    added = runs(chat, "hold", "add", "--person", ana.email, "--reason", "Case 4711")
    assert added.code == 0, added.err
    ana.delete(f"/messages/{ana.says('Burn the PAPERS', to='kitchen > lunch').id}").succeeds()
    ana.says("Papers, please", to="garden > beds")
    ana.says("Something else", to="garden > beds")
    ben.says("My papers", to="garden > beds")

    folder = tmp_path / "out"
    words = ("discover", str(folder), "--person", ana.email, "--word", "papers", "--reason", "Case")
    found = runs(chat, *words)

    assert found.code == 0, found.err
    assert "Wrote 2 messages" in found.err
    html = "".join(each.read_text() for each in sorted(folder.rglob("*.html")))
    assert "Burn the PAPERS" in html
    assert "Papers, please" in html
    assert html.count('class="deleted"') == 1
    assert "Something else" not in html
    assert "My papers" not in html
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "manifest.sha256"], cwd=folder, capture_output=True
    )
    assert checked.returncode == 0, checked.stderr
    assert len(checked.stdout.splitlines()) == sum(each.is_file() for each in folder.rglob("*")) - 1
    listed = json.loads(runs(chat, "hold", "list", "--json").out)
    assert [each["reason"] for each in listed] == ["Case 4711"]
    assert runs(chat, "hold", "end", str(listed[0]["id"])).code == 0
    assert runs(chat, "messages", "erase", "--all", "--yes").code == 0


def test_deleted_messages_on_hold_are_not_erased_at_the_command_line(chat, owner, ana):
    holds(owner, held_user_ids=[ana.id])
    ana.delete(f"/messages/{ana.says('Soup', to='kitchen > lunch').id}").succeeds()

    refused = runs(chat, "messages", "erase", "--all", "--yes")

    assert refused.code == 1
    assert "on legal hold" in refused.err
    assert kept(chat) == ["Soup"]


def test_nothing_is_erased_if_one_of_many_messages_is_on_hold(chat, owner, ana, ben):
    owner.patch("/realm", deleted_message_grace_days=7).succeeds()
    for number in range(BATCH_SIZE + 1):
        ben.delete(f"/messages/{ben.says(str(number), to='kitchen > lunch').id}").succeeds()
    ana.delete(f"/messages/{ana.says('Soup', to='kitchen > lunch').id}").succeeds()
    holds(owner, held_user_ids=[ana.id])

    refused = runs(chat, "messages", "erase", "--all", "--yes")

    assert "on legal hold" in refused.err
    assert len(kept(chat)) == BATCH_SIZE + 2
    acts = [each["act"] for each in owner.get("/realm/audit_log").succeeds()["entries"]]
    assert "messages erase" not in acts


def test_a_message_that_is_moved_away_stays_on_hold_with_its_channel(chat, owner, ana, tmp_path):
    hold = holds(owner, held_stream_ids=[chat.channel("kitchen").id])
    kitchen, garden = (chat.channel(name).id for name in ("kitchen", "garden"))
    sent, passed = (
        ana.says(text, to=f"{to} > lunch") for text, to in [("A", "kitchen"), ("B", "garden")]
    )
    silently = {"send_notification_to_old_thread": False, "send_notification_to_new_thread": False}
    owner.patch(f"/messages/{passed.id}", stream_id=kitchen, **silently).succeeds()
    for message in (sent, passed):
        owner.patch(f"/messages/{message.id}", stream_id=garden, **silently).succeeds()
        ana.delete(f"/messages/{message.id}").succeeds()
    purges(chat)

    assert kept(chat) == ["A", "B"]
    found = runs(chat, "discover", str(tmp_path / "out"), "--channel", "kitchen", "--reason", "x")
    assert "Wrote 2 messages" in found.err
    owner.delete(f"/realm/legal_holds/{hold}").succeeds()
    purges(chat)
    assert kept(chat) == []


def test_a_file_stays_on_hold_if_its_link_is_edited_away_before_it_is_deleted(chat, owner, ana):
    holds(owner, held_user_ids=[ana.id])
    message = ana.says(uploads(ana, "plan.txt", b"the plan").link, to="kitchen > lunch")
    uploads(ana, "other.txt", b"not sent")
    ana.patch(f"/messages/{message.id}", content="No plan").succeeds()

    for file in ana.get("/attachments").succeeds()["attachments"]:
        ana.delete(f"/attachments/{file['id']}").succeeds()
    purges(chat)

    names = "SELECT name FROM deleted_attachment WHERE realm_id = :realm"
    assert chat.read(lambda tx: tx.column(names)) == ["plan.txt"]


def test_a_file_stays_on_hold_if_another_user_edits_the_link_away(chat, owner, ana, ben):
    holds(owner, held_stream_ids=[chat.channel("kitchen").id])
    file = uploads(ana, "plan.txt", b"the plan")
    mine = ana.says(file.link, to="garden > beds")
    message = ben.says(file.link, to="kitchen > lunch")
    ben.patch(f"/messages/{message.id}", content="No plan").succeeds()

    ana.delete(f"/messages/{mine.id}").succeeds()
    purges(chat)

    names = "SELECT name FROM deleted_attachment WHERE realm_id = :realm"
    assert chat.read(lambda tx: tx.column(names)) == ["plan.txt"]


def test_a_user_whose_file_a_message_on_hold_linked_before_an_edit_cannot_be_erased(
    chat, owner, ana, ben
):
    holds(owner, held_stream_ids=[chat.channel("kitchen").id])
    file = uploads(ana, "plan.txt", b"the plan")
    ana.says(file.link, to="garden > beds")
    message = ben.says(file.link, to="kitchen > lunch")
    ben.patch(f"/messages/{message.id}", content="No plan").succeeds()

    owner.post(f"/users/{ana.id}/erase").fails(
        "Messages on legal hold link files of this user. End the hold before you erase the account."
    )


def test_a_file_stays_on_hold_if_another_message_that_links_it_is_deleted(chat, owner, ana):
    holds(owner, held_stream_ids=[chat.channel("kitchen").id])
    file = uploads(ana, "plan.txt", b"the plan")
    message = ana.says(file.link, to="kitchen > lunch")
    copy = ana.says(file.link, to="garden > beds")
    ana.patch(f"/messages/{message.id}", content="No plan").succeeds()

    ana.delete(f"/messages/{copy.id}").succeeds()
    purges(chat)

    names = "SELECT name FROM deleted_attachment WHERE realm_id = :realm"
    assert chat.read(lambda tx: tx.column(names)) == ["plan.txt"]


def test_the_owner_of_a_file_that_is_on_hold_cannot_be_erased(chat, owner, ana, ben):
    hold = holds(owner, held_user_ids=[ana.id])
    file = uploads(ben, "plan.txt", b"the plan")
    ben.says(file.link, to="kitchen > lunch")
    ana.says(file.link, to="garden > beds")

    owner.post(f"/users/{ben.id}/erase").fails(
        "Messages on legal hold link files of this user. End the hold before you erase the account."
    )

    assert fetches(ana, file).body == b"the plan"
    owner.delete(f"/realm/legal_holds/{hold}").succeeds()
    owner.post(f"/users/{ben.id}/erase").succeeds()


def test_administrators_do_not_see_holds_in_the_audit_log(chat, owner, ana):
    admin = chat.person("admin", role="admin")
    holds(owner, held_user_ids=[admin.id])
    owner.post(f"/users/{admin.id}/erase").fails(
        "This user is on legal hold. End the hold before you erase the account."
    )
    added = runs(chat, "hold", "add", "--person", ana.email, "--reason", "Case 4712")
    assert added.code == 0, added.err
    entries = owner.get("/realm/audit_log").succeeds()["entries"]
    assert "hold add" in [each["act"] for each in entries]

    visible = admin.get("/realm/audit_log").succeeds()
    found = admin.raw("GET", "/audit_log.csv?without_holds=false").body.decode()

    assert visible["count"] == len(visible["entries"]) < len(entries)
    for text in (str(visible), found):
        assert "hold" not in text
    for entry in entries:
        if "hold" in entry["act"]:
            admin.get(f"/realm/audit_log/{entry['id']}").fails(
                "This entry does not exist, or is no longer kept."
            )


def test_what_the_bot_of_a_person_on_hold_sent_is_on_hold(chat, owner, ana, ben, tmp_path):
    holds(owner, held_user_ids=[ana.id])
    for person in (ana, ben):
        name = f"bot-of-{person.name}"
        bot = chat.person(name.lower(), bot="generic", owner=person, channels=["kitchen"])
        sent = bot.says(f"For {person.name}", to="kitchen > lunch")
        person.delete(f"/messages/{sent.id}").succeeds()
    purges(chat)

    assert kept(chat) == ["For Ana"]
    found = runs(chat, "discover", str(tmp_path / "out"), "--person", ana.email, "--reason", "x")
    assert "Wrote 1 messages" in found.err


def test_a_bot_stays_on_hold_when_it_gets_another_owner(chat, owner, ana, ben):
    bot = chat.person("clerk", bot="generic", owner=ana, channels=["kitchen"])
    hold = holds(owner, held_user_ids=[ana.id])
    paper = bot.says("The paper", to="kitchen > lunch")

    ana.patch(f"/bots/{bot.id}", bot_owner_id=ben.id).succeeds()
    owner.delete(f"/messages/{paper.id}").succeeds()
    purges(chat)

    assert kept(chat) == ["The paper"]
    listed = owner.get("/realm/legal_holds").succeeds()["legal_holds"]
    (of_bot,) = [each for each in listed if each["user_id"] == bot.id]
    assert of_bot["reason"] == "Case 4711"
    for number in (hold, of_bot["id"]):
        owner.delete(f"/realm/legal_holds/{number}").succeeds()
    purges(chat)
    assert kept(chat) == []


def test_a_hold_that_begins_during_an_erasure_stops_it(chat, owner, ana):
    soup = ana.says("Soup", to="kitchen > lunch")
    chat.write(actions.people.erasure.start, ana.record)
    holds(owner, held_stream_ids=[chat.channel("kitchen").id])

    steps = (actions.people.erasure.delete_messages,), (actions.people.erasure.finish, None)
    for step, *more in steps:
        with pytest.raises(BadRequest, match="on legal hold"):
            chat.write(step, ana.record, *more)

    assert owner.sees(soup)["sender_full_name"] == "Ana"


EMPTY_WORDS = [
    ("--word", "papers", "--word", word, "--reason", "x") for word in ("", " ", "\u0301")
]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        *((flags, "A word is empty.") for flags in EMPTY_WORDS),
        (("--reason", " "), "The reason is empty."),
        (
            ("--from", "2026-02-02", "--to", "2026-02-01", "--reason", "x"),
            "The last day is before the first day.",
        ),
    ],
)
def test_a_discovery_refuses_what_cannot_be_meant(chat, in_kitchen, ana, tmp_path, flags, says):
    ana.says("not for the case", to="kitchen > lunch")

    refused = runs(chat, "discover", str(tmp_path / "out"), *flags)

    assert refused.code == 1
    assert says in refused.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["ÄPFEL", "apfel", "strasse", "ｓｔｒａｓｓｅ", "ПАПКА", "ФАЙЛ"])
def test_a_discovery_compares_words_as_search_does(chat, in_kitchen, ana, tmp_path, word):
    ana.says("Äpfel in der Straße, папка", to="kitchen > lunch")
    edited = ana.says("файл", to="kitchen > lunch")
    ana.patch(f"/messages/{edited.id}", content="Äpfel, Straße, папка").succeeds()
    ana.says("Pears", to="kitchen > lunch")

    found = runs(chat, "discover", str(tmp_path / "out"), "--word", word, "--reason", "x")

    assert found.code == 0, found.err
    assert ("Wrote 1 messages" if word == "ФАЙЛ" else "Wrote 2 messages") in found.err
    html = "".join(path.read_text() for path in (tmp_path / "out").rglob("t*.html"))
    assert "Pears" not in html


def test_a_discovery_shows_earlier_places_and_earlier_questions(chat, in_kitchen, ana, tmp_path):
    ana.joins("garden")
    moved = ana.says("Pears", to="kitchen > Receipts")
    ana.patch(
        f"/messages/{moved.id}",
        topic="plums",
        stream_id=chat.channel("garden").id,
        send_notification_to_new_thread=False,
    ).succeeds()
    poll = ana.says("/poll Bribes?\nYes", to="garden > plums")
    todo = ana.says("/todo Shredding\nPapers", to="garden > plums")
    for widget, change in (
        (poll, {"type": "question", "question": "Lunch?"}),
        (todo, {"type": "new_task_list_title", "title": "House"}),
    ):
        content = json.dumps(change)
        ana.post("/submessage", message_id=widget.id, msg_type="widget", content=content).succeeds()

    found = runs(chat, "discover", str(tmp_path / "out"), "--channel", "garden", "--reason", "x")

    assert found.code == 0, found.err
    html = "".join(each.read_text() for each in (tmp_path / "out").rglob("t*.html"))
    for earlier in ("kitchen › Receipts", "Bribes?", "Shredding"):
        assert f"</summary><p>{earlier}</p></details>" in html


@pytest.mark.parametrize("word", ["split", "invoices", "receipts", "zebra", "giraffe", "painting"])
def test_a_discovery_finds_words_of_topics_and_widgets_and_across_markup(
    chat, in_kitchen, ana, tmp_path, word
):
    ana.says("s**pli**t", to="kitchen > lunch")
    ana.says("Pears", to="kitchen > Invoices")
    moved = ana.says("Pears", to="kitchen > Receipts")
    ana.patch(
        f"/messages/{moved.id}", topic="plums", send_notification_to_new_thread=False
    ).succeeds()
    poll = ana.says("/poll Animals?\nCat", to="kitchen > polls")
    todo = ana.says("/todo House\nRoof", to="kitchen > lists")
    for widget, change in (
        (poll, {"type": "new_option", "idx": 1, "option": "Zèbra"}),
        (poll, {"type": "question", "question": "Giraffes?"}),
        (
            todo,
            {"type": "new_task", "key": 1, "task": "Wall", "desc": "Painting", "completed": False},
        ),
    ):
        content = json.dumps(change)
        ana.post("/submessage", message_id=widget.id, msg_type="widget", content=content).succeeds()

    found = runs(chat, "discover", str(tmp_path / "out"), "--word", word, "--reason", "x")

    assert "Wrote 1 messages" in found.err
