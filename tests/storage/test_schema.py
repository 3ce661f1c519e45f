"""Rules of the schema: a new table that breaks one fails here with a reason."""

from collections import Counter

from tertulia import storage
from tertulia.database import Database, schema
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft

WITHOUT_AN_ORGANIZATION = {
    "schema_version",
    "schema_change",
    "realm",
    "sqlite_sequence",
    "server_note",
}

# Positions; no row needs to have that id.
PLACES = {"closed_message_id", "start_message_id", "end_message_id", "update_id"}

# These are deleted by more than a statement, before the message.
DELETED_BY_ACTIONS = {"reminder"}

A_NEW_MESSAGE = storage.messages.new_row(1, Draft("", "", 0, "", False), 2, None, "lunch")
GIVEN_BY_SENDING = {"id", "realm_id", "sent_at"}
GIVEN_LATER = {"arrived_seq", "closed_seq", "edited_at", "moved_at"}


def columns(database: Database) -> list[tuple[str, str]]:
    def read(tx: Tx) -> list[tuple[str, str]]:
        rows = tx.all(
            "SELECT m.name AS table_name, i.name AS column_name FROM sqlite_master m"
            " JOIN pragma_table_info(m.name) i WHERE m.type = 'table' AND i.type <> 'TEXT'"
        )
        return [(row["table_name"], row["column_name"]) for row in rows]

    return database.read_now(0, read)


def test_migration_numbers_are_unique():
    counted = Counter(each.number for each in schema.migrations())

    twice = [f"Two migrations are called {n:04}." for n, count in counted.items() if count > 1]
    assert not twice, "\n".join(twice)


def test_every_table_has_the_organization_of_a_row(on_sqlite):
    found = columns(on_sqlite)

    tables = {table for table, _ in found} - WITHOUT_AN_ORGANIZATION
    lacking = [
        f"The table {table} has no realm_id."
        for table in sorted(tables)
        if (table, "realm_id") not in found
    ]
    assert not lacking, "\n".join(lacking)


def test_check_knows_what_every_id_refers_to(on_sqlite):
    known = {each[:2] for each in on_sqlite.read_now(0, storage.data_check.references)}

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
    known = database.read_now(0, storage.data_check.references)

    assert known == on_sqlite.read_now(0, storage.data_check.references)
    assert ("message", "sender_id", "account") in known


def test_every_field_of_a_message_is_a_written_column(on_sqlite):
    """Except those that are assigned when sending or later."""
    rows = on_sqlite.read_now(0, lambda tx: tx.all("SELECT name FROM pragma_table_info('message')"))
    there = {row["name"] for row in rows}
    written = {*A_NEW_MESSAGE, *GIVEN_BY_SENDING, *GIVEN_LATER}

    lacking = [
        f"The table message has no {name}: a migration adds it."
        for name in {*storage.messages.NAMES, *written}
        if name not in there
    ] + [
        f"Nobody writes message.{name}: storage.messages.of_words or new_row says what it is."
        for name in there - written
    ]
    assert not lacking, "\n".join(lacking)


def test_every_column_of_a_message_is_read():
    names = storage.messages.NAMES

    read = storage.messages.as_message(dict.fromkeys(names, 7) | {"member_ids": None})

    unread = [f"storage.messages.as_message forgets {n}." for n in names if not getattr(read, n)]
    assert not unread, "\n".join(unread)


def test_every_column_of_a_new_message_has_a_type_in_postgresql():
    untyped = A_NEW_MESSAGE.keys() - storage.messages.fast_insert.TYPES.keys()

    assert not untyped, f"Name the types of {untyped} in storage/messages/fast_insert.py, TYPES."


def test_rows_about_a_message_are_deleted_with_it(on_sqlite):
    declared = on_sqlite.read_now(0, lambda tx: tx.all(tx.dialect.declared_references))

    about = {row["table_name"] for row in declared if row["target"] == "message"}
    staying = [
        f"The rows of {table} stay when their message is deleted:"
        " name it in storage.messages.GOES_WITH_A_MESSAGE."
        for table in sorted(about - DELETED_BY_ACTIONS - {*storage.messages.GOES_WITH_A_MESSAGE})
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
