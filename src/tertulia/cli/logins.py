"""Whether those who vouch for people can be asked, for `tertulia check`."""

import asyncio
from collections.abc import Collection
from pathlib import Path

from tertulia import links
from tertulia.actions.checking import Finding
from tertulia.config import Config, LdapDirectory, OpenIdProvider, Provider, SamlProvider
from tertulia.links.answers import DirectoryTrouble, ProviderTrouble


def examine(config: Config, subdomains: Collection[str]) -> Finding:
    """`subdomains` are those of the organizations that there are."""
    problems = []
    for provider in config.providers:
        named = f"[[{provider.TABLE}]] {provider.called}"
        problems += [f"{named}: {problem}" for problem in _problems(config, provider, subdomains)]
    count = len(config.providers)
    return Finding("logging in", f"{count or 'no'} other ways than a password kept here", problems)


def _problems(config: Config, provider: Provider, subdomains: Collection[str]) -> list[str]:
    problems = [
        f"there is no organization at the subdomain '{each}'"
        for each in provider.organizations
        if each not in subdomains
    ]
    if provider.TABLE == "remote_user" and not config.trusted_proxies:
        problems.append("without trusted_proxies nobody's header is believed")
    return problems + _trouble(provider)


def _trouble(provider: Provider) -> list[str]:
    """What goes wrong when it is asked."""
    try:
        file = getattr(provider, "ca_file", "")
        if file and not Path(file).is_file():
            return [f"there is no file {file}"]
        if isinstance(provider, LdapDirectory):
            links.ldap.try_out(provider)
        elif isinstance(provider, SamlProvider):
            links.saml.check_certificates(provider)
        elif isinstance(provider, OpenIdProvider) and provider.preset != "github":
            asyncio.run(links.openid.describe(provider))
    except (DirectoryTrouble, ProviderTrouble) as trouble:
        return [f"it cannot be asked: {trouble}"]
    return []
