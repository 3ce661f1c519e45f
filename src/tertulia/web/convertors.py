"""Ids in addresses: a route says `{realm_id:id}`.

Starlette's own `int` takes any number of digits, and Python refuses to read some thousands of them.
"""

from starlette.convertors import Convertor, register_url_convertor


class IdConvertor(Convertor[int]):
    regex = "[0-9]{1,18}"  # what every database can hold

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("id", IdConvertor())
REALM = "{realm_id:id}"
