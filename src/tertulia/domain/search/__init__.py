"""Search: words, queries and highlighting."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.search import highlight, query, signature, words
else:
    __getattr__ = lazy_submodules(__name__)
