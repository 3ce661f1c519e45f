"""Request logs: one line, without texts, keys or passwords."""

from tests.support.people import basic


def test_secrets_are_never_logged(chat, capfd):
    ana = chat.person("ana", channels=["kitchen"], password="frotz frotz")
    capfd.readouterr()

    ana.says("xyzzy one", to="kitchen > xyzzy two")
    ana.tries_to_say("xyzzy three", to="attic > xyzzy four")
    ana.tries_to_say("xyzzy\0five", to="kitchen > lunch")
    ana.post("/messages", type="xyzzy six", content="xyzzy seven")
    ana.get("/users/xyzzy@example.com", xyzzy="eight")
    chat.stranger.post("/fetch_api_key", username=ana.email, password="frotz frotz")
    chat.stranger.post("/fetch_api_key", username="xyzzy@example.com", password="frotz nine")
    chat.stranger.with_headers(Authorization=basic(ana.email, "x" * 32)).get("/users/me")

    logged = "".join(capfd.readouterr())
    assert logged.count("http.request_refused") == 6
    for secret in ("xyzzy", "frotz", ana.key, "x" * 32):
        assert secret not in logged
