"""The search engine: an index of words of our own, the same on both databases."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

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
    __getattr__ = lazy_submodules(__name__)
