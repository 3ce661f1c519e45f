"""Who hears of a message, and what they are told."""


def ids(ears) -> list[int]:
    return [each["message"]["id"] for each in ears.all() if each["type"] == "message"]


def test_a_message_event_in_full(in_kitchen, ana, ben):
    ears = ben.listens_for("message", apply_markdown=True)

    soup = ana.says("Soup's on", to="kitchen > lunch")

    event = ears.next()
    assert event.keys() == {"type", "message", "flags"}
    assert event["flags"] == []
    seen = ben.sees(soup)
    assert seen.pop("flags") == []
    assert event["message"] == seen


def test_everybody_in_a_channel_hears_of_a_message_once_in_each_queue(chat, in_kitchen, ana, ben):
    cleo = chat.person("cleo")
    queues = [who.listens_for("message") for who in (ana, ben, ben, cleo)]

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert [ids(ears) for ears in queues] == [[soup.id], [soup.id], [soup.id], []]


def test_a_sender_who_is_not_subscribed_hears_nothing(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    inside, outside = ana.listens_for("message"), ben.listens_for("message")
    wide = ben.listens_for("message", all_public_streams=True)

    knock = ben.says("Hello?", to="kitchen > door")

    assert ids(inside) == [knock.id]
    assert outside.silent()
    assert ids(wide) == [knock.id]


def test_a_bot_is_reached_wherever_it_may_read(chat, in_kitchen, ana):
    ana.joins("cellar", invite_only=True)
    helper = chat.person("helper", bot="generic", owner=ana)
    chat.person("hook", bot="incoming-webhook", owner=ana)
    ears = helper.listens_for("message", "update_message", "reaction")

    call = ana.says("@**Helper** help", to="kitchen > lunch")
    ana.says("@**Helper** help", to="cellar > wine")
    ana.says("@**Hook** and **Helper**", to="kitchen > lunch")
    ana.post(f"/messages/{call.id}/reactions", emoji_name="tada").succeeds()
    ana.patch(f"/messages/{call.id}", content="@**Helper**, please help").succeeds()

    told, reaction, edit = ears.all()
    assert (told["message"]["id"], told["flags"]) == (call.id, ["mentioned"])
    assert (reaction["message_id"], edit["message_id"]) == (call.id, call.id)
    assert "mentioned" in helper.sees(call)["flags"]


def test_a_bot_that_was_away_is_reached_too(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    helper = own_chat.person("helper", bot="generic", owner=ana)
    ears = helper.listens_for("message")
    call = ana.says("@**Helper** help", to="kitchen > lunch")

    own_chat.server.restart()

    assert ids(ears) == [call.id]


def test_people_who_are_named_elsewhere_hear_nothing(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    ears = ben.listens_for("message")

    ana.says("@**Ben** help", to="kitchen > lunch")

    assert ears.silent()


def test_those_who_take_part_hear_of_a_direct_message(ana, ben, cleo):
    queues = [who.listens_for("message") for who in (ana, ben, cleo)]

    one = ana.says("psst", to=[ben])
    two = cleo.says("all of us", to=[ana, ben])

    assert [ids(ears) for ears in queues] == [[one.id, two.id], [one.id, two.id], [two.id]]


def test_another_organization_hears_nothing(chat):
    other = type(chat).found(chat.server)
    ana, eve = chat.person("ana", channels=["kitchen"]), other.person("eve", channels=["kitchen"])
    ears = eve.listens_for(all_public_streams=True)

    ana.says("Soup's on", to="kitchen > lunch")

    assert ears.silent()


def test_the_echo_is_heard_in_one_queue_only(in_kitchen, ana, ben):
    phone, desk, his = (who.listens_for("message") for who in (ana, ana, ben))

    ana.says("Soup's on", to="kitchen > lunch", queue_id=phone.queue_id, local_id="7.01")
    ana.says("psst", to=[ben], queue_id=phone.queue_id, local_id="7.02")

    assert [(each["local_id"], each["local_message_id"]) for each in phone.all()] == [
        ("7.01", "7.01"),
        ("7.02", "7.02"),
    ]
    for other in (desk, his):
        for event in other.all():
            assert not {"local_id", "local_message_id"} & event.keys()


def test_somebody_elses_queue_gives_no_echo(in_kitchen, ana, ben):
    his = ben.listens_for("message")

    ana.says("Soup's on", to="kitchen > lunch", queue_id=his.queue_id, local_id="7.01")

    assert "local_id" not in his.next()


def test_events_come_in_the_order_of_what_happened(in_kitchen, ana, ben):
    ears = ben.listens_for()

    first = ana.says("one", to="kitchen > count")
    ana.joins("garden")
    second = ben.says("two", to="kitchen > other")
    third = ana.says("three", to=[ben])

    heard = [each.get("message", {}).get("id", each["type"]) for each in ears.all()]
    assert heard == [first.id, "stream", "subscription", "user_topic", second.id, third.id]


def test_a_failed_send_is_heard_by_nobody(in_kitchen, ana):
    ears = ana.listens_for()

    ana.tries_to_say("", to="kitchen > lunch").fails("Message must not be empty")
    ana.tries_to_say("x", to="attic > lunch")

    assert ears.silent()
