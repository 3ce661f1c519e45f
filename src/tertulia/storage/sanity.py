"""Questions about the data as a whole, asked by `tertulia check`; they look at every organization.

A table belongs into `REFERENCES` as soon as it refers to a row that belongs to somebody.
"""

from tertulia.storage.tx import Tx

# Table, column, and the table whose `id` it holds.
REFERENCES = (
    ("account", "bot_owner_id", "account"),
    ("user_group", "creator_id", "account"),
    ("user_group_member", "group_id", "user_group"),
    ("user_group_member", "user_id", "account"),
    ("user_group_subgroup", "group_id", "user_group"),
    ("user_group_subgroup", "subgroup_id", "user_group"),
    ("channel", "creator_id", "account"),
    ("channel", "first_message_id", "message"),
    ("subscription", "channel_id", "channel"),
    ("subscription", "user_id", "account"),
    ("subscription_span", "channel_id", "channel"),
    ("subscription_span", "user_id", "account"),
    ("conversation_member", "user_id", "account"),
    ("conversation_member", "conversation_id", "conversation"),
    ("message", "sender_id", "account"),
    ("message", "channel_id", "channel"),
    ("message", "conversation_id", "conversation"),
    ("message_flag", "user_id", "account"),
    ("message_flag", "message_id", "message"),
    ("unread", "user_id", "account"),
    ("user_topic", "user_id", "account"),
    ("user_topic", "channel_id", "channel"),
    ("send_key", "sender_id", "account"),
    ("send_key", "message_id", "message"),
    ("queue", "user_id", "account"),
    ("channel_folder", "creator_id", "account"),
    ("message_edit", "message_id", "message"),
    ("message_edit", "user_id", "account"),
    ("reaction", "message_id", "message"),
    ("reaction", "user_id", "account"),
    ("emoji", "author_id", "account"),
    ("user_status", "user_id", "account"),
    ("draft", "user_id", "account"),
    ("draft", "channel_id", "channel"),
    ("saved_snippet", "user_id", "account"),
    ("muted_user", "user_id", "account"),
    ("muted_user", "muted_id", "account"),
    ("alert_word", "user_id", "account"),
    ("presence", "user_id", "account"),
    ("profile_value", "user_id", "account"),
    ("profile_value", "field_id", "profile_field"),
    ("avatar", "user_id", "account"),
    ("scheduled_message", "owner_id", "account"),
    ("scheduled_message", "channel_id", "channel"),
    ("reminder", "owner_id", "account"),
    ("reminder", "message_id", "message"),
    ("bot", "user_id", "account"),
    ("bot", "sending_channel_id", "channel"),
    ("bot", "listening_channel_id", "channel"),
    ("bot_memory", "user_id", "account"),
)


def strays(tx: Tx) -> list[str]:
    """Rows that refer to a row of another organization, in words."""
    problems = []
    for table, column, target in REFERENCES:
        count = tx.value(
            f"SELECT count(*) AS value FROM {table} a JOIN {target} b ON b.id = a.{column}"
            " WHERE b.realm_id <> a.realm_id"
        )
        if count:
            problems.append(f"{count} in {table}.{column} refer to another organization's {target}")
    return problems


def log_problems(tx: Tx) -> list[str]:
    """Organizations without a log, and queues that wait beyond the end of theirs."""
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


def event_count(tx: Tx) -> int:
    return int(tx.value("SELECT count(*) AS value FROM event"))


def keys(tx: Tx) -> list[tuple[bytes, bytes]]:
    """The fingerprint and the sealed form of every key there is."""
    rows = tx.all("SELECT key_hash, key_sealed FROM account WHERE key_sealed IS NOT NULL")
    return [(bytes(row["key_hash"]), bytes(row["key_sealed"])) for row in rows]


def any_sealed_key(tx: Tx) -> bytes | None:
    sealed = tx.value(
        "SELECT key_sealed AS value FROM account WHERE key_sealed IS NOT NULL ORDER BY id LIMIT 1"
    )
    return None if sealed is None else bytes(sealed)


def has_people(tx: Tx) -> bool:
    """Whether anybody has an account; the bots that come with an organization do not count."""
    return tx.one("SELECT 1 AS found FROM account WHERE NOT is_system_bot LIMIT 1") is not None
