"""The SQL and nothing but: plain values in, plain values out."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.storage import (
        bulk_import,
        channels,
        creation_counts,
        data_check,
        due_jobs,
        erasure,
        export_queries,
        files,
        groups,
        housekeeping_queries,
        inbound_mail,
        later,
        log,
        mail_outbox,
        messages,
        nonempty_tables,
        organization,
        page_cache,
        people,
        personal,
        queues,
        reencryption,
        row_mapper,
        search,
        server_notes,
        table_copy,
        table_counts,
    )
else:
    __getattr__ = lazy_submodules(__name__)
