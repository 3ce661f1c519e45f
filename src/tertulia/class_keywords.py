"""Class variables of structs as keywords: `class FolderAdded(Event, frozen=True, kind="…")`."""

from typing import Any

import msgspec


class ClassKeywords(msgspec.StructMeta):
    """A keyword that names a class variable of a base sets it; others are options of msgspec."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **given: Any
    ) -> "ClassKeywords":
        ancestors = [ancestor for base in bases for ancestor in base.__mro__]
        known = {word for each in ancestors for word in vars(each).get("__annotations__", ())}
        variables = {word: given.pop(word) for word in known & given.keys()}
        return super().__new__(mcls, name, bases, namespace | variables, **given)
