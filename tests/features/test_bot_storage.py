"""Bot storage: what a bot stores between runs."""

from typing import Any

import pytest

from tertulia import features


@pytest.fixture
def bot(chat):
    return chat.person("helper", bot="generic")


def remembered(bot, **params):
    return bot.get("/bot_storage", **params).succeeds()["storage"]


def test_a_bot_stores_its_own_data(chat, bot):
    other = chat.person("other", bot="outgoing-webhook")

    bot.put("/bot_storage", storage={"low": "04:10", "high": "10:00"}).succeeds()
    bot.put("/bot_storage", storage={"high": "10:30", "moon": "🌕", "": ""}).succeeds()

    known = {"": "", "high": "10:30", "low": "04:10", "moon": "🌕"}
    assert remembered(bot) == known
    assert remembered(bot, keys=["moon", "low", "low"]) == {"low": "04:10", "moon": "🌕"}
    assert remembered(bot, keys=[]) == {}
    assert remembered(other) == {}

    bot.delete("/bot_storage", keys=["high", "low"]).succeeds()
    bot.delete("/bot_storage", keys=[]).succeeds()
    assert remembered(bot) == {"": "", "moon": "🌕"}

    bot.delete("/bot_storage").succeeds()
    assert remembered(bot) == {}


def test_invalid_storage_calls_are_refused(chat, bot, monkeypatch):
    monkeypatch.setattr(features.bot_storage, "MAX_LENGTH", 50)
    bot.put("/bot_storage", storage={"low": "04:10"}).succeeds()
    ana = chat.person("ana")
    missing, human = "Key does not exist.", {"code": "PERMISSION_DENIED"}
    too_long = "A key in storage is too long (limit: 255 characters)"
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("PUT", {}, "Missing 'storage' argument"),
        ("PUT", {"storage": {"a": 1}}, 'storage["a"] is not a string'),
        ("PUT", {"storage": ["a"]}, "storage is not a dict"),
        ("PUT", {"storage": {"a": "\0"}}, 'storage["a"] must not contain null bytes'),
        ("PUT", {"storage": {"\0": "a"}}, "A key in storage must not contain null bytes"),
        ("PUT", {"storage": {"k" * 256: ""}}, too_long),
        (
            "PUT",
            {"storage": {str(number): "" for number in range(1001)}},
            "storage is too long (limit: 1000 items)",
        ),
        ("PUT", {"storage": {"a": "x" * 42}}, "Bot storage is full (limit: 50 characters)"),
        ("GET", {"keys": ["low", "wind"]}, missing),
        ("GET", {"keys": "low"}, "keys is not valid JSON"),
        ("DELETE", {"keys": ["low", "wind"]}, missing),
    ]

    for method, params, problem in refused:
        bot.request(method, "/bot_storage", **params).fails(problem)
        ana.request(method, "/bot_storage", **params).fails("Must be a bot user", **human)

    assert remembered(bot) == {"low": "04:10"}
    bot.put("/bot_storage", storage={"a": "x" * 41, "low": "04:10"}).succeeds()
