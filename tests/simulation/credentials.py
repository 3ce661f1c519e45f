"""Keys and roles: what one server has answered is true at every other one."""

from tests.simulation.machine import CLOCK
from tests.simulation.people import Person, action

from tertulia.events.directory.follower import MAX_REFRESH_SECONDS

ADMINISTRATOR, MEMBER = 200, 400
_REFUSED = (401, 403)


@action(2.5)
async def replace_bot_key(person: Person) -> None:
    """When the answer arrives, no server accepts the key before it. A write is tried: before a read
    a server reads the log."""
    bot = next(iter(person.model.of("bot", person.index)), None)
    if bot is None:
        await _create_bot(person)
        return
    email, old_key = bot.info["email"], bot.info["key"]
    answer = await person.call("POST", f"/bots/{bot.number}/api_key/regenerate")
    if not answer.is_good:
        return
    bot.info["key"] = answer.json["api_key"]
    if old_key == bot.info["key"]:
        person.errors.append(f"{bot.mark} has the same key again")
    for found in await person.place.ask_all(email, old_key, "POST", "/messages/render"):
        if found.status not in _REFUSED:
            person.errors.append(f"{bot.mark} was accepted by a key that had ended")
    for found in await person.place.ask_all(email, bot.info["key"], "POST", "/messages/render"):
        if found.status in _REFUSED:
            person.errors.append(f"{bot.mark} was refused with its new key")


async def _create_bot(person: Person) -> None:
    if any(
        each.kind == "bot" and each.owner == person.index for each in person.model.things.values()
    ):
        return  # its creation was not answered
    bot = person.model.new("bot", person.index)
    params = {"full_name": bot.mark, "short_name": bot.mark}
    answer = await person.change(bot, bot.mark, "POST", "/bots", **params)
    if answer is not None:
        email = f"{bot.mark}-bot@{person.place.email_domain}"
        bot.number, bot.info["email"] = answer.json["user_id"], email
        bot.info["key"] = answer.json["api_key"]


@action(3)
async def change_role(person: Person) -> None:
    """Only an owner may; the last account has no other part in the run. A read that begins later
    goes by the role, at any server that could read the log in time."""
    if person.index != 0:
        return
    place, role = person.place, person.rng.choice([ADMINISTRATOR, MEMBER])
    path = f"/users/{place.user_ids[-1]}"
    answer = await person.call("PATCH", path, role=role)
    if not answer.is_good:
        return
    began = CLOCK.monotonic
    for found in await place.ask_all(*place.keys[-1], "GET", "/export/realm"):
        is_in_time = CLOCK.monotonic - began < MAX_REFRESH_SECONDS
        is_wrong = found.status != 503 and found.is_good != (role == ADMINISTRATOR)
        if is_in_time and is_wrong:
            shown = "accepted" if found.is_good else "refused"
            person.errors.append(f"the user of {path} was {shown} after its role had changed")
