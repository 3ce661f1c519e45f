"""The shapes that clients receive: one struct for each event and object, described at its fields.

The bytes, the API description and the types of the page are derived from these structs. What many
of them share is in `wire_fields.py`.
"""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

import msgspec


def Doc(text: str, example: Any = None) -> msgspec.Meta:  # noqa: N802 - reads as a type
    """The description of a field or a parameter: `date: Annotated[int, Doc("UNIX seconds.")]`.

    The example of a required parameter is used in the example call of its endpoint.
    """
    return msgspec.Meta(description=text, examples=None if example is None else [example])


class IdMarker:
    """Marks an integer as an id: see `Id` of `http/parameter_rules.py`."""


def markers(annotation: Any) -> Iterator[Any]:
    """What is in `Annotated`, also inside a union such as `Annotated[…] | None`; the outermost
    first."""
    if get_origin(annotation) is Annotated:
        inner, *own = get_args(annotation)
        yield from reversed(own)
        yield from markers(inner)
    elif get_origin(annotation) in (Union, UnionType):
        for branch in get_args(annotation):
            yield from markers(branch)


def doc_of(annotation: Any) -> msgspec.Meta:
    """The outermost `Doc`; an empty one if there is none."""
    docs = (each for each in markers(annotation) if isinstance(each, msgspec.Meta))
    return next((each for each in docs if each.description), NO_DOC)


NO_DOC = msgspec.Meta()


def shape(name: str) -> msgspec.Meta:
    """The description of an object that is made from a table, such as the settings of a user."""
    return msgspec.Meta(extra_json_schema={"$ref": f"#/components/schemas/{name}"})


def any_of(*structs: type[msgspec.Struct]) -> msgspec.Meta:
    """The description of a value that is one of several structs without a tag."""
    ALSO_DESCRIBED.update(structs)
    schemas = [{"$ref": f"#/components/schemas/{each.__name__}"} for each in structs]
    return msgspec.Meta(extra_json_schema={"anyOf": schemas})


# Structs that msgspec does not find in the annotations of others.
ALSO_DESCRIBED: set[type[msgspec.Struct]] = set()


# Compat: `zulip_extra_emoji` for Zulip's clients, `service_extra_emoji` for all others.
EmojiType = Annotated[
    str,
    Doc("The type of emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`."),
    msgspec.Meta(
        extra_json_schema={
            "enum": ["unicode_emoji", "realm_emoji", "zulip_extra_emoji", "service_extra_emoji"]
        }
    ),
]


class WireEvent(msgspec.Struct, tag_field="type"):
    """An event as clients receive it, but for its id.

    The tag of a subclass is its `type`. A subclass has a field `op` if there are several events of
    that type. A field with the value `msgspec.UNSET` is left out. `added_on_fetch` names the fields
    that every client receives although they are not encoded with the event.
    """

    added_on_fetch: ClassVar[tuple[str, ...]] = ()

    @property
    def type(self) -> str:
        return type_of(self.__class__)


def type_of(event: type[WireEvent]) -> str:
    tag: Any = event.__struct_config__.tag
    assert isinstance(tag, str), f"{event.__qualname__} has no tag"
    return tag
