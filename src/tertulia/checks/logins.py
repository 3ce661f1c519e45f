"""For `tertulia check`: whether login providers and the mail server work."""

import asyncio
from collections.abc import Collection
from pathlib import Path

from tertulia.actions.data_check import CheckResult
from tertulia.config import Config, Provider
from tertulia.config.login_providers import JwtIssuer, LdapDirectory, OpenIdProvider, SamlProvider
from tertulia.external.mail import smtp
from tertulia.external.mail.smtp import SendFailed
from tertulia.external.sso.provider_types import LdapError, ProviderError

NO_DOMAIN = "@tertulia.invalid"  # the default without external_url


def examine(config: Config, subdomains: Collection[str]) -> CheckResult:
    """`subdomains` are those of all organizations."""
    problems = []
    for provider in config.providers:
        named = f"[[{provider.TABLE}]] {provider.label}"
        problems += [f"{named}: {problem}" for problem in _problems(config, provider, subdomains)]
    problems += _shared_addresses(config, subdomains)
    problems += _mail_problems(config)
    count = len(config.providers)
    summary = f"{count or 'no'} login providers besides local passwords"
    return CheckResult("logging in", "; ".join([summary, *map(_meaning, config.ldap)]), problems)


def _meaning(directory: LdapDirectory) -> str:
    """The effect of the settings on users who are deleted from the directory."""
    named = f"[[ldap]] {directory.label}"
    if not directory.sync_minutes:
        when = "are noticed only by `tertulia ldap sync` (sync_minutes = 0)"
    else:
        when = f"are noticed within {directory.sync_minutes} minutes (sync_minutes)"
    if directory.deactivate_missing:
        return f"{named}: users deleted there {when} and deactivated here (deactivate_missing)"
    return (
        f"{named}: users deleted there keep account, sessions and API key here"
        f" (deactivate_missing is off); disabled ones {when}"
    )


def _shared_addresses(config: Config, subdomains: Collection[str]) -> list[str]:
    """Providers of one organization that share a redirect URI by their settings."""
    shared: dict[str, None] = {}
    for subdomain in subdomains:
        here = [each for each in config.openid if each.is_for(subdomain)]
        sharing = [each.label for each in here if each.return_path(here) == "/complete/oidc/"]
        if len(sharing) > 1:
            names = ", ".join(sharing)
            shared[f"[[openid]] {names}: they share a redirect URI; set return_address"] = None
    return list(shared)


def _mail_problems(config: Config) -> list[str]:
    """Problems with the mail server, if one is configured."""
    if not config.sends_mail:
        return []
    problems = []
    if config.sender.endswith(NO_DOMAIN):
        problems.append(f"mail: the sender is {config.sender}; set external_url or smtp_from")
    try:
        asyncio.run(_reach_mail_server(config))
    except SendFailed as trouble:
        problems.append(f"mail: {config.smtp_host}:{config.smtp_port} cannot be used: {trouble}")
    return problems


async def _reach_mail_server(config: Config) -> None:
    async with smtp.connect(config):
        pass


def _problems(config: Config, provider: Provider, subdomains: Collection[str]) -> list[str]:
    problems = [
        f"no organization has the subdomain '{each}'"
        for each in provider.organizations
        if each not in subdomains
    ]
    if provider.TABLE == "remote_user" and not config.trusted_proxies:
        problems.append("without trusted_proxies the server accepts the header from no one")
    return problems + _trouble(provider)


def _trouble(provider: Provider) -> list[str]:
    """Connect to the provider and return the problem, if any."""
    # Each library is imported only where it is configured: some are optional.
    try:
        file = getattr(provider, "ca_file", "")
        if file and not Path(file).is_file():
            return [f"the file {file} does not exist"]
        if isinstance(provider, LdapDirectory):
            from tertulia.external.sso import ldap

            ldap.check(provider)
        elif isinstance(provider, SamlProvider):
            from tertulia.external.sso import saml

            saml.check_certificates(provider)
        elif isinstance(provider, JwtIssuer):
            from tertulia.external.sso import jwt

            jwt.check_key(provider)
        elif isinstance(provider, OpenIdProvider):
            from tertulia.external.sso import github, openid

            is_github = provider.preset == "github"
            check_provider = github.check if is_github else openid.discover
            asyncio.run(check_provider(provider))
    except (LdapError, ProviderError) as trouble:
        return [f"it is not available: {trouble}"]
    return []
