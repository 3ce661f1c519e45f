"""What happens every minute or so; each module is one job, and says how it is done."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.jobs import (
        carrying,
        counting,
        devices,
        digests,
        directories,
        disk,
        each,
        housekeeping,
        letters,
        missed,
        phones,
        preparing,
        presence,
        push_words,
        pushing,
        rerendering,
        runner,
        searching,
        sending,
        webhook_calls,
    )
else:
    __getattr__ = on_demand(__name__)
