"""How SQLite spells what the two databases write differently."""

from collections.abc import Mapping

types: Mapping[str, str] = {
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
    # AUTOINCREMENT writes one more page for every row, which is too expensive for messages.
    "numbered": "INTEGER PRIMARY KEY",
    "blob": "BLOB",
    "bytewise": "",  # lower() changes only ASCII letters
    "clustered": " WITHOUT ROWID",
    "json_object": "json_object",
    "json_array": "json_group_array",
    "text_of": "group_concat",
    "random_id": "lower(hex(randomblob(16)))",
}
declared_references = (
    'SELECT m.name AS table_name, f."from" AS column_name, f."table" AS target'
    " FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'"
)
columns = (
    "SELECT m.name AS table_name, c.name AS column_name, c.type AS type FROM sqlite_master m"
    " JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
    " ORDER BY m.name, c.cid"
)
next_message_id = (
    "(SELECT 1 + max(coalesce((SELECT max(id) FROM message), 0),"
    " coalesce((SELECT max(newest) FROM newest_deleted_message), 0)))"
)
version = "SELECT 'SQLite ' || sqlite_version() AS value"
size = "SELECT page_count * page_size AS value FROM pragma_page_count(), pragma_page_size()"
row_lock = ""  # SQLite has one writer
writes_in_queries = False


def joined_ids(column: str) -> str:
    return f"group_concat({column})"


def lower(text: str) -> str:
    return f"lower({text})"


def floor(number: str) -> str:
    return f"CAST({number} AS INTEGER)"


def byte_length(column: str) -> str:
    return f"length(CAST({column} AS BLOB))"


def beside(group: str, value: str, sign: str, bound: str) -> str:
    return f"{group} = {value} AND id {sign} {bound}"
