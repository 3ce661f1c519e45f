"""Notifications of messages by mail, in browsers and on phones."""

from tertulia.features.notifications import (
    devices,
    endpoints,
    log_reader,
    mails,
    missed_messages,
    push_servers,
    receivers,
    sender,
)
