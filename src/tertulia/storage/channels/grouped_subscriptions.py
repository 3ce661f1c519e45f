"""A user's subscriptions grouped by settings: of a thousand, few differ."""

from typing import Any, NamedTuple

import msgspec

from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Subscription


class AlikeSubscriptions(NamedTuple):
    """Channels, present or past, in which the user has the same settings."""

    active: bool
    personal: tuple[Any, ...]  # as in `Subscription.personal`
    channel_ids: list[int]

    @property
    def is_muted(self) -> bool:
        muted: bool = self.personal[1]
        return muted


def of_user(tx: Tx, user_id: int) -> list[AlikeSubscriptions]:
    """All rows of the user, past subscriptions included."""
    settings = ", ".join(Subscription._fields[3:])
    rows = tx.tuples(
        f"SELECT active, {tx.dialect.sql.joined_ids('channel_id')}, {settings} FROM subscription"
        f" WHERE user_id = :user AND realm_id = :realm GROUP BY active, {settings}",
        user=user_id,
    )
    return [
        AlikeSubscriptions(
            bool(active),
            (color, *[None if value is None else bool(value) for value in switches]),
            msgspec.json.decode(f"[{channels}]", type=list[int]),
        )
        for active, channels, color, *switches in rows
    ]
