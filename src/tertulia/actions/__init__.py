"""Actions of users: one function, one transaction."""

from tertulia.actions import (
    acme,
    channels,
    data_check,
    disk_warnings,
    files,
    groups,
    housekeeping,
    inbound_mail,
    mail_addresses,
    mail_outbox,
    messages,
    organization,
    outbox,
    people,
    personal,
    queues,
    server_status,
)
