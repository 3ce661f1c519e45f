"""The search engine: an index of words of our own, the same on both databases."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.storage.search import (
        batch,
        changes,
        execution,
        index,
        phrase_filter,
        segments,
        signatures,
        texts,
    )
else:
    __getattr__ = on_demand(__name__)
