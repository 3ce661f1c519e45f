"""`tertulia check`: checks data and settings, changes nothing."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from tertulia import actions, data_dir, storage
from tertulia.actions.data_check import DataProblem
from tertulia.cli import auth_check, incomplete_settings, stores
from tertulia.cli.data import as_json, show_json
from tertulia.cli.flags import config_options
from tertulia.config import Config
from tertulia.database import Database, error_text, schema
from tertulia.database.schema import Standing
from tertulia.database.tx import Tx

MAX_SHOWN = 10  # problems of one subject


@click.command()
@as_json
@config_options(for_serve=False)
def check(as_json: bool, **flags: Any) -> None:
    """Check the data and the settings for problems. Exits with 1 if there are any."""
    findings = examine(Config.load(flags, os.environ))

    problems = sum(len(finding.problems) for finding in findings)
    if as_json:
        show_json({"ok": not problems, "findings": findings})
    else:
        for finding in findings:
            show(finding)
        click.echo(f"Problems found: {problems}." if problems else "No problems found.")
    if problems:
        raise click.exceptions.Exit(1)


def examine(config: Config) -> list[DataProblem]:
    database = data_dir.find_database(config)
    schema = database.schema()
    findings = [_schema(schema), _integrity(config, database), *incomplete_settings.examine(config)]
    if schema.missing():
        findings.append(DataProblem("data", "not checked: the schema is out of date"))
    else:
        vault = data_dir.load_vault(config)
        for subject, look in actions.data_check.subjects(vault).items():
            findings += _readable(subject, partial(_examined, database, look))
        findings += _readable("stores", lambda: stores.examine(config, database))
        findings += _readable("logins", lambda: [_logins(config, database)])
    return findings


def _readable(subject: str, look: Callable[[], list[DataProblem]]) -> list[DataProblem]:
    """Run one check; a damaged database fails this check, not the others."""
    try:
        return look()
    except Exception as error:
        reason = error_text.describe(error)
        if reason is None:
            raise
        return [DataProblem(subject, "", [f"could not be checked. {reason}"])]


def _examined(database: Database, look: Callable[[Tx], DataProblem]) -> list[DataProblem]:
    return [database.read_now(0, look)]


def _logins(config: Config, database: Database) -> DataProblem:
    known = database.read_now(0, storage.organization.list_all)
    return auth_check.examine(config, [realm.subdomain for realm in known])


def show(finding: DataProblem) -> None:
    click.echo(f"{finding.subject:<11} {finding.summary if not finding.problems else 'PROBLEMS'}")
    for problem in finding.problems[:MAX_SHOWN]:
        click.echo(f"{'':<11} - {problem}")
    if len(finding.problems) > MAX_SHOWN:
        click.echo(f"{'':<11} - and {len(finding.problems) - MAX_SHOWN} more")


def _schema(standing: Standing) -> DataProblem:
    known = schema.latest()
    if standing.is_too_new:
        refusal = schema.SchemaTooNew(standing.must_know, known)
        return DataProblem("schema", "", [str(refusal)])
    is_old = f"; the next start migrates it to {known}" if standing.missing() else ""
    admits = f", needs a server with schema {standing.must_know} or newer"
    return DataProblem("schema", f"version {max(standing.applied)}{admits}{is_old}")


def _integrity(config: Config, database: Database) -> DataProblem:
    is_embedded = data_dir.sqlite_file(config) is not None
    summary = "SQLite, intact" if is_embedded else "PostgreSQL"
    return DataProblem("database", summary, database.integrity_problems())
