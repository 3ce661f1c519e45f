"""The base class of the parts of the register snapshot."""

import msgspec


class StatePart(msgspec.Struct):
    """Keys that `POST /register` returns together. A field whose value never changes is a default.

    The API description has the fields of all subclasses.
    """
