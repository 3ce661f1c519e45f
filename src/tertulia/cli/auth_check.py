"""Whether those who vouch for people can be asked, for `tertulia check`."""

from collections.abc import Collection
from pathlib import Path

from tertulia import external
from tertulia.actions.data_check import DataProblem
from tertulia.config import Config, Provider
from tertulia.config.login_providers import JwtIssuer, LdapDirectory, OpenIdProvider, SamlProvider
from tertulia.external.mail.smtp import NotSent
from tertulia.external.sso.provider_types import DirectoryTrouble, ProviderTrouble
from tertulia.lazy import asyncio

NO_DOMAIN = "@tertulia.invalid"  # where we know of no domain of ours


def examine(config: Config, subdomains: Collection[str]) -> DataProblem:
    """`subdomains` are those of the organizations that there are."""
    problems = []
    for provider in config.providers:
        named = f"[[{provider.TABLE}]] {provider.called}"
        problems += [f"{named}: {problem}" for problem in _problems(config, provider, subdomains)]
    problems += _shared_addresses(config, subdomains)
    problems += _mail_problems(config)
    count = len(config.providers)
    summary = f"{count or 'no'} other ways than a password kept here"
    return DataProblem("logging in", "; ".join([summary, *map(_meaning, config.ldap)]), problems)


def _meaning(directory: LdapDirectory) -> str:
    """What a directory's settings mean for people who are deleted there."""
    named = f"[[ldap]] {directory.called}"
    if not directory.sync_minutes:
        when = "are noticed by `tertulia ldap sync` alone (sync_minutes = 0)"
    else:
        when = f"are noticed within {directory.sync_minutes} minutes (sync_minutes)"
    if directory.deactivate_missing:
        return f"{named}: people deleted there {when} and deactivated here (deactivate_missing)"
    return (
        f"{named}: people deleted there keep account, sessions and key here"
        f" (deactivate_missing is off); disabled ones {when}"
    )


def _shared_addresses(config: Config, subdomains: Collection[str]) -> list[str]:
    """Providers that a setting has come back to one address, in the same organization."""
    shared: dict[str, None] = {}
    for subdomain in subdomains:
        here = [each for each in config.openid if each.is_for(subdomain)]
        sharing = [each.called for each in here if each.return_path(here) == "/complete/oidc/"]
        if len(sharing) > 1:
            names = ", ".join(sharing)
            shared[f"[[openid]] {names}: they share a return address; set return_address"] = None
    return list(shared)


def _mail_problems(config: Config) -> list[str]:
    """Whether mails can be handed over, where they are to be."""
    if not config.sends_mail:
        return []
    problems = []
    if config.sender.endswith(NO_DOMAIN):
        problems.append(f"mail: it comes from {config.sender}; set external_url or smtp_from")
    try:
        asyncio.run(_reach_mail_server(config))
    except NotSent as trouble:
        problems.append(f"mail: {config.smtp_host}:{config.smtp_port} cannot be used: {trouble}")
    return problems


async def _reach_mail_server(config: Config) -> None:
    async with external.mail.smtp.connected(config):
        pass


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
            external.sso.ldap.try_out(provider)
        elif isinstance(provider, SamlProvider):
            external.sso.saml.check_certificates(provider)
        elif isinstance(provider, JwtIssuer):
            external.sso.jwt.check_key(provider)
        elif isinstance(provider, OpenIdProvider):
            is_github = provider.preset == "github"
            ask = external.sso.github.try_out if is_github else external.sso.openid.describe
            asyncio.run(ask(provider))
    except (DirectoryTrouble, ProviderTrouble) as trouble:
        return [f"it cannot be asked: {trouble}"]
    return []
