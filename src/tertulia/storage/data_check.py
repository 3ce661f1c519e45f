"""Queries over all organizations for `tertulia check`."""

from tertulia.database.tx import Tx
from tertulia.domain.people.user import Role

# Table, column, and the table whose `id` it holds, where the schema has no foreign key: the row
# that it refers to may be deleted first.
UNDECLARED = (
    ("audit_entry", "actor_id", "account"),
    ("push_notice", "message_id", "message"),
    ("realm_export", "attachment_id", "attachment"),
    ("channel", "first_message_id", "message"),
    ("channel", "folder_id", "channel_folder"),
    ("deleted_message", "origin_channel_id", "channel"),
    ("deleted_message_file", "attachment_id", "attachment"),
    ("message", "origin_channel_id", "channel"),
    ("message_edit", "channel_id", "channel"),
    ("message_edit", "prev_channel_id", "channel"),
    ("search_document", "message_id", "message"),
    ("search_posting", "word_id", "search_word"),
    ("search_signature", "message_id", "message"),
    ("search_stale", "message_id", "message"),
    ("send_key", "message_id", "message"),
    ("topic_edit", "channel_id", "channel"),
    ("topic_edit", "prev_channel_id", "channel"),
)


def references(tx: Tx) -> list[tuple[str, str, str]]:
    """Every column that holds the `id` of another row: table, column, and the other table."""
    rows = tx.all(tx.dialect.sql.declared_references)
    declared = [(row["table_name"], row["column_name"], row["target"]) for row in rows]
    return sorted([each for each in declared if each[2] != "realm"] + list(UNDECLARED))


def foreign_references(tx: Tx) -> list[str]:
    """Rows that refer to a row of another organization, as texts."""
    problems = []
    for table, column, target in references(tx):
        count = tx.value(
            f"SELECT count(*) AS value FROM {table} a JOIN {target} b ON b.id = a.{column}"
            " WHERE b.realm_id <> a.realm_id"
        )
        if count:
            problems.append(f"{count} in {table}.{column} refer to another organization's {target}")
    return problems


def log_problems(tx: Tx) -> list[str]:
    """Organizations without a log, and queues with positions beyond the end of their log."""
    problems = []
    silent = tx.value(
        "SELECT count(*) AS value FROM realm r LEFT JOIN log_head h ON h.realm_id = r.id"
        " WHERE h.realm_id IS NULL"
    )
    ahead = tx.value(
        "SELECT count(*) AS value FROM queue q JOIN log_head h ON h.realm_id = q.realm_id"
        " WHERE q.start_seq > h.seq"
    )
    if silent:
        problems.append(f"{silent} organizations have no log")
    if ahead:
        problems.append(f"{ahead} event queues begin after the end of the log")
    return problems


# Inconsistencies of the search index of all organizations, each as a query that counts them.
_SEARCH_PROBLEMS = {
    "{} messages that are gone are still in the search index": (
        "SELECT count(*) AS value FROM search_document d"
        " LEFT JOIN message m ON m.id = d.message_id"
        " LEFT JOIN search_stale s ON s.realm_id = d.realm_id AND s.message_id = d.message_id"
        " WHERE m.id IS NULL AND s.message_id IS NULL"
    ),
    "{} messages are missing in the search index": (
        "SELECT count(*) AS value FROM message m"
        " JOIN search_head h ON h.realm_id = m.realm_id AND m.id <= h.indexed_to"
        " LEFT JOIN search_document d ON d.message_id = m.id"
        " LEFT JOIN search_stale s ON s.realm_id = m.realm_id AND s.message_id = m.id"
        " WHERE d.message_id IS NULL AND s.message_id IS NULL"
    ),
    "{} words in the search index are unknown": (
        "SELECT count(*) AS value FROM search_posting p"
        " LEFT JOIN search_word w ON w.id = p.word_id WHERE w.id IS NULL"
    ),
    "{} messages have joints in the search index that it does not know": (
        "SELECT count(*) AS value FROM search_document d WHERE length(d.joints) > 0"
        " AND NOT EXISTS (SELECT 1 FROM search_joint j WHERE j.realm_id = d.realm_id"
        " AND j.segment = d.message_id >> 16)"
    ),
    "{} messages have a signature in the search index, but are not in it": (
        "SELECT count(*) AS value FROM search_signature s LEFT JOIN search_document d"
        " ON d.message_id = s.message_id WHERE s.part IN (0, 64, 96, 112, 120, 124, 126)"
        " AND d.message_id IS NULL"
    ),
    "{} words of the search index are in no message": (
        "SELECT count(*) AS value FROM search_word"
        " WHERE id NOT IN (SELECT word_id FROM search_posting)"
    ),
}


def search_problems(tx: Tx) -> list[str]:
    """Differences between the search index and the messages."""
    counts = {words: tx.value(sql) for words, sql in _SEARCH_PROBLEMS.items()}
    return [words.format(count) for words, count in counts.items() if count]


def search_counts(tx: Tx) -> tuple[int, int]:
    """The number of indexed messages, and of their words."""
    messages = tx.value("SELECT count(*) AS value FROM search_document")
    words = tx.value("SELECT count(*) AS value FROM search_word")
    return int(messages), int(words)


# Inconsistencies of uploaded files of all organizations, each as a query that counts them.
_FILE_PROBLEMS = {
    "{} files are not as long as they should be": (
        "SELECT count(*) AS value FROM attachment a JOIN upload u ON u.id = a.upload_id"
        " WHERE u.place = '' AND a.size <> (SELECT"
        " coalesce(sum(length(p.data)), 0) FROM upload_piece p WHERE p.upload_id = u.id)"
    ),
    "{} stored files have no attachment": (
        "SELECT count(*) AS value FROM upload u WHERE u.touched_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM attachment a WHERE a.upload_id = u.id)"
        " AND NOT EXISTS (SELECT 1 FROM deleted_attachment a WHERE a.upload_id = u.id)"
    ),
    "{} organizations have miscounted their files": (
        "SELECT count(*) AS value FROM realm r WHERE r.upload_bytes <>"
        " (SELECT coalesce(sum(a.size), 0) FROM attachment a WHERE a.realm_id = r.id)"
    ),
    "the files of {} people are miscounted": (
        "SELECT count(*) AS value FROM account u WHERE u.upload_bytes <>"
        " (SELECT coalesce(sum(a.size), 0) FROM attachment a WHERE a.owner_id = u.id)"
    ),
}


def file_problems(tx: Tx) -> list[str]:
    """Differences between uploaded files and their records."""
    counts = {words: tx.value(sql) for words, sql in _FILE_PROBLEMS.items()}
    return [words.format(count) for words, count in counts.items() if count]


def file_counts(tx: Tx) -> tuple[int, int]:
    """The number of files, and of their bytes."""
    files = tx.value("SELECT count(*) AS value FROM attachment")
    size = tx.value("SELECT coalesce(sum(size), 0) AS value FROM attachment")
    return int(files), int(size)


def event_count(tx: Tx) -> int:
    return tx.number("SELECT count(*) AS value FROM event")


def keys(tx: Tx) -> list[tuple[bytes, bytes]]:
    """The fingerprint and the sealed form of every key."""
    rows = tx.all("SELECT key_hash, key_sealed FROM account WHERE key_sealed IS NOT NULL")
    return [(bytes(row["key_hash"]), bytes(row["key_sealed"])) for row in rows]


def any_sealed_key(tx: Tx) -> bytes | None:
    sealed = tx.value(
        "SELECT key_sealed AS value FROM account WHERE key_sealed IS NOT NULL ORDER BY id LIMIT 1"
    )
    return None if sealed is None else bytes(sealed)


def has_owner(tx: Tx) -> bool:
    """Whether an organization has an active owner."""
    owner = tx.one(
        "SELECT 1 AS found FROM account"
        " WHERE role = :owner AND is_active AND bot_type IS NULL LIMIT 1",
        owner=int(Role.OWNER),
    )
    return owner is not None


def has_people(tx: Tx) -> bool:
    """Whether there is an account; system bots do not count."""
    return tx.one("SELECT 1 AS found FROM account WHERE NOT is_system_bot LIMIT 1") is not None
