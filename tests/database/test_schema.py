"""Rules of the schema: a new table that breaks one fails here with a reason."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tertulia import storage
from tertulia.database import BlockingDatabase, schema
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.domain.messages.message import Draft

WITHOUT_AN_ORGANIZATION = {
    "schema_version",
    "schema_change",
    "realm",
    "sqlite_sequence",
    "server_note",
    "server_report",
    "server_sample",
}

# Columns of unique keys whose values are random or contain something random: secrets, names of
# files, addresses of mail, and mails to them.
RANDOM = {
    *[("account", "key_hash"), ("session", "fingerprint"), ("login_token", "token_hash")],
    *[("invitation", "fingerprint"), ("one_time_link", "fingerprint")],
    *[("pending_login", "state_hash"), ("agent_code", "fingerprint")],
    *[("agent_token", "fingerprint"), ("attachment", "path_id"), ("avatar", "name")],
    *[("emoji", "file_name"), ("emoji", "still_name"), ("realm_picture", "name")],
    *[("channel_address", "hash"), ("reply_address", "hash"), ("received_mail", "hash")],
}

# Positions; no row needs to have that id.
PLACES = {
    *("after_id", "archived_message_id", "start_message_id", "end_message_id", "update_id"),
    *("after_edit_id", "edit_id", "moved_edit_id"),
}

# These are deleted by more than a statement, before the message.
DELETED_BY_ACTIONS = {"reminder"}

A_NEW_MESSAGE = storage.messages.table.new_row(1, Draft("", "", 0, "", False), 2, None, 3)
GIVEN_BY_SENDING = {"id", "realm_id", "sent_at"}
IN_OTHER_TABLES = {"topic"}
GIVEN_LATER = {"archived_seq", "arrived_seq", "edited_at", "moved_at"}


def columns(database: BlockingDatabase) -> list[tuple[str, str]]:
    def read(tx: Tx) -> list[tuple[str, str]]:
        rows = tx.all(
            "SELECT m.name AS table_name, i.name AS column_name FROM sqlite_master m"
            " JOIN pragma_table_info(m.name) i WHERE m.type = 'table' AND i.type <> 'TEXT'"
        )
        return [(row["table_name"], row["column_name"]) for row in rows]

    return database.of(0).read(read)


def test_migration_numbers_are_unique():
    counted = Counter(each.number for each in schema.migrations())

    twice = [f"Two migrations are called {n:04}." for n, count in counted.items() if count > 1]
    assert not twice, "\n".join(twice)


def test_every_table_of_the_schema_has_a_comment():
    lines = schema.whole_schema().text.splitlines()
    created = [number for number, line in enumerate(lines) if line.startswith("CREATE TABLE")]

    silent = [lines[number] for number in created if not lines[number - 1].startswith("-- ")]
    assert created
    assert not silent, "\n".join(silent)


def test_every_table_has_the_organization_of_a_row(on_sqlite):
    found = columns(on_sqlite)

    tables = {table for table, _ in found} - WITHOUT_AN_ORGANIZATION
    lacking = [
        f"The table {table} has no realm_id."
        for table in sorted(tables)
        if (table, "realm_id") not in found
    ]
    assert not lacking, "\n".join(lacking)


def unique_keys(database: BlockingDatabase) -> list[tuple[str, tuple[str, ...]]]:
    """The columns of each primary key and unique index, with their table."""

    def read(tx: Tx) -> list[tuple[str, tuple[str, ...]]]:
        rows = tx.all(
            "SELECT m.name AS table_name, group_concat(c.name) AS columns FROM sqlite_master m"
            " JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c"
            " WHERE m.type = 'table' AND i.\"unique\" GROUP BY m.name, i.name"
            " UNION SELECT m.name, group_concat(c.name) FROM sqlite_master m"
            " JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.pk GROUP BY m.name"
        )
        return [(row["table_name"], tuple(row["columns"].split(","))) for row in rows]

    return database.of(0).read(read)


def test_no_two_organizations_compete_for_a_key(on_sqlite):
    """So the rows of an organization can move to another database if their ids are free there. A
    key names the organization, or one of its rows by an id, or is random."""
    referring = {each[:2] for each in on_sqlite.of(0).read(storage.data_check.references)}

    competing = [
        f"{table} has a unique key without realm_id: {', '.join(names)}."
        for table, names in unique_keys(on_sqlite)
        if table not in WITHOUT_AN_ORGANIZATION
        and not {"realm_id", "id"} & {*names}
        and not any((table, name) in referring for name in names)
        and not RANDOM & {(table, name) for name in names}
    ]
    assert not competing, "\n".join(competing)
    assert not RANDOM - {(table, name) for table, names in unique_keys(on_sqlite) for name in names}


def test_check_knows_what_every_id_refers_to(on_sqlite):
    known = {each[:2] for each in on_sqlite.of(0).read(storage.data_check.references)}

    unknown = [
        f"What {table}.{column} refers to is said neither in its migration (REFERENCES …)"
        " nor in storage.data_check.UNDECLARED."
        for table, column in columns(on_sqlite)
        if column.endswith("_id")
        and column not in PLACES | {"realm_id"}
        and (table, column) not in known
    ]
    assert not unknown, "\n".join(unknown)


def test_both_databases_have_the_same_references(database, on_sqlite):
    known = database.of(0).read(storage.data_check.references)

    assert known == on_sqlite.of(0).read(storage.data_check.references)
    assert ("message", "sender_id", "account") in known


def test_every_field_of_a_message_is_a_written_column(on_sqlite):
    """Except those that are assigned when sending or later."""
    rows = on_sqlite.of(0).read(lambda tx: tx.all("SELECT name FROM pragma_table_info('message')"))
    there = {row["name"] for row in rows}
    written = {*A_NEW_MESSAGE, *GIVEN_BY_SENDING, *GIVEN_LATER}

    lacking = [
        f"The table message has no {name}: a migration adds it."
        for name in {*storage.messages.table.NAMES, *written} - IN_OTHER_TABLES
        if name not in there
    ] + [
        f"No code writes message.{name}: set it in storage.messages.of_words or new_row."
        for name in there - written
    ]
    assert not lacking, "\n".join(lacking)


def test_every_column_of_a_message_is_read_into_its_field():
    names = storage.messages.table.NAMES

    row: list[Any] = [*(f"the {name}" for name in names), "1,2"]
    read = storage.messages.table.as_message(*row)

    found = {name: getattr(read, name) for name in names}
    wrong = [name for name in names if found[name] not in (f"the {name}", True)]
    assert not wrong, f"storage.messages.as_message reads {wrong} from other columns"
    assert read.member_ids == (1, 2)


def test_every_column_of_a_new_message_has_a_type_in_postgresql():
    untyped = A_NEW_MESSAGE.keys() - storage.messages.fast_insert.TYPES.keys()

    assert not untyped, f"Name the types of {untyped} in storage/messages/fast_insert.py, TYPES."


def test_rows_about_a_message_are_deleted_with_it(on_sqlite):
    declared = on_sqlite.of(0).read(lambda tx: tx.all(tx.dialect.sql.declared_references))

    about = {row["table_name"] for row in declared if row["target"] == "message"}
    staying = [
        f"The rows of {table} stay when their message is deleted:"
        " name it in storage.messages.MESSAGE_TABLES."
        for table in sorted(about - DELETED_BY_ACTIONS - {*storage.messages.table.MESSAGE_TABLES})
    ]
    assert not staying, "\n".join(staying)


WITH_SEMICOLONS = """
-- A comment; with a semicolon.
CREATE TABLE tried (id {serial}, word TEXT NOT NULL DEFAULT 'salt; pepper');
INSERT INTO tried (word) VALUES ('one; two'), ('it''s; done'); -- and this; too
/* A block; of words. */
INSERT INTO tried (word) VALUES ('
-- no comment;');
-- The end; really.
"""


def test_a_semicolon_ends_a_statement_only_where_sql_says_so(database):
    """On both databases, in a transaction that is rolled back."""
    dialect = database.dialect
    connection = dialect.connect()
    migration = schema.Migration(9999, lambda: WITH_SEMICOLONS)

    dialect.begin_write(connection)
    schema.apply(connection, dialect, [migration])
    rows = Tx(connection, dialect, 0, 0.0).all("SELECT word FROM tried ORDER BY id")
    connection.execute("ROLLBACK")
    connection.close()

    assert [row["word"] for row in rows] == ["one; two", "it's; done", "\n-- no comment;"]


def test_the_last_statement_needs_no_semicolon():
    code = "CREATE TABLE one (id INTEGER); CREATE TABLE two (word TEXT DEFAULT ';')\n-- The end; "

    assert len(list(schema.statements(code))) == 2


def test_a_trigger_is_one_statement():
    code = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END; SELECT 1;"

    assert len(list(schema.statements(code))) == 2


# --- deleted messages ---

DELETED_BEFORE = """
INSERT INTO channel (id, realm_id, name, name_key, permissions, created_at)
    VALUES (5, {realm}, 'Kitchen', 'kitchen', '{{}}', 0),
    (6, {realm}, 'Garden', 'garden', '{{}}', 0);
INSERT INTO legal_hold (realm_id, channel_id, reason, created_at) VALUES ({realm}, 6, 'Case', 0);
INSERT INTO kept_message (id, realm_id, sender_id, channel_id, topic, topic_key, content, rendered,
        render_version, client, sent_at, read_by_sender, is_me, channel_wildcard, has_link,
        has_image, has_attachment, origin_channel_id, edited_at, resolve_notice, reason,
        deleted_at, deleted_by, purge_after)
    VALUES (9, {realm}, {user}, 5, 'Lunch', 'lunch', 'So"up', '<p>So"up</p>', 3, 'test', 1.25, TRUE,
        FALSE, FALSE, TRUE, FALSE, TRUE, 5, 4.5, FALSE, 'topic', 7.5, {user}, 8.5),
    (10, {realm}, {user}, NULL, '', '', 'Salad', '<p>Salad</p>', 3, 'test', 2.25, FALSE, FALSE,
        FALSE, FALSE, FALSE, FALSE, NULL, NULL, FALSE, 'message', 7.5, NULL, 8.5);
INSERT INTO kept_message_flag (user_id, flag, message_id, realm_id)
    VALUES ({user}, 'starred', 9, {realm});
INSERT INTO kept_reaction (id, realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type)
    VALUES (30, {realm}, 9, {user}, 'tada', '1f389', 'unicode_emoji');
INSERT INTO kept_submessage (id, realm_id, message_id, sender_id, msg_type, content)
    VALUES (31, {realm}, 9, {user}, 'widget', 'x');
INSERT INTO kept_message_edit (id, realm_id, message_id, user_id, edited_at, prev_content,
        prev_channel_id, channel_id)
    VALUES (33, {realm}, 9, {user}, 4.5, 'Soap', 6, 5);
INSERT INTO held_message_edit (id, realm_id, message_id, user_id, edited_at, prev_content)
    VALUES (32, {realm}, 9, {user}, 3.5, 'S'), (34, {realm}, {message}, {user}, 3.5, 'y');
INSERT INTO kept_removed_link_preview (message_id, realm_id) VALUES (9, {realm});
INSERT INTO upload (id, realm_id) VALUES (40, {realm});
INSERT INTO kept_attachment (id, realm_id, owner_id, upload_id, path_id, name, content_type, size,
        width, height, is_animated, created_at)
    VALUES (41, {realm}, {user}, 40, '1/ab/a.txt', 'a.txt', 'text/plain', 3, 0, 0, FALSE, 0);
INSERT INTO kept_attachment_message (attachment_id, message_id, realm_id) VALUES (41, 9, {realm})
"""


def test_deleted_messages_of_an_older_server_are_carried_over(kind, databases):
    url, _ = databases.new(kind, untouched=True)
    database = BlockingDatabase.at(url)
    connection = database.dialect.connect()
    database.dialect.begin_write(connection)
    schema.apply(connection, database.dialect, schema.as_of([schema.OF_0_3]))
    tx = Tx(connection, database.dialect, 0, 0.0)
    given = _older_rows(tx)
    for statement in schema.statements(DELETED_BEFORE.format(**given)):
        tx.execute(statement)
    connection.execute("COMMIT")
    connection.close()

    database.migrate()

    here = database.of(given["realm"])
    soup, salad = here.read(lambda tx: storage.messages.deleted.find(tx, KeptSelection(), limit=9))
    assert (soup.message.content, soup.reason, soup.deleted_by) == ('So"up', "topic", given["user"])
    assert [each.prev_content for each in soup.message.edits] == ["S", "Soap"]
    assert here.read(storage.messages.deleted.due, 9) == [salad.message.id]  # 9 was in the garden
    here.write(storage.messages.deleted.restore, [9, 10])

    def restored(tx: Tx) -> list[Any]:
        message = storage.messages.table.find_many(tx, tx.realm_id, [9])
        (detailed,) = storage.messages.details.with_details(tx, [message[9]], with_held=True)
        (row,) = tx.tuples("SELECT has_link, has_image, has_attachment FROM message WHERE id = 9")
        flags = tx.column("SELECT flag FROM message_flag WHERE message_id = 9")
        return [detailed, [bool(each) for each in row], flags]

    message, has, flags = here.read(restored)
    assert (message.topic, message.edited_at, message.sent_at) == ("Lunch", 4.5, 1.25)
    assert [each.emoji_name for each in message.reactions] == ["tada"]
    assert [each.id for each in message.submessages] == [31]
    assert [each.id for each in message.edits] == [32, 33]
    assert (has, flags) == ([True, False, True], ["starred"])
    held = here.read(lambda tx: tx.column("SELECT id FROM message_edit WHERE is_held ORDER BY id"))
    assert held == [32, 34]
    assert here.read(storage.messages.deleted.files_of, given["user"], 2) == [41]
    assert here.read(lambda tx: tx.has_row("removed_link_preview", message_id=9))


def _older_rows(tx: Tx) -> dict[str, int]:
    """An organization with a user and two messages."""
    realm = tx.number(
        "INSERT INTO realm (subdomain, name, uuid, created_at) VALUES ('casa', 'Casa', 'u', 0)"
        " RETURNING id AS value"
    )
    user = tx.for_realm(realm).insert_with_id(
        "account", email="a@b.c", email_key="a@b.c", full_name="Ana", role=400, joined_at=0.0
    )
    text = {"content": "x", "rendered": "x", "client": "x"}
    first, second = (
        tx.for_realm(realm).insert_with_id(
            "message",
            id=number,
            sender_id=user,
            render_version=0,
            sent_at=50.0,
            read_by_sender=True,
            **text,
        )
        for number in (11, 12)
    )
    return {"realm": realm, "user": user, "message": first, "shown": second}


# --- servers of two versions on one database ---

Shape = dict[str, dict[str, tuple[str, bool, bool]]]


def shape(connection: Any) -> Shape:
    """The columns of each table: type, whether NULL is refused, whether there is a default."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        row[0]: {
            column[1]: (column[2], bool(column[3]), column[4] is not None)
            for column in connection.execute(f"PRAGMA table_info({row[0]})").fetchall()
        }
        for row in tables
        if not row[0].startswith(("sqlite_", "schema_"))
    }


def unique_indexes(connection: Any) -> set[tuple[str, str]]:
    """The unique indexes, each with its table."""
    rows = connection.execute(
        "SELECT m.name, i.name FROM sqlite_master m JOIN pragma_index_list(m.name) i"
        " WHERE m.type = 'table' AND i.\"unique\""
    ).fetchall()
    return {(row[0], row[1]) for row in rows}


def incompatibilities(before: Shape, after: Shape, new: set[tuple[str, str]]) -> Iterator[str]:
    """What the statements of a server that knows only the schema before would fail at."""
    for table, known in before.items():
        for column, (kind, _, _) in known.items():
            if after.get(table, {}).get(column, ("", False, False))[0] != kind:
                yield f"{table}.{column} is gone or has another type"
        for column, (_, is_required, has_default) in after.get(table, {}).items():
            if is_required and not has_default and not known.get(column, ("", False, False))[1]:
                yield f"{table}.{column} is required"
    for table, index in sorted(new):
        if table in before:
            yield f"{table} has the new unique index {index}"


def test_a_migration_adds_only_what_an_older_server_can_ignore(databases):
    """Or it says that it does not. So an older server works beside a newer one: its statements
    find their tables and columns, and its rows need no value that it does not know."""
    database = BlockingDatabase.at(databases.new("sqlite", untouched=True)[0])
    connection = database.dialect.connect()
    problems = []
    for migration in [*schema.as_of([schema.OF_0_3]), *schema.migrations()]:
        before, keys = shape(connection), unique_indexes(connection)
        database.dialect.begin_write(connection)
        schema.apply(connection, database.dialect, [migration])
        connection.execute("COMMIT")
        if not migration.must_be_known:
            new = unique_indexes(connection) - keys
            found = incompatibilities(before, shape(connection), new)
            problems += [f"{migration.number:04}: {problem}" for problem in found]
    connection.close()

    assert not problems, "\n".join(problems)


def test_incompatible_changes_are_noticed():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE soup (id INTEGER, salt TEXT, pepper TEXT)")
    before, keys = shape(connection), unique_indexes(connection)

    connection.execute("ALTER TABLE soup DROP COLUMN salt")
    connection.execute("ALTER TABLE soup ADD COLUMN hot INTEGER NOT NULL DEFAULT 1")
    connection.execute("CREATE UNIQUE INDEX soup_by_pepper ON soup (pepper)")
    connection.execute("CREATE TABLE bread (id INTEGER NOT NULL UNIQUE)")
    after = shape(connection)
    after["soup"]["bowl"] = ("TEXT", True, False)

    assert list(incompatibilities(before, after, unique_indexes(connection) - keys)) == [
        "soup.salt is gone or has another type",
        "soup.bowl is required",
        "soup has the new unique index soup_by_pepper",
    ]
