"""`tertulia check`: checks data and settings, changes nothing."""

import os
from typing import Any

import click

from tertulia.actions.data_check import CheckResult
from tertulia.checks import installation
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, show_json
from tertulia.config import Config

MAX_SHOWN = 10  # problems of one subject


@click.command()
@as_json
@config_options(for_serve=False)
def check(as_json: bool, **flags: Any) -> None:
    """Check the data and the settings for problems. Exits with 1 if there are any."""
    findings = installation.examine(Config.load(flags, os.environ))

    problems = sum(len(finding.problems) for finding in findings)
    if as_json:
        show_json({"ok": not problems, "findings": findings})
    else:
        for finding in findings:
            show(finding)
        click.echo(f"Problems found: {problems}." if problems else "No problems found.")
    if problems:
        raise click.exceptions.Exit(1)


def show(finding: CheckResult) -> None:
    click.echo(f"{finding.subject:<11} {finding.summary if not finding.problems else 'PROBLEMS'}")
    for problem in finding.problems[:MAX_SHOWN]:
        click.echo(f"{'':<11} - {problem}")
    if len(finding.problems) > MAX_SHOWN:
        click.echo(f"{'':<11} - and {len(finding.problems) - MAX_SHOWN} more")
