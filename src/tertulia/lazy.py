"""Lazy imports: a submodule is imported when its name is first used.

A package whose `__getattr__` comes from here is a table of contents: `storage.channels.find`
imports `tertulia.storage.channels` on first use and is an ordinary attribute afterwards.
"""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any


def lazy_submodules(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package that imports its submodules."""

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
    """A module that is imported on the first use of an attribute."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self._module), name)
        setattr(self, name, found)
        return found


# Transactions and code that awaits them share modules; a command needs only the former.
if TYPE_CHECKING:
    import asyncio as asyncio
else:
    asyncio = LazyModule("asyncio")
