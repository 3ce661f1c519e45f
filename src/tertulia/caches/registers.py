"""Register cache: the encoded subscriptions and unread messages of recent registers.

A thousand subscriptions and ten thousand unread messages take longer to prepare than everything
else in a register. They change only with an event that invalidates permits or with the set of
unread messages; the transaction of the register checks both (`events/snapshot/register.py`).
"""

from typing import Any

from tertulia.caches.cache import EntryCache

# The organization, the user, and whether the client supports topics without a name.
Key = tuple[int, int, bool]


class RegisterCache(EntryCache[Key, Any]):
    """A user with a thousand channels takes some 150 kB."""

    name = "registers"

    def drop_organization(self, realm_id: int, seq: int) -> None:
        for key in [key for key in self._entries if key[0] == realm_id]:
            del self._entries[key]
