"""Loads what the settings need of the large libraries, before anybody has to wait for it."""

from importlib import import_module

from tertulia import links
from tertulia.config import Config

# What the library for HTTP would load while somebody waits for its first answer.
NEEDED_TO_ASK = ("httpcore", "anyio._backends._asyncio", "encodings.idna")


def load(config: Config) -> None:
    """Most servers need none of them."""
    if config.ldap:
        _ = links.ldap, links.introductions
    if config.openid or config.saml or config.remote_user or config.jwt:
        _ = links.tokens, links.introductions
    if config.saml:
        _ = links.saml, links.saml_logout
    if config.s3_bucket:
        _ = links.stores.s3
        import_module("httpcore")
        links.web.certificates("")
    if config.openid:
        _ = links.github, links.openid
        for name in NEEDED_TO_ASK:
            import_module(name)
        for provider in config.openid:
            links.web.certificates(provider.ca_file)
