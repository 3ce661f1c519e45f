"""A nearly full disk: the log and the owners are warned, once a day, by one server."""

from structlog.testing import capture_logs

from tertulia.actions.server_status import WARNING_INTERVAL_SECONDS
from tertulia.jobs.disk import DiskWatch

MORE_THAN_THERE_IS = 101  # percent


def watch(server) -> DiskWatch:
    """A server whose disk counts as nearly full."""
    made = DiskWatch(server.config, server.database)
    made.min_free_percent = MORE_THAN_THERE_IS
    return made


def test_owners_are_warned_of_a_disk_that_is_nearly_full_once_a_day_by_one_server(own_chat):
    server = own_chat.server
    olga, ana = own_chat.person("olga", role="owner"), own_chat.person("ana")
    first, second = watch(server), watch(server)

    with capture_logs() as logged:
        for each in (first, second, first, second):
            server.do(each.run_once())
    after_a_while = warnings_of(olga)
    server.clock.move(seconds=WARNING_INTERVAL_SECONDS + 1)
    server.do(second.run_once())

    lines = [line for line in logged if line["event"] == "disk.nearly_full"]
    assert len(lines) == 2, "each server logs it once"
    assert lines[0]["free_bytes"] <= lines[0]["total_bytes"]
    assert (after_a_while, warnings_of(olga), warnings_of(ana)) == (1, 2, 0)


def test_a_disk_with_free_space_causes_no_warning(own_chat):
    olga = own_chat.person("olga", role="owner")
    roomy = watch(own_chat.server)
    roomy.min_free_percent = 0

    with capture_logs() as logged:
        own_chat.server.do(roomy.run_once())

    assert roomy.free_bytes() > 0
    assert warnings_of(olga) == 0
    assert not [line for line in logged if line["event"] == "disk.nearly_full"]


def warnings_of(person) -> int:
    found = person.get("/messages", anchor="newest", num_before=100, num_after=0)
    return sum("no room left" in each["content"] for each in found.succeeds()["messages"])
