"""How much the organization is used, for administrators."""

from typing import Annotated

from tertulia import domain, storage
from tertulia.api.call import Call
from tertulia.domain.organization.usage import ChannelUsage, PersonStorage, UsageDay, UsageWeek
from tertulia.http.parameter_rules import AtLeast, AtMost
from tertulia.http.replies import Reply

MIN_DAYS = 7
MAX_DAYS = 90
DEFAULT_DAYS = 28


class UsageReport(Reply):
    as_of: int
    days: list[UsageDay]
    weeks: list[UsageWeek]
    channels: list[ChannelUsage]
    other_channels: int
    storage_by_person: list[PersonStorage]
    storage_size: int
    people: int
    seen_last_day: int
    seen_last_week: int


async def usage(
    call: Call, *, days: Annotated[int, AtLeast(MIN_DAYS), AtMost(MAX_DAYS)] = DEFAULT_DAYS
) -> UsageReport:
    """Count messages by day and channel, people who wrote by day and week, and stored files."""
    cache, key = call.services.caches.usage, (call.org.realm.id, days)
    found = cache.recent(key, call.now)
    if found is None:
        counted = await call.db.read(storage.organization.usage.count, days)
        found = domain.organization.usage.summarize(counted, call.now, days)
        cache.put(key, found)
    return UsageReport(**{name: getattr(found, name) for name in found.__struct_fields__})
