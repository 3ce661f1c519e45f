"""The search engine: an index of words of our own, the same on both databases."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.storage.search import (
        batch,
        changes,
        finding,
        index,
        joints,
        segments,
        signatures,
        texts,
    )
else:
    __getattr__ = on_demand(__name__)
