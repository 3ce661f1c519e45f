"""Clients of other machines: SSO, mail, push, file stores, HTTP. Actions never call them, so no
transaction waits for a network."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external import (
        external_pictures,
        mail,
        preload,
        push,
        safe_http,
        sso,
        stores,
        video_calls,
    )
else:
    __getattr__ = lazy_submodules(__name__)
