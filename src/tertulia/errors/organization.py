"""Organization administration."""

from typing import Any

from tertulia.errors import BadRequest


class InvalidForm(BadRequest):
    """Compat: clients show the messages in `errors`, by field."""

    def __init__(
        self, msg: str, field: str = "__all__", *, problem: str = "", **values: Any
    ) -> None:
        super().__init__(msg, problem=problem, **values)
        self.answer = {"errors": {field: [self.msg]}}


class BadUrlTemplate(InvalidForm):
    def __init__(self, field: str = "__all__") -> None:
        super().__init__("Invalid URL template.", field)
