"""Mail: composing and sending it, receiving and parsing it."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external.mail import lmtp, mail_composer, mail_parser, smtp
else:
    __getattr__ = lazy_submodules(__name__)
