"""Deleted messages that are kept: no reader sees them, they can be restored, and they end."""

import pytest
from tests.support.files import fetches, own, uploads

from tertulia import actions, storage
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.features.retention import delete_old_messages
from tertulia.jobs.housekeeping import purge_kept_messages, sweep_files

EVERYTHING = KeptSelection()


def keeps_deleted(chat, days=7):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    owner.patch("/realm", deleted_message_grace_days=days).succeeds()
    return owner


def restores(chat, selection=EVERYTHING):
    return chat.write(actions.messages.restoration.restore_batch, selection)


def purges(chat):
    chat.server.do(purge_kept_messages(chat.server.database))


def kept(chat, selection=EVERYTHING):
    found = chat.read(lambda tx: storage.messages.deleted.find(tx, selection, limit=1000))
    return [each.message.content for each in found]


def stored_files(chat):
    return chat.read(
        lambda tx: tx.number("SELECT count(*) AS value FROM upload WHERE realm_id = :realm")
    )


def readable(person, **narrow):
    response = person.get(
        "/messages", anchor="oldest", num_after=5000, apply_markdown=False, **narrow
    ).succeeds()
    return [message["content"] for message in response["messages"]]


@pytest.mark.on_both
def test_a_restored_message_is_as_it_was(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    keeps_deleted(chat)
    soup = ana.says("Soup", to="kitchen > lunch")
    ana.patch(f"/messages/{soup.id}", content="Hot soup for @**ben**").succeeds()
    ben.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ben.post("/messages/flags", messages=[soup.id], op="add", flag="starred").succeeds()
    before = [person.get(f"/messages/{soup.id}").succeeds()["message"] for person in (ana, ben)]
    ana.delete(f"/messages/{soup.id}").succeeds()
    assert readable(ben) == []
    ben.get(f"/messages/{soup.id}").fails("Invalid message(s)")
    queue = ben.listens_for("message", apply_markdown=True)

    assert restores(chat) == [soup.id]

    after = [person.get(f"/messages/{soup.id}").succeeds()["message"] for person in (ana, ben)]
    assert after == before
    event = queue.next()
    assert event["flags"] == before[1]["flags"]
    assert {**event["message"], "flags": before[1]["flags"]} == before[1]
    assert kept(chat) == []


@pytest.mark.on_both
def test_a_restored_message_is_found_by_searches(chat):
    ana = chat.person("ana", channels=["kitchen"])
    keeps_deleted(chat)
    soup = ana.says("Minestrone", to="kitchen > lunch")
    ana.says("Bread", to="kitchen > lunch")
    search = {"narrow": [{"operator": "search", "operand": "minestrone"}]}
    chat.server.index_messages()
    assert readable(ana, **search) == ["Minestrone"]

    ana.delete(f"/messages/{soup.id}").succeeds()
    chat.server.index_messages()
    assert readable(ana, **search) == []
    restores(chat)

    assert readable(ana, **search) == ["Minestrone"]
    chat.server.index_messages()
    assert readable(ana, **search) == ["Minestrone"]
    assert chat.read(storage.data_check.search_problems) == []


def test_nothing_is_kept_by_default(chat):
    ana = chat.person("ana", channels=["kitchen"])
    soup = ana.says("Soup", to="kitchen > lunch")

    ana.delete(f"/messages/{soup.id}").succeeds()

    assert kept(chat) == []


@pytest.mark.on_both
def test_messages_deleted_by_retention_and_with_their_topic_are_kept(chat):
    ana = chat.person("ana", channels=["kitchen"])
    owner = keeps_deleted(chat)
    kitchen = chat.channel("kitchen").id
    ana.says("one", to="kitchen > lunch")
    ana.says("two", to="kitchen > lunch")
    owner.post(f"/streams/{kitchen}/delete_topic", topic_name="lunch").succeeds()
    ana.says("three", to="kitchen > dinner")
    owner.patch(f"/streams/{kitchen}", message_retention_days=3).succeeds()
    chat.server.clock.move(hours=24 * 3.1)
    chat.server.do(delete_old_messages(chat.server.database))
    assert readable(ana) == []

    assert kept(chat) == ["one", "two", "three"]
    reasons = chat.read(lambda tx: storage.messages.deleted.find(tx, EVERYTHING, limit=9))
    assert [(each.reason, each.deleted_by) for each in reasons] == [
        ("topic", owner.id),
        ("topic", owner.id),
        ("retention", None),
    ]
    restores(chat, KeptSelection(channel_id=kitchen, topic="LUNCH"))
    assert readable(ana) == ["one", "two"]
    assert chat.channel("kitchen").first_message_id is not None


@pytest.mark.on_both
def test_kept_messages_end_with_their_files_after_the_grace_period(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    keeps_deleted(chat)
    file = uploads(ana, "soup.txt", b"recipe")
    soup = ana.says(file.link, to="kitchen > lunch")
    assert fetches(ben, file).status == 200
    ana.delete(f"/messages/{soup.id}").succeeds()

    assert [fetches(person, file).status for person in (ana, ben)] == [404, 404]
    assert own(ana) == []
    chat.server.clock.move(hours=24 * 6.9)
    purges(chat)
    assert len(kept(chat)) == 1
    assert stored_files(chat) == 1
    chat.server.clock.move(hours=24)
    purges(chat)
    chat.server.do(sweep_files(chat.server.database))

    assert kept(chat) == []
    assert restores(chat) == []
    assert stored_files(chat) == 0


@pytest.mark.on_both
def test_files_are_restored_with_their_message(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    keeps_deleted(chat)
    file, shared = uploads(ana, "soup.txt", b"recipe"), uploads(ana, "bread.txt", b"flour")
    soup = ana.says(f"{file.link} {shared.link}", to="kitchen > lunch")
    bread = ana.says(shared.link, to="kitchen > lunch")
    before = own(ana)
    ana.delete(f"/messages/{soup.id}").succeeds()
    chat.server.do(sweep_files(chat.server.database))
    assert [each["message_ids"] for each in own(ana)] == [[bread.id]]
    ana.delete(f"/messages/{bread.id}").succeeds()
    assert own(ana) == []

    assert restores(chat) == [soup.id, bread.id]

    assert own(ana) == before
    assert fetches(ben, file).body == b"recipe"
    assert chat.read(storage.data_check.file_problems) == []


def test_a_restored_message_keeps_what_its_readers_had_read(chat):
    ana, ben, cleo = chat.people("ana", "ben", "cleo", channels=["kitchen"])
    keeps_deleted(chat)
    soup = ana.says("Soup", to="kitchen > lunch")
    ben.post("/messages/flags", messages=[soup.id], op="add", flag="read").succeeds()
    ana.delete(f"/messages/{soup.id}").succeeds()
    queues = [person.listens_for("message") for person in (ben, cleo)]

    restores(chat)

    assert [queue.next()["flags"] for queue in queues] == [["read"], []]
    counts = [
        person.registers(event_types=["message", "update_message_flags"])["unread_msgs"]["count"]
        for person in (ben, cleo)
    ]
    assert counts == [0, 1]


@pytest.mark.on_both
def test_a_restored_message_is_unread_for_users_who_read_others_meanwhile(chat):
    ana, ben, cleo = chat.people("ana", "ben", "cleo", channels=["kitchen"])
    keeps_deleted(chat)
    soup = ana.says("Soup", to="kitchen > lunch")
    direct = ana.says("Psst", to=[ben, cleo])
    tea = ana.says("Tea", to="kitchen > lunch")
    for message in (soup, direct):
        ana.delete(f"/messages/{message.id}").succeeds()
    ben.post("/messages/flags", messages=[tea.id], op="add", flag="read").succeeds()
    cleo.post("/mark_all_as_read").succeeds()
    assert [unread(person) for person in (ben, cleo)] == [[], []]

    restores(chat)

    assert [unread(person) for person in (ben, cleo)] == [[soup.id, direct.id], []]
    ben.post("/messages/flags", messages=[soup.id, direct.id], op="add", flag="read").succeeds()
    assert unread(ben) == []


def unread(person):
    narrow = [{"operator": "is", "operand": "unread"}]
    found = person.get("/messages", anchor="oldest", num_after=100, narrow=narrow).succeeds()
    counted = person.registers(event_types=["message", "update_message_flags"])["unread_msgs"]
    assert counted["count"] == len(found["messages"])
    return [message["id"] for message in found["messages"]]


@pytest.mark.on_both
def test_a_restored_message_is_announced_to_those_who_had_it_but_not_to_bots(chat):
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    owner = keeps_deleted(chat)
    bot = owner.post("/bots", full_name="Cook", short_name="cook", bot_type=1).succeeds()
    cook = chat.person_with_key(
        chat.read(storage.people.users.find, bot["user_id"]), bot["api_key"]
    )
    cook.joins("kitchen")
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    secret = ana.says("Wine", to="cellar > shelf")
    direct = ana.says("Psst", to=[ben])
    public = ana.says("Soup", to="kitchen > lunch")
    for message in (secret, direct, public):
        ana.delete(f"/messages/{message.id}").succeeds()
    of_ben, of_cleo, of_owner, of_bot = (
        person.listens_for("message") for person in (ben, cleo, owner, cook)
    )

    restores(chat)

    assert {event["message"]["id"] for event in of_ben.all()} == {secret.id, direct.id}
    assert [event["message"]["id"] for event in of_owner.all()] == [public.id]
    assert of_cleo.silent()
    assert of_bot.silent()


def test_a_client_that_missed_everything_gets_the_events_in_order(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    keeps_deleted(chat)
    queue = ben.listens_for("message", "delete_message")
    soup = ana.says("Soup", to="kitchen > lunch")
    ana.delete(f"/messages/{soup.id}").succeeds()
    restores(chat)
    bread = ana.says("Bread", to="kitchen > lunch")

    found = [
        (event["type"], event.get("message_id") or event["message"]["id"]) for event in queue.all()
    ]

    assert found[-3:] == [
        ("delete_message", soup.id),
        ("message", soup.id),
        ("message", bread.id),
    ]


@pytest.mark.on_both
def test_an_erased_person_has_no_kept_messages(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    owner = keeps_deleted(chat)
    file = uploads(ana, "soup.txt", b"recipe")
    soup = ana.says(file.link, to="kitchen > lunch")
    bread = ben.says("Bread", to="kitchen > lunch")
    ana.post(f"/messages/{bread.id}/reactions", emoji_name="tada").succeeds()
    for person, message in ((ana, soup), (ben, bread)):
        person.delete(f"/messages/{message.id}").succeeds()

    owner.post(f"/users/{ana.id}/erase").succeeds()

    assert kept(chat) == ["Bread"]
    assert stored_files(chat) == 0
    restores(chat)
    assert ben.sees(bread)["reactions"] == []


def test_a_shorter_grace_period_applies_to_what_is_kept_already(chat):
    ana = chat.person("ana", channels=["kitchen"])
    owner = keeps_deleted(chat, days=30)
    soup = ana.says("Soup", to="kitchen > lunch")
    ana.delete(f"/messages/{soup.id}").succeeds()
    chat.server.clock.move(hours=24 * 2)

    owner.patch("/realm", deleted_message_grace_days=1).succeeds()
    purges(chat)

    assert kept(chat) == []


def test_only_owners_set_the_grace_period(chat):
    admin = chat.person("admin", role="admin")

    refused = admin.patch("/realm", deleted_message_grace_days=1)

    refused.fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")


@pytest.mark.on_both
def test_a_restored_message_has_every_column_of_its_rows(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    keeps_deleted(chat)
    poll = ana.says("/poll Soup or salad?", to="kitchen > lunch")
    ana.patch(f"/messages/{poll.id}", topic="dinner").succeeds()
    ben.post(f"/messages/{poll.id}/reactions", emoji_name="tada").succeeds()
    ben.post("/messages/flags", messages=[poll.id], op="add", flag="starred").succeeds()
    linked = ana.says("https://example.com/", to="kitchen > lunch")
    ana.patch(f"/messages/{linked.id}", content="https://example.com/ again").succeeds()
    chat.write(lambda tx: tx.insert_row("removed_link_preview", message_id=linked.id))

    def rows(tx):
        found = {
            table: [
                dict(row) for row in tx.all(f"SELECT * FROM {table} WHERE {key} IN :ids", ids=ids)
            ]
            for table, key in [
                ("message", "id"),
                *((table, "message_id") for table in storage.messages.deleted.DETAILS),
            ]
        }
        for row in found["message"]:
            del row["topic_id"], row["topic_since"]  # restoring may start the topic again
        return {table: sorted(each, key=str) for table, each in found.items()}

    ids = [poll.id, linked.id]
    chat.write(storage.messages.edits.detach, ids)
    before = chat.read(rows)
    assert all(before.values())
    for each in ids:
        ana.delete(f"/messages/{each}").succeeds()

    assert restores(chat) == ids

    assert chat.read(rows) == before


@pytest.mark.on_both
def test_erasing_a_person_removes_their_rows_from_deleted_messages_of_others(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    owner = keeps_deleted(chat)
    soup = ana.says("Soup", to="kitchen > lunch")
    for person in (ana, ben):
        person.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ben.post("/messages/flags", messages=[soup.id], op="add", flag="starred").succeeds()
    ana.delete(f"/messages/{soup.id}").succeeds()

    owner.post(f"/users/{ben.id}/erase").succeeds()

    documents = chat.read(lambda tx: tx.column("SELECT document FROM deleted_message"))
    assert not any(f'"user_id":{ben.id}' in each for each in documents)
    (found,) = chat.read(lambda tx: storage.messages.deleted.find(tx, EVERYTHING, limit=9))
    assert [each.user_id for each in found.message.reactions] == [ana.id]
