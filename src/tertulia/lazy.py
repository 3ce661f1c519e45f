"""Modules that load when they are first named, so that nobody pays for what they do not use.

A package whose `__getattr__` comes from here is a table of contents: `storage.channels.find`
imports `tertulia.storage.channels` on its first call, and is an ordinary look-up ever after.
"""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any


def lazy_submodules(package: str) -> Callable[[str], ModuleType]:
    """What a package answers when it is asked for a name it does not have yet."""

    def load(name: str) -> ModuleType:
        module = f"{package}.{name}"
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise AttributeError(f"{package} has no {name}") from None

    return load


class LazyModule:
    """A module that is imported when something in it is first named."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self._module), name)
        setattr(self, name, found)
        return found


# What works in transactions and what waits for them share modules; a command only does the former.
if TYPE_CHECKING:
    import asyncio as asyncio
else:
    asyncio = LazyModule("asyncio")
