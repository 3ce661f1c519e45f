"""Domain model: nouns and rules, without database, network or clock."""

from tertulia.domain import (
    addresses,
    channels,
    emails,
    emoji,
    files,
    groups,
    html_tokens,
    inbound_mail,
    later,
    limits,
    mail_html,
    mail_text,
    messages,
    names,
    organization,
    people,
    personal,
    search,
    setting_values,
    version,
)
