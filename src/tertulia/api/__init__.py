"""The endpoints, by subject: the signature is the contract. `routes` is the map of them all."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.api import (
        acting,
        admission,
        browsers,
        call,
        channels,
        events,
        examples,
        files,
        groups,
        integrations,
        later,
        messages,
        organization,
        outgoing_calls,
        people,
        permission_values,
        personal,
        recording,
        requirements,
        setting_values,
        state,
        words,
    )
else:
    __getattr__ = on_demand(__name__)
