"""Route convertor for ids: `{realm_id:id}`.

Starlette's `int` accepts any number of digits, and Python raises on some thousands of them.
"""

from starlette.convertors import Convertor, register_url_convertor


class IdConvertor(Convertor[int]):
    regex = "[0-9]{1,18}"  # fits into the integer columns of both databases

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("id", IdConvertor())
REALM = "{realm_id:id}"
