"""Checks of a whole installation: data, settings, login providers, mail and file stores."""

from collections.abc import Callable
from functools import partial

from tertulia import actions, data_dir, storage
from tertulia.actions.data_check import CheckResult
from tertulia.checks import incomplete_settings, logins, push, relays, stores
from tertulia.config import Config
from tertulia.database import BlockingDatabase, error_text, schema
from tertulia.database.schema import SchemaState
from tertulia.database.tx import Tx
from tertulia.errors import StartupError


def examine(config: Config) -> list[CheckResult]:
    database = data_dir.find_database(config)
    schema = database.schema()
    findings = [
        _schema(schema),
        _integrity(config, database),
        *incomplete_settings.examine(config),
        *relays.examine(config),
    ]
    if schema.is_too_old or schema.missing():
        findings.append(CheckResult("data", "not checked: the schema is out of date"))
    else:
        vault = data_dir.load_vault(config)
        for subject, check in actions.data_check.subjects(vault).items():
            findings += _readable(subject, partial(_examined, database, check))
        findings += _readable("push", lambda: [push.examine(config, database, vault)])
        findings += _readable("stores", lambda: stores.examine(config, database))
        findings += _readable("logins", lambda: [_logins(config, database)])
    return findings


def _readable(subject: str, check: Callable[[], list[CheckResult]]) -> list[CheckResult]:
    """Run one check; a damaged database fails this check, not the others."""
    try:
        return check()
    except Exception as error:
        reason = error_text.describe(error)
        if reason is None:
            raise
        return [CheckResult(subject, "", [f"could not be checked. {reason}"])]


def _examined(database: BlockingDatabase, check: Callable[[Tx], CheckResult]) -> list[CheckResult]:
    return [database.of(0).read(check)]


def _logins(config: Config, database: BlockingDatabase) -> CheckResult:
    known = database.of(0).read(storage.organization.realms.list_all)
    return logins.examine(config, [realm.subdomain for realm in known])


def _schema(standing: SchemaState) -> CheckResult:
    try:
        standing.check()
    except StartupError as refusal:
        return CheckResult("schema", "", [str(refusal)])
    is_old = f"; the next start migrates it to {schema.latest()}" if standing.missing() else ""
    admits = f", needs a server with schema {standing.must_know} or newer"
    return CheckResult("schema", f"version {max(standing.applied)}{admits}{is_old}")


def _integrity(config: Config, database: BlockingDatabase) -> CheckResult:
    is_embedded = data_dir.sqlite_file(config) is not None
    summary = "SQLite, intact" if is_embedded else "PostgreSQL"
    problems = [*database.integrity_problems(), *database.failover_problems()]
    return CheckResult("database", summary, problems)
