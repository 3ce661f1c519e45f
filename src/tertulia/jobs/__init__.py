"""Background jobs: one module per job. `runner.py` repeats them, `app.py` lists them."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.jobs import (
        cache_warmup,
        devices,
        digests,
        disk,
        for_each,
        housekeeping,
        ldap_sync,
        mail_sender,
        missed_messages,
        mobile_push,
        presence,
        push_payload,
        push_sender,
        rerender,
        runner,
        scheduled_sender,
        search_indexer,
        table_counts,
        upload_migration,
        webhook_sender,
    )
else:
    __getattr__ = lazy_submodules(__name__)
