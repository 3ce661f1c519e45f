"""Nouns and rules: no database, no network, no clock."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.domain import (
        addresses,
        channels,
        files,
        groups,
        html_tokens,
        later,
        letters,
        limits,
        mail_html,
        mail_text,
        messages,
        names,
        organization,
        people,
        personal,
        received_mail,
        search,
        setting_values,
        version,
    )
else:
    __getattr__ = on_demand(__name__)
