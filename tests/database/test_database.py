"""The database layer: the same behaviour on both databases."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.cli_runner import Terminal

from tertulia import storage
from tertulia.database import BlockingDatabase, schema
from tertulia.database.schema import Migration
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.groups.group import Members
from tertulia.domain.messages.message import Draft
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.user import Role
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors import BadRequest
from tertulia.storage.messages.selections import Selection
from tertulia.storage.queues import Position, StoredQueue


def in_one_go(scene: Callable[[Tx], None]) -> Callable[[BlockingDatabase, Realm], None]:
    """The test runs inside one transaction of an organization."""
    return lambda database, realm: database.of(realm.id).write(scene)


def person(tx: Tx, name="ana"):
    return storage.people.users.insert(
        tx, email=f"{name}@example.com", full_name=name, role=Role.MEMBER
    )


def room(tx: Tx, name="kitchen"):
    return storage.channels.table.insert(
        tx, NewChannel(name), "", None, {"can_send_message_group": 1}
    )


DRAFT = Draft("Söup 🍲", "<p>Söup 🍲</p>", 1, "test", read_by_sender=False)


# --- the layer ---


def test_a_failed_action_leaves_nothing(database, realm):
    def fail(tx: Tx) -> None:
        storage.organization.realms.rename(tx, "Other")
        raise BadRequest("no")

    with pytest.raises(BadRequest):
        database.of(realm.id).write(fail)

    assert database.of(realm.id).read(storage.organization.realms.current).name == "Casa"


def test_a_read_transaction_cannot_write(database, realm):
    if database.dialect.name == "postgres":
        with pytest.raises(Exception, match="read-only"):
            database.of(realm.id).read(storage.organization.realms.rename, "Other")
    else:
        database.of(realm.id).read(storage.organization.realms.rename, "Other")

    assert database.of(realm.id).read(storage.organization.realms.current).name == "Casa"


def test_postgres_runs_without_jit(database):
    """Our statements take a millisecond; compiling one takes fifty."""
    if database.dialect.name == "postgres":
        ask = "SELECT current_setting('jit') AS value"
        assert database.of(0).read(lambda tx: tx.value(ask)) == "off"


@pytest.mark.parametrize("ids", [[], [1], [1, 2, 10**15], list(range(2000))])
def test_a_list_parameter_may_have_any_length(database, realm, ids):
    found = database.of(realm.id).read(
        lambda tx: tx.all("SELECT id FROM realm WHERE id IN :ids", ids=ids)
    )

    assert [row["id"] for row in found] == ([realm.id] if realm.id in ids else [])


def test_texts_are_stored_unchanged(database, realm):
    for text in ("", "'", '"', "%s", ":name", "%", "\\", "é", "🍲", "a\nb\tc", "\x7f\u200b"):
        database.of(realm.id).write(storage.organization.realms.rename, text)
        assert database.of(realm.id).read(storage.organization.realms.current).name == text


@in_one_go
def test_organizations_are_separate(tx: Tx) -> None:
    other = tx.for_realm(storage.organization.realms.insert(tx, "other", "Other", "uuid"))
    here, there = person(tx), person(other)
    channel = room(tx)
    assert storage.people.users.find(tx, there.id) is None
    assert storage.people.users.find_by_email(other, "ANA@example.com") == there
    assert storage.people.users.find_by_email(tx, " ana@EXAMPLE.com ") == here
    assert storage.channels.table.find(other, channel.id) is None
    assert storage.channels.table.find_by_name(other, "kitchen") is None
    message_id = storage.messages.table.insert_in_channel(tx, here.id, channel.id, "lunch", DRAFT)
    assert storage.messages.table.find(other, message_id) is None
    assert storage.messages.table.newest_id(other) == 0


# --- the log ---


@in_one_go
def test_the_log_has_no_gaps(tx: Tx) -> None:
    first = storage.log.head(tx)
    given = [storage.log.append(tx, "x", "{}", f"{number}") for number in range(5)]
    assert given == list(range(first + 1, first + 6))
    assert [entry.payload for entry in storage.log.after(tx, tx.realm_id, first + 1, 3)] == [
        "1",
        "2",
        "3",
    ]
    assert storage.log.end(tx).seq == storage.log.head(tx) == first + 5
    assert storage.log.gaps(tx) == []
    tx.execute("DELETE FROM event WHERE payload = '2'")
    assert storage.log.gaps(tx) == [
        f"the log of organization {tx.realm_id} lacks 1 events between its first and its last"
    ]


@in_one_go
def test_the_log_is_trimmed_from_its_beginning(tx: Tx) -> None:
    for number in range(5):
        storage.log.append(tx, "x", "{}", f"{number}")
    head = storage.log.head(tx)
    storage.log.delete_up_to(tx, head - 2)
    assert storage.log.oldest(tx, tx.realm_id) == head - 1
    assert storage.log.gaps(tx) == []


# --- users, channels, groups ---


def test_an_address_is_unique_regardless_of_case(database, realm):
    def scene(tx: Tx) -> None:
        person(tx, "ana")
        person(tx, "ANA")

    with pytest.raises(Exception, match=r"(?i)unique"):
        database.of(realm.id).write(scene)


@in_one_go
def test_channel_names_are_compared_without_case(tx: Tx) -> None:
    made = room(tx, "Straße")
    assert storage.channels.table.find_by_name(tx, " STRASSE ") == made
    assert made.name == "Straße"


@in_one_go
def test_permissions_are_stored_in_either_form(tx: Tx) -> None:
    ids = storage.groups.system_ids(tx)
    value = Members([1, 2], [ids["role:members"]])
    made = storage.channels.table.insert(
        tx, NewChannel("x"), "", None, {"a": ids["role:owners"], "b": value}
    )
    assert made.permissions == {"a": ids["role:owners"], "b": value}


@in_one_go
def test_groups_within_groups(tx: Tx) -> None:
    ana = person(tx)
    inner, middle, outer = (storage.groups.insert(tx, name, "") for name in ("a", "b", "c"))
    storage.groups.add_subgroups(tx, middle, [inner])
    storage.groups.add_subgroups(tx, outer, [middle])
    storage.groups.add_subgroups(tx, outer, [storage.groups.system_ids(tx)["role:moderators"]])
    tx.execute(
        "INSERT INTO user_group_member (realm_id, group_id, user_id) VALUES (:r, :g, :u)",
        r=tx.realm_id,
        g=inner,
        u=ana.id,
    )
    found = storage.groups.within(tx, [outer])
    assert {group_id for group_id, name in found.items() if name is None} == {
        outer,
        middle,
        inner,
    }
    assert set(found.values()) - {None} == {
        "role:moderators",
        "role:administrators",
        "role:owners",
    }
    known = storage.groups.Memberships(tx, [ana])
    assert known.listing(ana.id) == {inner}
    assert known.listed_in([inner, middle]) == {ana.id}


# --- subscriptions and received messages ---


@in_one_go
def test_spans_say_which_messages_were_received(tx: Tx) -> None:
    ana, kitchen = person(tx), room(tx)

    def send() -> int:
        storage.log.append(tx, "message", "{}", "{}")
        return storage.messages.table.insert_in_channel(tx, ana.id, kitchen.id, "lunch", DRAFT)

    def now() -> tuple[int, int]:
        return storage.log.head(tx), storage.messages.table.newest_id(tx)

    before = send()
    storage.channels.subscriptions.activate(tx, kitchen, {ana.id: "#ffffff"}, *now())
    during = send()
    storage.channels.subscriptions.end(tx, [kitchen.id], [ana.id], *now())
    absent = send()
    storage.channels.subscriptions.activate(tx, kitchen, {ana.id: "#000000"}, *now())
    after = send()

    spans = storage.channels.subscriptions.spans_of(tx, ana.id)
    received = [
        number
        for number in (before, during, absent, after)
        if any(span.covers_message(number) for span in spans)
    ]
    assert received == [during, after]
    assert list(storage.messages.unread.load(tx, ana.id)) == [during, after]
    mine_here = storage.messages.selections.received_in_channels(tx, ana.id, [kitchen.id])
    assert storage.messages.history.before(tx, mine_here, 10**15, 10) == [during, after]
    mine = storage.channels.subscriptions.find(tx, ana.id, kitchen.id)
    assert mine is not None
    assert (mine.active, mine.color) == (True, "#ffffff")


@in_one_go
def test_history_is_read_from_an_anchor_in_both_directions(tx: Tx) -> None:
    ana, kitchen = person(tx), room(tx)
    ids = [
        storage.messages.table.insert_in_channel(tx, ana.id, kitchen.id, f"{n}", DRAFT)
        for n in range(5)
    ]
    all_ = Selection()
    all_.require("1 = 1")
    assert storage.messages.history.before(tx, all_, ids[3], 2) == ids[1:3]
    assert storage.messages.history.after(tx, all_, ids[1], 2) == ids[2:4]
    assert storage.messages.history.before(tx, all_, ids[3], 0) == []
    assert storage.messages.history.among(tx, all_, [ids[4], ids[0], -1]) == [ids[0], ids[4]]
    assert storage.messages.history.newest(tx, all_) == ids[-1]
    assert storage.messages.history.first_since(tx, all_, tx.now + 1) is None
    found = storage.messages.table.find(tx, ids[0])
    assert found is not None
    assert (found.content, found.rendered) == (DRAFT.content, DRAFT.rendered)


@in_one_go
def test_the_unread_bitmap_is_stored_and_updated(tx: Tx) -> None:
    ana, ben, kitchen = person(tx), person(tx, "ben"), room(tx)
    storage.channels.subscriptions.activate(tx, kitchen, {ben.id: "#ffffff"}, 0, 0)
    first = storage.messages.table.insert_in_channel(tx, ana.id, kitchen.id, "x", DRAFT)
    storage.messages.unread.store(tx, ben.id, storage.messages.unread.load(tx, ben.id), first)
    second = storage.messages.table.insert_in_channel(tx, ana.id, kitchen.id, "x", DRAFT)
    assert storage.messages.unread.stored(tx, ben.id).caught_up_to == first
    assert list(storage.messages.unread.load(tx, ben.id)) == [first, second]
    assert [
        each.topic for each in storage.messages.unread.describe(tx, ben.id, [first, second])
    ] == ["x", "x"]


@in_one_go
def test_flags_are_stored_as_rows(tx: Tx) -> None:
    ana, kitchen = person(tx), room(tx)
    number = storage.messages.table.insert_in_channel(tx, ana.id, kitchen.id, "x", DRAFT)
    for _ in range(2):
        storage.messages.flags.add_flag(tx, "starred", [ana.id], number)
    storage.messages.flags.add_flag(tx, "mentioned", [], number)
    assert storage.messages.flags.with_flag(tx, ana.id, "starred") == [number]
    assert storage.messages.flags.flags_of(tx, ana.id, [number]) == {number: {"starred"}}


# --- the rest ---


@in_one_go
def test_a_policy_is_set_replaced_and_deleted(tx: Tx) -> None:
    ana, kitchen = person(tx), room(tx)
    storage.personal.topic_policies.set_policy(tx, ana.id, kitchen.id, "Lunch", TopicPolicy.MUTED)
    storage.personal.topic_policies.set_policy(
        tx, ana.id, kitchen.id, "LUNCH", TopicPolicy.FOLLOWED
    )
    assert (
        storage.personal.topic_policies.policy(tx, ana.id, kitchen.id, "lunch")
        == TopicPolicy.FOLLOWED
    )
    assert [each.topic for each in storage.personal.topic_policies.of_user(tx, ana.id)] == ["LUNCH"]
    storage.personal.topic_policies.set_policy(tx, ana.id, kitchen.id, "lunch", TopicPolicy.NONE)
    assert storage.personal.topic_policies.of_user(tx, ana.id) == []


@in_one_go
def test_an_idempotency_key_is_found_until_it_expires(tx: Tx) -> None:
    ana = person(tx)
    storage.messages.send_keys.insert(tx, ana.id, "k", b"print", 7, None)
    found = storage.messages.send_keys.find(tx, ana.id, "k", tx.now - 1)
    assert found is not None
    assert (found.fingerprint, found.message_id, found.policy) == (b"print", 7, None)
    assert storage.messages.send_keys.find(tx, ana.id, "k", tx.now) is None
    assert storage.messages.send_keys.find(tx, ana.id + 1, "k", 0) is None
    storage.messages.send_keys.insert(tx, ana.id, "k", b"other", 8, 3)
    again = storage.messages.send_keys.find(tx, ana.id, "k", tx.now - 1)
    assert again is not None
    assert (again.fingerprint, again.message_id, again.policy) == (b"other", 8, 3)
    assert storage.messages.send_keys.delete_before(tx, tx.now, 10) == 1


@in_one_go
def test_a_message_id_is_never_used_twice(tx: Tx) -> None:
    ana = person(tx)
    location = storage.messages.conversations.get_or_start(tx, [ana.id])
    draft = Draft("Soup?", "<p>Soup?</p>", 0, "test", read_by_sender=True)
    first = storage.messages.table.insert_in_conversation(tx, ana.id, location, draft)
    second = storage.messages.table.insert_in_conversation(tx, ana.id, location, draft)
    storage.messages.table.delete(tx, [second])
    storage.messages.table.delete(tx, [first])
    assert storage.messages.table.insert_in_conversation(tx, ana.id, location, draft) > second


@in_one_go
def test_a_queue_position_only_moves_forward(tx: Tx) -> None:
    ana = person(tx)
    queue = StoredQueue("q", tx.realm_id, ana.id, "{}", 5, 50, 5, 600, tx.now, "")
    assert storage.queues.insert(tx, queue, ana.role)
    assert storage.queues.insert(tx, queue, ana.role)  # a client without an answer asks again
    assert not storage.queues.insert(tx, replace(queue, id="no"), ana.role - 1)
    storage.queues.store_positions(
        tx, [Position("q", 70, 7, tx.now + 5), Position("unknown", 1, 1, 1.0)]
    )
    storage.queues.store_positions(tx, [Position("q", 60, 6, tx.now)])
    found = storage.queues.find(tx, "q")
    assert found is not None
    assert (found.acked, found.scanned, found.seen_at) == (70, 7, tx.now + 5)
    assert storage.queues.oldest_position(tx) == 7
    assert (storage.queues.behind(tx, 7), storage.queues.behind(tx, 8)) == ([], ["q"])
    assert storage.queues.of_user(tx, ana.id) == ["q"]
    assert storage.queues.delete_excess(tx, queue, keep=0) == []
    assert storage.queues.delete_excess(tx, replace(queue, id="next"), keep=1) == []
    assert storage.queues.delete(tx, ["unknown"]) == 0
    assert storage.queues.delete_excess(tx, replace(queue, id="next"), keep=0) == ["q"]
    assert storage.queues.oldest_position(tx) is None


# --- the schema ---


def test_the_schema_is_created_once(database):
    assert database.migrate() == []


def test_data_of_a_newer_server_is_refused(database, kind):
    needed = database.schema().must_know
    database.of(0).write(must_know, 999)

    with pytest.raises(schema.SchemaTooNew, match="newer Tertulia"):
        database.migrate()

    database.of(0).write(must_know, needed)


def must_know(tx: Tx, number: int) -> None:
    tx.execute("UPDATE schema_version SET version = :number", number=number)


def test_additions_of_a_newer_server_are_accepted(database, kind, monkeypatch):
    ours = schema.migrations()
    newer = [*ours, Migration(998, lambda: "CREATE TABLE schema_newer (number INTEGER)")]
    monkeypatch.setattr(schema, "migrations", lambda: newer)
    assert database.migrate() == [998]

    monkeypatch.undo()

    assert database.migrate() == []
    database.of(0).write(forget_newer)


def forget_newer(tx: Tx) -> None:
    tx.execute("DROP TABLE schema_newer")
    tx.execute("DELETE FROM schema_change WHERE number = 998")


def test_a_breaking_migration_says_so(databases, monkeypatch):
    url, _ = databases.new("sqlite")
    fresh = BlockingDatabase.at(url)
    ours = schema.migrations()
    text = "-- older servers cannot work with this\nCREATE TABLE schema_newer (number INTEGER)"
    monkeypatch.setattr(schema, "migrations", lambda: [*ours, Migration(998, lambda: text)])
    fresh.migrate()

    monkeypatch.undo()

    with pytest.raises(schema.SchemaTooNew, match="needs schema 998"):
        fresh.migrate()


def test_a_migration_that_was_merged_late_is_applied(databases, monkeypatch):
    url, _ = databases.new("sqlite")
    fresh = BlockingDatabase.at(url)
    ours = schema.migrations()
    late, newest = (
        Migration(number, partial("CREATE TABLE schema_{} (number INTEGER)".format, number))
        for number in (997, 998)
    )
    monkeypatch.setattr(schema, "migrations", lambda: [*ours, newest])
    fresh.migrate()

    monkeypatch.setattr(schema, "migrations", lambda: [*ours, late, newest])

    assert fresh.migrate() == [997]
    assert fresh.migrate() == []


def test_a_failed_migration_leaves_nothing(kind, databases, monkeypatch):
    url, _ = databases.new("sqlite")
    empty = BlockingDatabase.at(url)
    text = "CREATE TABLE schema_version (version INTEGER); CREATE TABLE nonsense ("
    monkeypatch.setattr(schema, "whole_schema", lambda: Migration(1, lambda: text))

    with pytest.raises(Exception, match="incomplete"):
        empty.migrate()

    monkeypatch.undo()
    assert empty.schema().is_empty
    assert empty.migrate()[0] == schema.whole_schema().number


def test_rows_outlive_their_connection(databases):
    url, _ = databases.new("sqlite")
    database = BlockingDatabase.at(url)
    database.migrate()
    rows = database.of(0).read(first_rows)

    rows.close()

    assert list(rows) == []


def first_rows(tx: Tx) -> Generator[Any, None, None]:
    rows = tx.bulk.stream_rows("schema_change", {"number": "INTEGER"})
    assert isinstance(rows, Generator)
    next(rows)
    return rows


@pytest.mark.postgres
def test_a_primary_without_standby_is_a_problem_if_failover_is_expected(databases, tmp_path):
    url, _ = databases.ready("postgres")
    location = url.partition("@")[2].partition("/")[0]

    alone = Terminal(tmp_path, url).creates_organization().runs("check")
    of_several = Terminal(tmp_path, url.replace(location, f"{location},{location}")).runs("check")

    assert "standby" not in alone.out
    assert (of_several.code, "the primary has no standby" in of_several.out) == (1, True)


@pytest.mark.postgres
def test_a_missing_role_is_named(databases, tmp_path):
    url, _ = databases.new("postgres", untouched=True)
    location = url.partition("@")[2]

    result = Terminal(tmp_path, f"postgresql://nobody_here@{location}").runs("check")

    assert result.code == 1
    assert 'role "nobody_here" does not exist' in result.err
