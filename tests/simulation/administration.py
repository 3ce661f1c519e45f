"""What owners and administrators do: erasures, exports, legal holds, accounts, and their laws.

The account LEAVER writes until the owner erases it; GUEST is deactivated and reactivated.
"""

import asyncio
from typing import TYPE_CHECKING, Any

import apsw
from tests.simulation.model import ABSENT
from tests.simulation.network import ConnectionLost
from tests.simulation.people import Person, action, send_with_key

if TYPE_CHECKING:
    from tests.simulation.world import World

LEAVER, GUEST = 6, 5  # accounts that nobody else uses
ERASURE_SHARE = 0.1  # of what the leaver does, after which it is erased
MAX_ATTEMPTS = 50
EXPORT_NOTICE = "Your data export is complete."


@action(0.5)
async def write_as_leaver(person: Person) -> None:
    """Only the owner's run does, so that it knows when all messages are sent."""
    if person.index != 0 or person.place.is_erasing:
        return
    if person.rng.random() < ERASURE_SHARE:
        await _erase(person)
        return
    general, topic = person.place.channels["general"], f"topic {person.rng.randint(0, 3)}"
    given: dict[str, Any] = {"type": "channel", "to": general, "topic": topic}
    await send_with_key(person, kind="leaver", sender=LEAVER, **given)


async def _erase(person: Person) -> None:
    """All clients register again when it is done."""
    place = person.place
    place.is_erasing = True
    path = f"/users/{place.user_ids[LEAVER]}/erase"
    for _ in range(MAX_ATTEMPTS):
        try:
            answer = await person.call("POST", path, delete_messages=True)
        except ConnectionLost:
            await asyncio.sleep(0.5)
            continue
        if answer.is_good and answer.json["complete"]:
            place.has_erased = True
            return
        if not answer.is_good and answer.status != 503:
            return
        await asyncio.sleep(0.5)


@action(0.5)
async def switch_account(person: Person) -> None:
    """No server accepts the key of an account from the answer on that has deactivated it."""
    if person.index != 0:
        return
    place, (email, key) = person.place, person.place.keys[GUEST]
    path = f"/users/{place.user_ids[GUEST]}"
    answer = await person.call("DELETE", path)
    if answer.is_good:
        for found in await place.ask_all(email, key, "POST", "/messages/render"):
            if found.status not in (401, 403):
                person.errors.append(f"{email} was accepted after DELETE {path}")
    await person.call("POST", f"{path}/reactivate")


@action(0.05)
async def export(person: Person) -> None:
    if person.index == 0:
        await person.call("POST", "/export/realm", as_html=person.rng.random() < 0.5)


@action(0.3)
async def hold(person: Person) -> None:
    if person.index == 0:
        held = [person.place.channels["attic"]]
        await person.call("POST", "/realm/legal_holds", reason="A reason", held_stream_ids=held)


@action(0.5)
async def found_folder(person: Person) -> None:
    if person.index == 0:
        path, key = "/channel_folders/create", "channel_folder_id"
        await person.create("folder", path, key, name="MARK", description="")


@action(0.3)
async def edit_folder(person: Person) -> None:
    await person.edit("folder", "/channel_folders/{}", name="MARK")


@action(0.3)
async def found_profile_field(person: Person) -> None:
    if person.index == 0:
        await person.create("field", "/realm/profile_fields", "id", name="MARK", field_type=1)


@action(0.3)
async def delete_profile_field(person: Person) -> None:
    await person.delete("field", "/realm/profile_fields/{}")


@action(0.3)
async def add_playground(person: Person) -> None:
    if person.index == 0:
        url = "https://example.com/{code}"
        about = {"name": "MARK", "pygments_language": "Python", "url_template": url}
        await person.create("playground", "/realm/playgrounds", "id", **about)


@action(0.3)
async def remove_playground(person: Person) -> None:
    await person.delete("playground", "/realm/playgrounds/{}")


@action(0.3)
async def archive_channel(person: Person) -> None:
    await person.delete("channel", "/streams/{}")


@action(0.3)
async def deactivate_group(person: Person) -> None:
    thing = person.pick(person.model.of("group", person.index))
    if thing is not None:
        await person.change(thing, ABSENT, "POST", f"/user_groups/{thing.number}/deactivate")


@action(0.3)
async def change_default_channels(person: Person) -> None:
    if person.index == 0:
        method = person.rng.choice(["POST", "DELETE"])
        await person.call(method, "/default_streams", stream_id=person.place.channels["attic"])


@action(0.3)
async def invite(person: Person) -> None:
    await person.call("POST", "/invites/multiuse", invite_expires_in_minutes=60)


def broken_laws(world: "World", connection: apsw.Connection) -> list[str]:
    problems = _exports_were_announced_once(connection)
    if world.place.has_erased:
        marks = [each.mark for each in world.model.things.values() if each.kind == "leaver"]
        problems += _is_nowhere([*marks, world.place.keys[LEAVER][0]], connection)
    return problems


def _exports_were_announced_once(connection: apsw.Connection) -> list[str]:
    sql = (
        "SELECT (SELECT count(*) FROM realm_export WHERE path_id IS NOT NULL),"
        " (SELECT count(*) FROM message WHERE content LIKE ?)"
    )
    ((finished, announced),) = connection.execute(sql, (f"{EXPORT_NOTICE}%",)).fetchall()
    if finished != announced:
        return [f"{finished} exports were finished, and {announced} were announced"]
    return []


def _is_nowhere(texts: list[str], connection: apsw.Connection) -> list[str]:
    """No column of any table contains one of these texts."""
    problems = []
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                found = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
                problems += [
                    f"{text} was erased and is in {table}"
                    for text in texts
                    if text.lower() in found.lower()
                ]
    return problems
