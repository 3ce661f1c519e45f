"""A kind of event is one class in one file: no other code knows its name."""

import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tertulia
from tertulia import events, storage
from tertulia.database import schema
from tertulia.events.audience import Audience, Everyone, NoClients, Users
from tertulia.events.types.event import Event, MessageEvent, Unreadable, UserEvent
from tertulia.events.types.groups import GroupEvent
from tertulia.features.apps.interactions import InteractionEvent

KINDS = sorted(events.types.event.kinds().items())


NAMES_KINDS = ("tertulia.events.types.", "tertulia.events.snapshot.")


def test_the_log_and_delivery_name_no_event_class():
    classes = {id(kind) for kind in events.types.event.kinds().values()}
    machinery = [
        import_module(module.name)
        for module in pkgutil.walk_packages(events.__path__, f"{events.__name__}.")
        if not module.ispkg and not module.name.startswith(NAMES_KINDS)
    ]

    known = [
        f"{module.__name__} knows {name}"
        for module in machinery
        for name, thing in vars(module).items()
        if id(thing) in classes
    ]

    assert "tertulia.events.delivery.dispatch" in [module.__name__ for module in machinery]
    assert known == []


def test_every_event_is_found_by_its_kind():
    named = set(events.types.event.kinds().values())

    families_only = {Unreadable, UserEvent, GroupEvent, MessageEvent, InteractionEvent}
    assert {each for each in families(Event) if each not in named} == families_only
    assert all(kind.kind == word for word, kind in KINDS)


def test_events_that_can_be_rewound_are_found_in_the_log():
    turning = [word for word, kind in KINDS if kind.affects_delivery()]
    index = " ".join(schema.whole_schema().text.split())

    assert turning == list(storage.log.AFFECTING_DELIVERY)
    assert f"kind IN {storage.log.AFFECTING_DELIVERY};" in index


def test_every_event_is_announced_somewhere():
    sources = Path(tertulia.__file__).parent.rglob("*.py")
    made = Counter(re.findall(r"(?<!class )\b([A-Z]\w+)\(", "".join(map(Path.read_text, sources))))

    silent = [
        f"NoClients announces {kind.__name__}: the action that changes something does,"
        " with events.log.announce."
        for _, kind in KINDS
        if not made[kind.__name__]
    ]
    assert not silent, "\n".join(silent)


def test_two_events_cannot_have_one_kind():
    with pytest.raises(TypeError, match="have one word"):
        type("Other", (Event,), {"kind": "message"})


@pytest.mark.parametrize("word, kind", KINDS)
def test_an_announced_event_can_be_decoded(word, kind):
    event = example(kind)

    read = msgspec.json.decode(msgspec.json.encode(event), type=events.types.event.kinds()[word])

    assert read == event


@pytest.mark.parametrize("kind", [kind for _, kind in KINDS if not kind.invalidates_permits])
def test_an_event_that_changes_no_permission_leaves_the_directory_as_it_is(kind):
    """So a directory that has not applied it yet can be used."""
    assert (kind.touched, kind.undo) == (Event.touched, Event.undo)
    assert not kind.touches
    assert kind.apply is Event.apply


def test_a_message_event_declares_what_it_rewrites_and_whether_it_changes_permissions():
    with pytest.raises(TypeError, match="does not declare rewritten and invalidates_permits"):

        class Undeclared(MessageEvent, frozen=True):
            kind = "undeclared"

    about_messages = [kind for _, kind in KINDS if ".types.messages." in kind.__module__]
    assert about_messages
    assert [kind for kind in about_messages if not issubclass(kind, MessageEvent)] == []


def test_the_subject_of_an_event_may_be_deleted(chat):
    class Undone(Exception):
        """It is delivered to no one."""

    def announce_all(tx):
        head = storage.log.head(tx)
        for _, kind in KINDS:
            events.log.announce(tx, example(kind), NoClients())
        found.extend(type(each.event) for each in events.log.read(tx, head, 1000))
        raise Undone()

    found: list[type[Event]] = []
    with pytest.raises(Undone):
        chat.write(announce_all)

    assert found == [kind for _, kind in KINDS]


def test_a_page_of_the_log_is_read_in_a_few_statements(chat, in_kitchen, ana):
    ana.says("Let us count", to="kitchen > count")
    start = chat.head()
    for number in range(20):
        soup = ana.says(f"{number}", to="kitchen > count")
        ana.patch(f"/messages/{soup.id}", content=f"{number}, no, {number + 1}").succeeds()

    def statements(tx, limit):
        counted: Any = TableCounter(tx)
        return len(events.log.read(counted, start, limit)), counted.count

    few, many = chat.read(statements, 4), chat.read(statements, 1000)
    assert (few[0], many[0]) == (4, 40)
    assert few[1] == many[1]


class TableCounter:
    """A transaction that counts statements."""

    def __init__(self, tx: Any) -> None:
        self._tx = tx
        self.count = 0

    def all(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return self._tx.all(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


def test_an_audience_names_all_its_members():
    assert list(Users([1, 2]).among(None, {1})) == [1, 2]  # type: ignore[arg-type]
    assert set(Everyone().among(None, {1, 2})) == {1, 2}  # type: ignore[arg-type]
    assert list(NoClients().among(None, {1, 2})) == []  # type: ignore[arg-type]
    assert all(each.__struct_config__.tag for each in Audience.__subclasses__())


def families(base: type[Any]) -> Iterator[type[Any]]:
    for each in base.__subclasses__():
        module = each.__module__  # a class that a test made has that of its caller
        if module.startswith("tertulia.") and hasattr(sys.modules[module], each.__name__):
            yield each
        yield from families(each)


def example(kind: type[Event]) -> Any:
    """An event with a value in each required field."""
    fields = msgspec.structs.fields(kind)
    return kind(**{field.name: _something(field.type) for field in fields if field.required})


def _something(wanted: Any) -> Any:
    kind = msgspec.inspect.type_info(wanted)
    if isinstance(kind, msgspec.inspect.UnionType):
        kind = kind.types[0]
    return msgspec.convert(_plain(kind), wanted, strict=False)


def _plain(kind: msgspec.inspect.Type) -> Any:
    match kind:
        case msgspec.inspect.Metadata(type=described):
            return _plain(described)
        case msgspec.inspect.IntType():
            return 999_999
        case msgspec.inspect.StrType():
            return "word"
        case msgspec.inspect.FloatType():
            return 1.5
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.LiteralType(values=values):
            return values[0]
        case msgspec.inspect.EnumType(cls=cls):
            return next(iter(cls)).value
        case msgspec.inspect.ListType(item_type=item):
            return [_plain(item)]
        case msgspec.inspect.DictType():
            return {}
        case msgspec.inspect.UnionType(types=types):
            return _plain(types[0])
        case msgspec.inspect.StructType(fields=fields):
            return {each.encode_name: _plain(each.type) for each in fields if each.required}
        case _:
            return None
