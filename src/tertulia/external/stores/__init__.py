"""Stores outside of the database, in which uploaded files may be kept.

A store knows names and bytes and nothing else. All of this waits for a disk or a network, so it is
called on threads and by commands, never on the loop.
"""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external.stores import file_stores, folder, s3, signing, store
else:
    __getattr__ = lazy_submodules(__name__)
