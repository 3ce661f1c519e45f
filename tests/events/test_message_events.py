"""Who receives a message event, and its content."""


def ids(queue) -> list[int]:
    return [each["message"]["id"] for each in queue.all() if each["type"] == "message"]


def test_a_complete_message_event(in_kitchen, ana, ben):
    queue = ben.listens_for("message", apply_markdown=True)

    soup = ana.says("Soup's on", to="kitchen > lunch")

    event = queue.next()
    assert event.keys() == {"type", "message", "flags"}
    assert event["flags"] == []
    seen = ben.sees(soup)
    assert seen.pop("flags") == []
    assert event["message"] == seen


def test_all_subscribers_receive_a_message_once_per_queue(chat, in_kitchen, ana, ben):
    cleo = chat.person("cleo")
    queues = [who.listens_for("message") for who in (ana, ben, ben, cleo)]

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert [ids(queue) for queue in queues] == [[soup.id], [soup.id], [soup.id], []]


def test_a_sender_who_is_not_subscribed_receives_nothing(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    inside, outside = ana.listens_for("message"), ben.listens_for("message")
    wide = ben.listens_for("message", all_public_streams=True)

    knock = ben.says("Hello?", to="kitchen > door")

    assert ids(inside) == [knock.id]
    assert outside.silent()
    assert ids(wide) == [knock.id]


def test_a_mentioned_bot_receives_messages_wherever_it_may_read(chat, in_kitchen, ana):
    ana.joins("cellar", invite_only=True)
    helper = chat.person("helper", bot="generic", owner=ana)
    chat.person("hook", bot="incoming-webhook", owner=ana)
    queue = helper.listens_for("message", "update_message", "reaction")

    call = ana.says("@**Helper** help", to="kitchen > lunch")
    ana.says("@**Helper** help", to="cellar > wine")
    ana.says("@**Hook** and **Helper**", to="kitchen > lunch")
    ana.post(f"/messages/{call.id}/reactions", emoji_name="tada").succeeds()
    ana.patch(f"/messages/{call.id}", content="@**Helper**, please help").succeeds()

    received, reaction, edit = queue.all()
    assert (received["message"]["id"], received["flags"]) == (call.id, ["mentioned"])
    assert (reaction["message_id"], edit["message_id"]) == (call.id, call.id)
    assert "mentioned" in helper.sees(call)["flags"]


def test_a_mentioned_bot_that_polls_late_receives_them_too(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    helper = own_chat.person("helper", bot="generic", owner=ana)
    queue = helper.listens_for("message")
    call = ana.says("@**Helper** help", to="kitchen > lunch")

    own_chat.server.restart()

    assert ids(queue) == [call.id]


def test_mentioned_users_who_are_not_subscribed_receive_nothing(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    queue = ben.listens_for("message")

    ana.says("@**Ben** help", to="kitchen > lunch")

    assert queue.silent()


def test_participants_receive_a_direct_message(ana, ben, cleo):
    queues = [who.listens_for("message") for who in (ana, ben, cleo)]

    one = ana.says("psst", to=[ben])
    two = cleo.says("all of us", to=[ana, ben])

    assert [ids(queue) for queue in queues] == [[one.id, two.id], [one.id, two.id], [two.id]]


def test_other_organizations_receive_nothing(chat):
    other = type(chat).found(chat.server)
    ana, eve = chat.person("ana", channels=["kitchen"]), other.person("eve", channels=["kitchen"])
    queue = eve.listens_for(all_public_streams=True)

    ana.says("Soup's on", to="kitchen > lunch")

    assert queue.silent()


def test_the_local_echo_is_in_one_queue_only(in_kitchen, ana, ben):
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


def test_another_users_queue_gets_no_local_echo(in_kitchen, ana, ben):
    his = ben.listens_for("message")

    ana.says("Soup's on", to="kitchen > lunch", queue_id=his.queue_id, local_id="7.01")

    assert "local_id" not in his.next()


def test_events_arrive_in_the_order_of_the_log(in_kitchen, ana, ben):
    queue = ben.listens_for()

    first = ana.says("one", to="kitchen > count")
    ana.joins("garden")
    second = ben.says("two", to="kitchen > other")
    third = ana.says("three", to=[ben])

    received = [each.get("message", {}).get("id", each["type"]) for each in queue.all()]
    assert received == [first.id, "stream", "subscription", "user_topic", second.id, third.id]


def test_a_failed_send_causes_no_event(in_kitchen, ana):
    queue = ana.listens_for()

    ana.tries_to_say("", to="kitchen > lunch").fails("Message must not be empty")
    ana.tries_to_say("x", to="attic > lunch")

    assert queue.silent()
