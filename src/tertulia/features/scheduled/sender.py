"""Sends scheduled messages and reminders when they are due.

One message is written at a time and organizations take turns, so other senders wait for one message
at most, however many are due in the same second.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Generic, TypeVar

import msgspec

from tertulia.api.call import Services
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.jobs.runner import Job, described, due_job, for_each
from tertulia.log import log

MAX_CLAIMED = 64  # entries per read

T = TypeVar("T")


class ScheduledKind(msgspec.Struct, Generic[T], frozen=True):
    """A kind of message that is sent at a given time."""

    realms_with_due: Callable[[Tx], list[int]]
    due: Callable[[Tx, int], list[T]]
    compose: Callable[[OrgDatabase, Organization, T], Awaitable[Draft]]
    deliver: Callable[[OrgDatabase, Organization, T, Draft, float], Awaitable[bool]]
    fail: Callable[[OrgDatabase, Organization, T, Exception], Awaitable[bool]]


async def send_due(database: Database, delivery: Delivery, kind: ScheduledKind[T]) -> None:
    """Send everything that is due; what may not be sent is given up.

    Each round asks again which organizations have due entries, so an organization whose entry
    becomes due meanwhile does not wait until all others are sent.
    """
    waiting = await database.of(0).read(kind.realms_with_due)
    began = database.clock()  # after the first query: the clock may be put forward at any moment

    async def run_for_organization(realm_id: int) -> bool:
        org = await delivery.follower.finder.find(realm_id)
        return org is not None and await _send_some(database.of(realm_id), org, kind, began)

    while any(await for_each(waiting, run_for_organization)):
        waiting = await database.of(0).read(kind.realms_with_due)


async def _send_some(
    db: OrgDatabase, org: Organization, kind: ScheduledKind[T], began: float
) -> bool:
    """Send the next entries; returns whether anything was done.

    Each waits for the commit of the one before it, because the writer does not keep the order of
    concurrent writes: one that meets a locked organization runs after later ones.
    """
    due = await db.read(kind.due, MAX_CLAIMED)
    return any([await _send(db, org, kind, entry, began) for entry in due])


async def _send(
    db: OrgDatabase, org: Organization, kind: ScheduledKind[T], entry: T, began: float
) -> bool:
    outcome = await _result_or_error(_compose_and_deliver(db, org, kind, entry, began))
    if isinstance(outcome, Exception):
        if not isinstance(outcome, ClientError):
            log.error("scheduled.send_failed", **described(outcome))
        outcome = await _result_or_error(kind.fail(db, org, entry, outcome))
    if isinstance(outcome, Exception):
        log.error("scheduled.give_up_failed", **described(outcome))
        return False
    return outcome


async def _compose_and_deliver(
    db: OrgDatabase, org: Organization, kind: ScheduledKind[T], entry: T, began: float
) -> bool:
    draft = await kind.compose(db, org, entry)
    return await kind.deliver(db, org, entry, draft, began)


async def _result_or_error(work: Awaitable[T]) -> T | Exception:
    """The result or the exception. ServiceUnavailable is raised: it says nothing about
    the message."""
    try:
        return await work
    except ServiceUnavailable:
        raise
    except Exception as problem:
        return problem


def delivery_job(name: str, due: str, kind: ScheduledKind[T], services: Services) -> Job:
    """The job that sends a kind; `due` is a query of `storage/due_jobs.py`."""
    return due_job(name, 0.5, partial(send_due, services.database, services.delivery, kind), due)
