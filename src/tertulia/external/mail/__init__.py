"""Mail: composing and sending it, receiving and parsing it."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.external.mail import lmtp, mail_composer, mail_parser, smtp
else:
    __getattr__ = on_demand(__name__)
