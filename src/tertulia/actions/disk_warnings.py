"""Warnings to the owners of every organization that a disk is nearly full."""

from tertulia import domain, storage
from tertulia.actions.messages import notices
from tertulia.database.tx import Tx

WARNING_INTERVAL_SECONDS = 86400


def claim(tx: Tx) -> bool:
    """Whether this server sends the warning: only one server does, once a day."""
    last = storage.server_values.find(tx, storage.server_values.DISK_WARNING)
    if last is not None and tx.now - float(last) < WARNING_INTERVAL_SECONDS:
        return False
    storage.server_values.store(tx, storage.server_values.DISK_WARNING, str(tx.now))
    return True


def warn_owners(tx: Tx, folder: str, free_bytes: int, total_bytes: int) -> None:
    words = domain.messages.notices.disk_nearly_full(folder, free_bytes, total_bytes)
    for user_id in storage.people.users.active_owner_ids(tx):
        notices.send_to_user(tx, user_id, words)
