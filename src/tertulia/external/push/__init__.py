"""Push notifications: browsers, and the push service of the phone apps."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external.push import push_service, web_push
else:
    __getattr__ = lazy_submodules(__name__)
