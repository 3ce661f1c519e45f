"""Login providers: OpenID Connect, SAML, LDAP, GitHub, JWT, passkeys."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.external.sso import (
        claims,
        github,
        jwt,
        ldap,
        openid,
        passkeys,
        provider_http,
        provider_types,
        saml,
        saml_logout,
    )
else:
    __getattr__ = lazy_submodules(__name__)
