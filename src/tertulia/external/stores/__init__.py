"""File stores outside of the database.

A store knows names and bytes. All calls block, so they are made on threads and in commands, never
on the event loop.
"""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external.stores import file_stores, folder, s3, signing, store
else:
    __getattr__ = lazy_submodules(__name__)
