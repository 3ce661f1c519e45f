"""Imports the large libraries that the settings require at the start, so that no request waits for
it."""

from contextlib import suppress
from importlib import import_module

from tertulia.config import Config
from tertulia.external.sso.provider_types import ProviderError

# What the HTTP library would import during the first request.
REQUEST_MODULES = ("httpcore", "anyio._backends._asyncio", "encodings.idna")


def load(config: Config) -> None:
    if config.ldap:
        from tertulia.external.sso import ldap  # noqa: F401
    if config.openid or config.saml or config.remote_user or config.jwt:
        from tertulia.external.sso import jwt  # noqa: F401
    if config.saml:
        from tertulia.external.sso import saml, saml_logout  # noqa: F401
    if config.s3_bucket:
        from tertulia.external.sso import provider_http
        from tertulia.external.stores import s3  # noqa: F401

        import_module("httpcore")
        provider_http.tls_context("")
    if config.openid:
        from tertulia.external.sso import github, openid, provider_http  # noqa: F401

        for name in REQUEST_MODULES:
            import_module(name)
        for provider in config.openid:
            with suppress(ProviderError):  # a missing file is reported by each login
                provider_http.tls_context(provider.ca_file)
