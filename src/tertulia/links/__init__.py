"""What speaks to other machines. Never called by actions: no transaction waits for a network."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.links import (
        answers,
        github,
        guarded,
        introductions,
        ldap,
        loading,
        openid,
        saml,
        smtp,
        tokens,
        web,
        web_push,
        writing,
    )
else:
    __getattr__ = on_demand(__name__)
