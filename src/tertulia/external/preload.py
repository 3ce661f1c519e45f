"""Imports the large libraries that the settings require at the start, so that no request waits for
it."""

from importlib import import_module

from tertulia import external
from tertulia.config import Config

# What the HTTP library would import during the first request.
NEEDED_TO_ASK = ("httpcore", "anyio._backends._asyncio", "encodings.idna")


def load(config: Config) -> None:
    if config.ldap:
        _ = external.sso.ldap, external.sso.claims
    if config.openid or config.saml or config.remote_user or config.jwt:
        _ = external.sso.jwt, external.sso.claims
    if config.saml:
        _ = external.sso.saml, external.sso.saml_logout
    if config.s3_bucket:
        _ = external.stores.s3
        import_module("httpcore")
        external.sso.provider_http.certificates("")
    if config.openid:
        _ = external.sso.github, external.sso.openid
        for name in NEEDED_TO_ASK:
            import_module(name)
        for provider in config.openid:
            external.sso.provider_http.certificates(provider.ca_file)
