"""Domain model: nouns and rules, without database, network or clock."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
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
else:
    __getattr__ = lazy_submodules(__name__)
