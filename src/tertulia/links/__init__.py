"""What speaks to other machines. Never called by actions: no transaction waits for a network."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.links import (
        answers,
        calls,
        external_pictures,
        github,
        guarded,
        introductions,
        ldap,
        lmtp,
        loading,
        openid,
        passkeys,
        push_service,
        reading,
        saml,
        saml_logout,
        smtp,
        stores,
        tokens,
        web,
        web_push,
        writing,
    )
else:
    __getattr__ = on_demand(__name__)
