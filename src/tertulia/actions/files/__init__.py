"""Files that arrive, and who may read them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.actions.files import attachments, upload
else:
    __getattr__ = on_demand(__name__)
